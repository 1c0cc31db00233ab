package zookeeper

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/uidgen/uid/stores"
)

// The nodes:
//
//	/uid                 the Root
//	/uid/orders          a namespace; without data while it is not made, or lost
//	/uid/orders/17       the row of worker ID 17
//	/uid/orders/clock    written to learn the leader's time
//	/uid/.segments/items the row of a tag of package segment; no namespace's node begins with a dot
//
// A namespace's node is above its rows, so that it cannot be deleted while it has any, and its
// version never begins anew beside them.
const (
	clockName = "clock"
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
	namespace, err := url.PathUnescape(name)
	return namespace, err == nil && namespace != "" && escape(namespace) == name
}

// path returns that of a key of package stores.
func (d *driver) path(key string) string {
	k, _ := stores.ParseKey(key)
	switch {
	case k.Namespace == "":
		return d.root + "/" + segmentsName + "/" + escape(k.Tag)
	case k.ID < 0:
		return d.root + "/" + escape(k.Namespace)
	}
	return d.root + "/" + escape(k.Namespace) + "/" + strconv.FormatInt(k.ID, 10)
}

// keyOf returns the key of a child of the node that rows or tags are below. It reports false for other
// nodes.
func keyOf(of stores.Key, name string) (key string, ok bool) {
	if of.Namespace == "" {
		of.Tag, ok = unescape(name)
		return of.String(), ok
	}
	id, err := strconv.ParseInt(name, 10, 64)
	of.ID = id
	return of.String(), err == nil && id >= 0 && strconv.FormatInt(id, 10) == name
}
