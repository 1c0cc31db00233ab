// Package hostname asks the operating system for the host's name.
package hostname

import (
	"fmt"
	"os"

	"github.com/uidgen/uid"
)

// Get returns the host's name, or [uid.ErrConfig] when the operating system tells none.
func Get() (string, error) {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "", fmt.Errorf("%w: the operating system tells no host name (%v)", uid.ErrConfig, err)
	}
	return name, nil
}
