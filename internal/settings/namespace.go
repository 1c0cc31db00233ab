package settings

import (
	"fmt"
	"strings"

	"github.com/uidgen/uid"
)

// DefaultNamespace is what an empty name of a namespace stands for.
const DefaultNamespace = "default"

// maxNamespace is what the column of a table holds.
const maxNamespace = 64

// Namespace returns the name of a namespace of leases, or the default one for "". It returns [uid.ErrRange] or
// [uid.ErrConfig] for a name that not all stores keep and compare alike. A SQL server stores a name
// as the charset of the connection has it; charsets differ beyond ASCII, and for some of ASCII,
// too, where national letters are in its place (swe7). A name may hold slashes and be "..": a
// store whose keys have a meaning there has to escape it. The rule is one for all stores, so that a namespace can move
// from one kind of store to another under its name.
func Namespace(name string) (string, error) {
	if name == "" {
		return DefaultNamespace, nil
	}
	if n := len(name); n > maxNamespace {
		return "", fmt.Errorf("%w: the Namespace %.100q has %d bytes, a store holds %d",
			uid.ErrRange, name, n, maxNamespace)
	}
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || strings.IndexByte("@[\\]^`{|}~", c) >= 0 {
			return "", fmt.Errorf("%w: the Namespace %.100q has the byte 0x%02x at %d, which not all "+
				"charsets have alike: ASCII letters, digits, spaces and !\"#$%%&'()*+,-./:;<=>?_ can be used",
				uid.ErrConfig, name, c, i)
		}
	}
	if name[0] == ' ' || name[len(name)-1] == ' ' {
		return "", fmt.Errorf("%w: the Namespace %.100q has spaces around it", uid.ErrConfig, name)
	}
	return name, nil
}
