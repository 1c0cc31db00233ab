// Package host tells the name of the host that a process runs on.
package host

import (
	"fmt"
	"os"

	"github.com/uidgen/uid"
)

// Name is the host's name as the operating system tells it. It is [uid.ErrConfig] when that
// tells none.
func Name() (string, error) {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "", fmt.Errorf("%w: the operating system tells no host name (%v)", uid.ErrConfig, err)
	}
	return name, nil
}
