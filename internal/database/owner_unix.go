//go:build unix

package database

import (
	"io/fs"
	"os"
	"syscall"
)

// OwnAs gives a file the owner and the permissions of another one. Only root may
// give files away; for everybody else the file stays theirs.
func OwnAs(path string, other fs.FileInfo) error {
	if st, ok := other.Sys().(*syscall.Stat_t); ok && os.Getuid() == 0 {
		if err := os.Chown(path, int(st.Uid), int(st.Gid)); err != nil {
			return err
		}
	}
	return os.Chmod(path, other.Mode().Perm())
}
