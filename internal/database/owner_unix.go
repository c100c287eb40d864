//go:build unix

package database

import (
	"io/fs"
	"os"
	"syscall"
)

// OwnAs gives a file the permissions of another one, and also its owner if the program runs
// as root. Others may not change the owner of a file.
func OwnAs(path string, other fs.FileInfo) error {
	if st, ok := other.Sys().(*syscall.Stat_t); ok && os.Getuid() == 0 {
		if err := os.Chown(path, int(st.Uid), int(st.Gid)); err != nil {
			return err
		}
	}
	return os.Chmod(path, other.Mode().Perm())
}
