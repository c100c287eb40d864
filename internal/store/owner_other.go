//go:build !unix

package store

import "io/fs"

// ownAs does nothing: files take their permissions from their folder.
func ownAs(string, fs.FileInfo) error { return nil }
