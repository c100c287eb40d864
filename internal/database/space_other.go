//go:build !linux && !darwin

package database

// freeBytes is not known on this platform.
func freeBytes(string) (int64, bool) { return 0, false }
