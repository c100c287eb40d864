//go:build !linux && !darwin

package database

// HoldFile is always false on this platform.
func HoldFile(string) (release func(), held bool) { return nil, false }
