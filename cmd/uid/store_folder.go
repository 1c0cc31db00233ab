package main

import (
	"errors"
	"path/filepath"
)

// dataFolder returns the folder for this command's user data.
func dataFolder(getenv func(string) string, goos string) (string, error) {
	// The XDG specification says to ignore a relative path.
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "uid"), nil
	}
	home, below := "HOME", []string{".local", "share", "uid"}
	switch goos {
	case "windows":
		home, below = "LocalAppData", []string{"uid"}
	case "darwin", "ios":
		below = []string{"Library", "Application Support", "uid"}
	}
	dir := getenv(home)
	if dir == "" {
		return "", errors.New("no folder for the store: neither XDG_DATA_HOME nor " + home + " is set; use --store FILE")
	}
	return filepath.Join(append([]string{dir}, below...)...), nil
}
