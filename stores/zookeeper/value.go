package zookeeper

import (
	"fmt"

	"github.com/uidgen/uid/internal/leasejson"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// readRow reads the data of the node of a row. What no worker has written so is an error, and
// final: nobody may use the ID until somebody has looked.
func readRow(path string, id int64, data []byte) (lease.Row, error) {
	r, err := leasejson.ParseRow(id, string(data))
	return r, unreadable(path, err)
}

// readNamespace reads the data of the node of a namespace.
func readNamespace(path string, data []byte) (lease.Namespace, error) {
	n, err := leasejson.ParseNamespace(string(data))
	return n, unreadable(path, err)
}

func unreadable(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: the data of node %s cannot be read: %w", worker.ErrUnconfirmed, path, err)
}

func writeRow(path string, r lease.Row) ([]byte, error) {
	text, err := leasejson.Row(r, "")
	return []byte(text), unwritable(path, err)
}

func writeNamespace(path string, n lease.Namespace) ([]byte, error) {
	text, err := leasejson.Namespace(n, "")
	return []byte(text), unwritable(path, err)
}

func unwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("node %s cannot hold what is to be written: %w", path, err)
}
