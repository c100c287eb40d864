// Package export writes campaign values as files of outside formats.
package export
