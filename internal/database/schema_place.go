package database

import (
	"fmt"
	"sync/atomic"

	"github.com/uidgen/uid/worker"
)

// A SchemaPlace is the schema in which the search path of PostgreSQL has found a table first. It never
// changes then: a table of the same name in a schema that comes earlier is another one, in which the
// same IDs are free. The zero value has found none yet. All methods may be called by any number of
// goroutines at once.
type SchemaPlace struct{ first atomic.Pointer[string] }

// Find returns an error that wraps [worker.ErrState] when the table was found in another schema
// before. "" is no schema.
func (p *SchemaPlace) Find(table, schema string) error {
	if schema == "" {
		return nil
	}
	p.first.CompareAndSwap(nil, &schema)
	if first := *p.first.Load(); first != schema {
		return fmt.Errorf("%w: the search path finds table %s in the schema %s now, "+
			"and has found it in %s before: name that one first in search_path",
			worker.ErrState, table, schema, first)
	}
	return nil
}

// Found returns the schema, or "".
func (p *SchemaPlace) Found() string {
	if first := p.first.Load(); first != nil {
		return *first
	}
	return ""
}
