//go:build !moved

package main

// clock is how many nanoseconds the wall clock of this process is off.
// It is not read in a build without the tag moved.
var clock = new(int64)
