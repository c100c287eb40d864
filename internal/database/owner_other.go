//go:build !unix

package database

import "io/fs"

// OwnAs does nothing: files take their permissions from their folder.
func OwnAs(string, fs.FileInfo) error { return nil }
