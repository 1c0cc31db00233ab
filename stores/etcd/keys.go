package etcd

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/internal/namespace"
)

// Keys are those of one namespace. Its name is escaped, since it may have slashes:
//
//	uid/leases/orders/namespace                    what is common to all rows
//	uid/leases/orders/worker/0000000000000000005   the row of worker ID 5
//
// All have as many digits, so that the order of keys is that of IDs.
type keys struct {
	all       string // begins all of them
	namespace string
	workers   string // begins those of rows
}

func keysOf(prefix, name string) keys {
	all := prefix + leasesDir + url.PathEscape(name) + "/"
	return keys{all: all, namespace: all + "namespace", workers: all + "worker/"}
}

// leasesDir leaves room for other things below a prefix.
const leasesDir = "leases/"

// digits are those of the largest worker ID that an int64 holds.
const digits = 19

func (k keys) worker(id int64) string { return k.workers + number(id) }

// after begins what lies above the row of an ID.
func (k keys) after(id int64) string { return k.worker(id) + "\x00" }

// end lies behind all rows.
func (k keys) end() string { return clientv3.GetPrefixRangeEnd(k.workers) }

func number(n int64) string { return fmt.Sprintf("%0*d", digits, n) }

// workerID reads the worker ID from the key of a row.
func (k keys) workerID(key string) (int64, error) {
	text, ok := strings.CutPrefix(key, k.workers)
	id, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil || id < 0 || number(id) != text {
		return 0, unreadable(key, "its name does not end with the 19 digits of a worker ID")
	}
	return id, nil
}

// nameOf reads a namespace's name from what its keys begin with, without the slash.
func nameOf(segment string) (name string, ok bool) {
	name, err := url.PathUnescape(segment)
	if err != nil || name == "" || url.PathEscape(name) != segment {
		return "", false
	}
	_, err = namespace.Resolve(name)
	return name, err == nil
}
