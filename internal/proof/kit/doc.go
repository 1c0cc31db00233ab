// Package kit is what the tests of this module share: an empty database of each kind, a
// proxy before a server, a log that can be read, and clocks that are set.
package kit
