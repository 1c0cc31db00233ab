package storetest

import (
	"maps"
	"slices"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/worker/lease"
)

// grows is wrong in which IDs are new, or in what it makes of them. looks returns what Take looks at.
func grows(looks func(s *space) *space, f func(s *space, ch *change)) wrongStore {
	return picks(func(p pick) (change, error) {
		ch, err := looks(p.space).free(p.wants, p.now)
		ch.space = p.space
		if err == nil && ch.row.version == 0 {
			f(p.space, &ch)
		}
		return ch, err
	})
}

func same(s *space) *space { return s }

// only is wrong in how many rows it makes.
func only(last func(made lease.Range) int64) wrongStore {
	return grows(same, func(_ *space, ch *change) {
		ch.fresh.Last = last(ch.fresh)
		ch.given = ch.fresh.Last
	})
}

// wrongNews are wrong in which IDs are new, and what becomes of them.
func wrongNews() map[string]wrongStore {
	highest := func(s *space) int64 { return slices.Max(append(slices.Collect(maps.Keys(s.rows)), -1)) }
	gap := func(s *space, ch *change) {
		for id := range ch.id {
			if _, found := s.rows[id]; !found {
				row := record[row]{value: leasestore.NewRow(id)}
				ch.row, ch.id, ch.fresh = &row, id, lease.Range{}
				ch.given = ch.namespace.value.Given
				return
			}
		}
	}
	return map[string]wrongStore{
		"Take makes one row":        only(func(made lease.Range) int64 { return made.First }),
		"Take makes a row too many": only(func(made lease.Range) int64 { return made.Last + 1 }),
		"Take always makes 16 rows": only(func(made lease.Range) int64 { return min(made.Last, made.First+15) }),
		"Take makes new rows whatever is free": picks(func(p pick) (change, error) {
			ch, err := p.free(p.wants, p.now)
			if err != nil {
				return ch, err
			}
			if made, some := ch.namespace.value.NewIDs(p.wants.IDs); some && ch.row.value.Unused() {
				row := record[row]{value: leasestore.NewRow(made.First)}
				ch.row, ch.id, ch.fresh, ch.given = &row, made.First, made, made.Last
			}
			return ch, err
		}),
		"Take offers a new ID first": grows(func(s *space) *space {
			if len(s.rows) < 20 {
				return s
			}
			is := *s
			is.rows = nil
			return &is
		}, func(*space, *change) {}),
		"Init sets Given as decide has it": after("Init", func(k *attempt, err error) error {
			if n, found := k.m.Namespace(k.namespace); err == nil && found {
				n.Given = k.wroteNamespace.Given
				k.m.SetNamespace(k.namespace, n)
			}
			return err
		}),
		"a gap is offered as new": grows(same, gap),
		"a gap is offered as new when there is nothing else": picks(func(p pick) (change, error) {
			ch, err := p.free(p.wants, p.now)
			for id := p.wants.IDs.First; err != nil && id <= p.wants.IDs.Last; id++ {
				if _, found := p.rows[id]; !found {
					return p.takes(record[row]{value: leasestore.NewRow(id)}), nil
				}
			}
			return ch, err
		}),
		"new IDs begin above the highest row": grows(func(s *space) *space {
			return s.as(func(n *common) { n.Given = -1 })
		}, func(*space, *change) {}),
		"rows are made and Given is not raised":    grows(same, func(_ *space, ch *change) { ch.given = -1 }),
		"Given is raised to the row that is taken": grows(same, func(_ *space, ch *change) { ch.given = ch.id }),
		"none free names no missing row": picks(func(p pick) (change, error) {
			ch, err := p.free(p.wants, p.now)
			if err != nil && len(p.in) > 0 {
				return ch, leasestore.NoneFree(p.wants.IDs, late.Add(p.now.Error), nil)
			}
			return ch, err
		}),
		"Take makes rows whose reply was lost alone": after("Take", func(k *attempt, err error) error {
			if isLost(err) {
				k.m.SetRow(k.namespace, leasestore.NewRow(3))
			}
			return err
		}),
		"Take raises Given alone": after("Take", func(k *attempt, err error) error {
			if n, found := k.m.Namespace(k.namespace); err != nil && found && n.Given < 0 {
				n.Given = 9
				k.m.SetNamespace(k.namespace, n)
			}
			return err
		}),
		"Take overwrites rows above Given": grows(func(s *space) *space {
			is := *s
			is.rows = maps.Clone(s.rows)
			maps.DeleteFunc(is.rows, func(id int64, _ record[row]) bool { return id > s.namespace.value.Given })
			return &is
		}, func(s *space, ch *change) {
			ch.row.version = s.rows[ch.id].version
			for id := range ch.others() {
				delete(s.rows, id)
			}
		}),
		"Take begins at Given, and stores nothing over a row": grows(same, func(s *space, ch *change) {
			if given := s.namespace.value.Given; given < highest(s) {
				*ch = change{space: s, namespace: ch.namespace, row: ch.row, given: ch.given}
				ch.row.value.WorkerID, ch.id = given+1, given+1
				for s.rows[ch.id].version > 0 {
					ch.id++
				}
				ch.row.value.WorkerID = ch.id
			}
		}),
		"a Given that was seen is not kept where no row is made": picks(func(p pick) (change, error) {
			ch, err := p.free(p.wants, p.now)
			if ch.fresh == (lease.Range{}) {
				ch.given = p.namespace.value.Given
			}
			return ch, err
		}),
	}
}
