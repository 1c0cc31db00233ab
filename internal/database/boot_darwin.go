package database

import "golang.org/x/sys/unix"

// bootID names the time since the machine was started, or is empty.
func bootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}
