//go:build linux || darwin

package database

import (
	"syscall"
)

// freeBytes returns the free bytes of a folder's disk for users other than root.
func freeBytes(dir string) (int64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
