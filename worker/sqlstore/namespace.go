package sqlstore

import (
	"fmt"
	"strings"

	"github.com/uidgen/uid"
)

const (
	defaultNamespace = "default"
	maxNamespaceLen  = 64 // of the column NAMESPACE
)

// checkNamespace refuses a name that not all databases keep and compare alike. A server stores a
// name as the charset of the connection has it; charsets differ beyond ASCII, and for some of
// ASCII, too, where national letters are in its place (swe7).
func checkNamespace(name string) error {
	if n := len(name); n > maxNamespaceLen {
		return fmt.Errorf("%w: the Namespace %.100q has %d bytes, the table holds %d", uid.ErrRange, name, n, maxNamespaceLen)
	}
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || strings.IndexByte("@[\\]^`{|}~", c) >= 0 {
			return fmt.Errorf("%w: the Namespace %.100q has the byte 0x%02x at %d, which not all charsets have alike: "+
				"ASCII letters, digits, spaces and !\"#$%%&'()*+,-./:;<=>?_ can be used", uid.ErrConfig, name, c, i)
		}
	}
	if name == "" || name[0] == ' ' || name[len(name)-1] == ' ' {
		return fmt.Errorf("%w: the Namespace %.100q is empty or has spaces around it", uid.ErrConfig, name)
	}
	return nil
}
