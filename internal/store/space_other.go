//go:build !linux && !darwin

package store

// freeBytes is not known on this platform.
func freeBytes(string) (int64, bool) { return 0, false }
