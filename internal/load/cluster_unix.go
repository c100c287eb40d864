//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// quit is the signal on which PostgreSQL ends at once.
const quit = syscall.SIGQUIT

// asOwner has a command run as the owner of a folder, since PostgreSQL refuses to run as root.
func asOwner(cmd *exec.Cmd, dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}, Setsid: true}
	}
	return nil
}
