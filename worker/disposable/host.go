package disposable

import (
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
)

// maxNameLen is how many characters a name may have.
const maxNameLen = 64

// The environment variables that hold a container's address: this module's own, then those that
// UidGenerator reads.
var (
	defaultHostEnv = []string{"UID_HOST", "JPAAS_HOST"}
	defaultPortEnv = []string{"UID_PORT", "JPAAS_HTTP_PORT", "JPAAS_HOST_PORT_8080"}
)

// validateHost refuses what can be refused before the environment is read.
func (c Config) validateHost() error {
	if c.Host == "" && c.Port != "" {
		return fmt.Errorf("%w: Port %.100q is set without Host", uid.ErrConfig, c.Port)
	}
	return validate(storage.Host{Name: c.Host, Port: c.Port})
}

// host takes the host from the settings, the environment or the operating system, in this
// order.
func (c Config) host() (storage.Host, error) {
	if c.Host != "" {
		return storage.Host{Name: c.Host, Port: c.Port}, nil
	}
	h := storage.Host{Name: firstSet(c.HostEnv), Port: firstSet(c.PortEnv)}
	if (h.Name == "") != (h.Port == "") {
		return storage.Host{}, fmt.Errorf("%w: a container's host and port go together: of %s and %s "+
			"only one is set", uid.ErrConfig, strings.Join(c.HostEnv, ", "), strings.Join(c.PortEnv, ", "))
	}
	if h.Name == "" {
		name, err := settings.HostName()
		if err != nil {
			return storage.Host{}, fmt.Errorf("%w: set Host", err)
		}
		h.Name = name
	}
	return h, validate(h)
}

func validate(h storage.Host) error {
	for _, v := range []struct{ what, text string }{{"host name", h.Name}, {"port", h.Port}} {
		if !utf8.ValidString(v.text) {
			return fmt.Errorf("%w: the %s %.100q is not valid UTF-8", uid.ErrConfig, v.what, v.text)
		}
		// Cut short it could be another host's name: the user has to choose.
		if n := utf8.RuneCountInString(v.text); n > maxNameLen {
			return fmt.Errorf("%w: the %s %.100q has %d characters, a row holds %d: "+
				"set Host and Port to a shorter form", uid.ErrRange, v.what, v.text, n, maxNameLen)
		}
	}
	return nil
}

func firstSet(names []string) string {
	for _, name := range names {
		if v := os.Getenv(name); strings.TrimSpace(v) != "" { // a blank one is none, as for the original
			return v
		}
	}
	return ""
}
