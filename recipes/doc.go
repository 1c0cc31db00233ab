// Package recipes holds programs that use UIDs with other libraries and on Kubernetes. Each folder
// is a program to copy from; its tests, and those of this package, run it against real servers.
// README.md says when to take which.
package recipes
