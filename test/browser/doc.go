// Package browser tests the page of package debug in a real Chromium. It is a module of its own:
// the library has nothing to do with a browser.
//
//	go test ./test/browser            # needs chromium on the PATH, and a MariaDB
//	go test ./test/browser -update    # takes the pictures in docs anew
package browser
