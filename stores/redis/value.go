package redis

import (
	"crypto/rand"
	"fmt"
	"strconv"

	"github.com/uidgen/uid/internal/leasejson"
	"github.com/uidgen/uid/worker/lease"
)

// Each text that is written has a random token of its own, which makes it differ from all that
// were written before: it is its own version. A script compares whole texts.

// namespaceText returns the text of a namespace.
func namespaceText(n lease.Namespace) (string, error) { return leasejson.Namespace(n, rand.Text()) }

// A change of a row is what was read, "" if there was none, and what to write.
type change struct {
	id      int64
	was, is string
	until   int64
}

// rowChange writes a row in place of a text; it has its own token.
func rowChange(id int64, was string, row lease.Row) (change, error) {
	is, err := leasejson.Row(row, rand.Text())
	if err != nil {
		return change{}, err
	}
	parsed, err := leasejson.ParseRow(id, is)
	return change{id, was, is, parsed.Until.UnixMicro()}, err
}

func (c change) args() []any {
	return []any{strconv.FormatInt(c.id, 10), c.was, c.is, strconv.FormatInt(c.until, 10)}
}

func (l *Leases) parseNamespace(text string) (lease.Namespace, error) {
	n, err := leasejson.ParseNamespace(text)
	if err != nil {
		return n, fmt.Errorf("redis: the key %s cannot be read: %w", l.keys[0], err)
	}
	return n, nil
}

func (l *Leases) parseRow(id int64, text string) (lease.Row, error) {
	row, err := leasejson.ParseRow(id, text)
	if err != nil {
		return row, l.unreadable(l.keys[1], id, err)
	}
	return row, nil
}

// unreadable returns the error of a field or member of a key.
func (l *Leases) unreadable(key string, id int64, why error) error {
	return fmt.Errorf("redis: worker ID %d in the key %s cannot be read: %w", id, key, why)
}
