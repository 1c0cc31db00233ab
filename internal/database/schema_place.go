package database

import (
	"fmt"
	"sync/atomic"

	"github.com/uidgen/uid/worker"
)

// A SchemaPlace is the schema in which PostgreSQL's search path first found a table. It never changes then: a table of
// the same name in an earlier schema is another table, in which the same IDs are free. The zero value has found none
// yet. Any number of goroutines may call all methods at once.
type SchemaPlace struct{ first atomic.Pointer[string] }

// Bind binds p to the first schema in which the table is found. It returns [worker.ErrState] if the table was found in
// another schema before. The schema "" is ignored.
func (p *SchemaPlace) Bind(table, schema string) error {
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

// Name returns the schema, or "" if none was found yet.
func (p *SchemaPlace) Name() string {
	if first := p.first.Load(); first != nil {
		return *first
	}
	return ""
}
