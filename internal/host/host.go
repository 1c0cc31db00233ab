// Package host returns the name of the host that a process runs on.
package host

import (
	"fmt"
	"os"

	"github.com/uidgen/uid"
)

// Name returns the operating system's host name, or [uid.ErrConfig] when it has none.
func Name() (string, error) {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "", fmt.Errorf("%w: the operating system tells no host name (%v)", uid.ErrConfig, err)
	}
	return name, nil
}
