//go:build moved

package main

import "time"

// clock is a variable that main.go's overlay adds to package time.
var clock = &time.Moved
