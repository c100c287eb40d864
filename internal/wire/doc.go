// Package wire declares the JSON that the scripts of the pages and the server exchange: the
// data block of the annotate page, the requests of the scripts, and the answers of the server.
// For the scripts, go generate writes the same types to web/wire.d.ts.
package wire

//go:generate go test -run=TestTypeScript -update .
