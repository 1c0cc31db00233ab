//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package database

// bootID is empty: this system does not tell.
func bootID() string { return "" }
