package zookeeper

import (
	"fmt"
	"strconv"
	"strings"
)

// The nodes:
//
//	/uid                 the Root
//	/uid/orders          a namespace; without data while it is not made, or lost
//	/uid/orders/17       the row of worker ID 17
//	/uid/orders/clock    written to learn the leader's time
//	/uid/.segments/items the row of a tag of package segment; no namespace's node begins with a dot
//	/uid/orders/alive/17 ephemeral: a session of the holder of worker ID 17 (see Presence)
//
// A namespace's node is above its rows, so that it cannot be deleted while it has any, and its
// version never begins anew beside them.
const (
	clockName = "clock"
	aliveName = "alive"
	// segmentsName is no name that escape returns.
	segmentsName = ".segments"
)

// escape returns the name of the node of a namespace: letters, digits, '-', '_' and '.', which
// may not come first, stand for themselves, all other bytes are %XX.
func escape(namespace string) string {
	var b strings.Builder
	for i := range len(namespace) {
		switch c := namespace[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// unescape reverses escape. It reports false for what escape does not return.
func unescape(name string) (namespace string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			b.WriteByte(name[i])
			continue
		}
		if i+3 > len(name) {
			return "", false
		}
		c, err := strconv.ParseUint(name[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	namespace = b.String()
	return namespace, namespace != "" && escape(namespace) == name
}

// row returns the path of the row of a worker ID.
func (l *Leases) row(id int64) string { return l.path + "/" + strconv.FormatInt(id, 10) }

// idOf returns the worker ID whose row has a name. It reports false for other nodes.
func idOf(name string) (id int64, ok bool) {
	id, err := strconv.ParseInt(name, 10, 64)
	return id, err == nil && id >= 0 && strconv.FormatInt(id, 10) == name
}
