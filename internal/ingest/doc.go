// Package ingest reads files of outside formats as campaign values.
package ingest
