// Package wire has the JSON that the scripts of the pages and the server exchange: the
// data block that the annotate page starts from, what the scripts send, and what the
// server answers. The scripts get the same types from web/wire.d.ts, which is made of
// these by go generate.
package wire

//go:generate go run ./declare ../../web/wire.d.ts
