//go:build !moved

package main

// clock is how many nanoseconds the wall clock of this process is off. In a build without the tag moved nobody reads it.
var clock = new(int64)
