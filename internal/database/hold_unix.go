//go:build linux || darwin

package database

import (
	"os"
	"syscall"
)

// HoldFile holds a file until release is called or the program ends. It is false if another program
// holds the file, or if it can't be held. It does not keep SQLite from using the file.
func HoldFile(path string) (release func(), held bool) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, false
	}
	return func() { _ = f.Close() }, true
}
