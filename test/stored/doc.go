// Package stored keeps what a released version has stored, in a folder for each version. Later ones have to read it:
// its tests fail for a change that cannot. Before a release, go test ./test/stored -update writes the newest folder.
package stored
