// Package kit holds what the tests of this module share: empty databases of each kind, a
// proxy in front of a server, a log to read, and clocks to set.
package kit
