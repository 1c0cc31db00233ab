package etcd

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/uidgen/uid/internal/leasejson"
	"github.com/uidgen/uid/worker/lease"
)

// version is that of a namespaceValue's form. One of a later form is refused.
const version = 1

// A namespaceValue is the value of a namespace's own key: what is common to all stores, in an
// object with what is etcd's own.
type namespaceValue struct {
	Version int `json:"v"`
	// Cluster is the ID of the cluster in which the namespace was made, in hex. A snapshot that
	// is restored under another one does not go on as if nothing had been lost.
	Cluster string `json:"cluster"`
	// ClockError is the bound that all clients share, in microseconds.
	ClockError int64 `json:"clock_error"`
	// Namespace is as package leasejson writes it.
	Namespace json.RawMessage `json:"namespace"`
}

func (v namespaceValue) clockError() time.Duration { return leasejson.Duration(v.ClockError) }

// Each row and each namespace that is ever written has another token, so that no two values are
// equal.

func encodeRow(r lease.Row) (string, error) { return leasejson.Row(r, rand.Text()) }

func decodeRow(key string, id int64, data []byte) (lease.Row, error) {
	r, err := leasejson.ParseRow(id, string(data))
	if err != nil {
		return r, unreadable(key, err.Error())
	}
	return r, nil
}

func encodeNamespace(n lease.Namespace, cluster uint64, clockError time.Duration) (string, error) {
	text, err := leasejson.Namespace(n, rand.Text())
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(namespaceValue{version, hex(cluster), clockError.Microseconds(), json.RawMessage(text)})
	return string(data), err
}

func decodeNamespace(key string, data []byte) (n lease.Namespace, v namespaceValue, err error) {
	if err := leasejson.Strict(string(data), version, &v); err != nil {
		return n, v, unreadable(key, err.Error())
	}
	if !isCluster(v.Cluster) {
		return n, v, unreadable(key, "cluster is not a number of 16 hexadecimal digits")
	}
	if v.ClockError < 1 || v.ClockError > maxClockError.Microseconds() {
		return n, v, unreadable(key, fmt.Sprintf("clock_error is %d µs, which is not between 1 and %d", v.ClockError, maxClockError.Microseconds()))
	}
	n, err = leasejson.ParseNamespace(string(v.Namespace))
	if err != nil {
		return n, v, unreadable(key, "in its namespace: "+err.Error())
	}
	return n, v, nil
}

// unreadable returns the final error of a value that the protocol has not written. It quotes
// nothing of it.
func unreadable(key, why string) error {
	return fmt.Errorf("etcd: the key %.200q cannot be read: %w: %s", key, errUnreadable, why)
}

var errUnreadable = errors.New("it was not written by this package, or was changed since")

// isCluster reports whether a text is the ID of a cluster as hex writes it.
func isCluster(text string) bool {
	n, err := strconv.ParseUint(text, 16, 64)
	return err == nil && hex(n) == text
}

func hex(n uint64) string { return fmt.Sprintf("%016x", n) }
