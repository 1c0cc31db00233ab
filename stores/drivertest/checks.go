package drivertest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
)

// A probe is one run of a check.
type probe struct {
	*suite.Probe
	Subject
}

// checks are about the methods of a driver alone, ordered so that the first failure says most. What else a Clock has to
// be, and that a Name is the same everywhere, package storetest looks at.
var checks = []suite.Check[*probe]{
	{Name: "records", Contract: "Read returns a record for each of the Keys, there or not; what is written is read " +
		"as it was", Run: records},
	{Name: "ranges", Contract: "the first keys from First to Last, both included, in the order of their bytes, Limit " +
		"at most", Run: ranges},
	{Name: "refused writes", Contract: "Write stores nothing but rows that are new if a record is not as it was " +
		"read, and answers Otherwise", Run: refuses},
	{Name: "many records", Contract: "100 rows that are new, their namespace, and 66 keys and a range of Otherwise " +
		"are within one Write; a row that is there stays, and so does the namespace then", Run: many},
	{Name: "writes at once", Contract: "of those that have read the same one is stored; all that is read is of one " +
		"time", Run: atOnce},
	{Name: "old answers", Contract: "an Answer that is not Old has all that was acknowledged before the call; none " +
		"is Old where the Newest is asked for, and a Write that follows an old one is refused", Run: old},
	{Name: "ages", Contract: "an Answer's Clock is read in the call, after all that it has", Run: ages},
	{Name: "lost writes", Contract: "Write stores nothing if the database has lost writes since what was read",
		Run: loses},
	{Name: "contexts end", Contract: "a call returns soon after its context has ended, with an error that is marked " +
		"if that was before it",
		Run: contexts},
}

func (p *probe) open() stores.Driver {
	d, err := p.Subject.Open()
	if err != nil {
		p.Fatalf("Open: %v", err)
	}
	if p.Named(d.Name()) == "" {
		p.Errorf("Name says nothing")
	}
	return d
}

func (p *probe) read(d stores.Driver, q stores.Query) (a *stores.Answer) {
	p.Again("Read", func() (err error) {
		a, err = d.Read(p.Ctx, q)
		p.NoSecrets("Read", err)
		return err
	})
	p.answers(a, q, "Read")
	return a
}

// answers checks that an Answer is one to a Query.
func (p *probe) answers(a *stores.Answer, q stores.Query, from string) {
	if a == nil {
		p.Fatalf("%s has not answered %+v", from, q)
	}
	if len(a.Records) != len(q.Keys) || len(a.Pages) != len(q.Ranges) {
		p.Fatalf("%s answered %d keys and %d ranges with %d and %d", from, len(q.Keys), len(q.Ranges), len(a.Records),
			len(a.Pages))
	}
	for i, r := range a.Records {
		if r.Key != q.Keys[i] {
			p.Errorf("%s answered the key %s with %s", from, q.Keys[i], r.Key)
		}
	}
	for i, page := range a.Pages {
		if len(page) > q.Ranges[i].Limit {
			p.Errorf("%s: a range has %d records, its Limit is %d", from, len(page), q.Ranges[i].Limit)
		}
		last := ""
		for _, r := range page {
			if r.Key < q.Ranges[i].First || r.Key > q.Ranges[i].Last || r.Key <= last || r.Text == "" {
				p.Errorf("%s: the range %+v has, after %q, the record %+v", from, q.Ranges[i], last, r)
			}
			last = r.Key
		}
	}
	if a.Old && q.Newest {
		p.Errorf("%s: an Answer that has to be the newest is Old", from)
	}
}

// write writes texts under keys; a namespace that stays is only compared.
func (p *probe) write(d stores.Driver, a *stores.Answer, put map[string]string,
	otherwise stores.Query) (stored bool, now *stores.Answer) {
	w := stores.Write{Read: a, Otherwise: otherwise}
	for _, r := range a.Records {
		text, is := put[r.Key]
		if k, _ := stores.ParseKey(r.Key); is || k.ID < 0 && r.Text != "" {
			w.Were = append(w.Were, r)
		}
		if r.Text = text; is {
			w.Puts = append(w.Puts, r)
		}
	}
	p.Again("Write", func() (err error) {
		stored, now, err = d.Write(p.Ctx, w)
		p.NoSecrets("Write", err)
		return err
	})
	if !stored {
		p.answers(now, otherwise, "a Write that was refused")
	}
	return stored, now
}

func own(name string) string           { return stores.Key{Namespace: name, ID: -1}.String() }
func row(name string, id int64) string { return stores.Key{Namespace: name, ID: id}.String() }

// set writes texts whatever is there, and that of the namespace first.
func (p *probe) set(d stores.Driver, name string, texts map[string]string) {
	if _, there := texts[own(name)]; !there {
		texts[own(name)] = p.text()
	}
	p.puts(d, name, texts)
}

// puts writes texts one after another.
func (p *probe) puts(d stores.Driver, name string, texts map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		q := stores.Query{Keys: slices.Compact([]string{own(name), key}), Newest: true}
		a := p.read(d, q)
		for stored := false; !stored; {
			if stored, a = p.write(d, a, map[string]string{key: texts[key]}, q); !stored && p.Ctx.Err() != nil {
				p.Fatalf("Write of %s, which nobody else writes, is refused", key)
			}
		}
	}
}

// text is as texts of package stores are: JSON, and no two are alike.
func (p *probe) text() string {
	text, err := json.Marshal(map[string]string{"write": p.Token(), "text": "<&> é\n \"\\ \u2028 🦄 9007199254740993"})
	if err != nil {
		p.Fatalf("%v", err)
	}
	return string(text)
}

// expects checks what another client reads. New rows of a Write that was refused may be there.
func (p *probe) expects(when string, texts map[string]string, refused map[string]string) {
	q := stores.Query{Keys: slices.Collect(maps.Keys(texts)), Newest: true}
	for _, r := range p.read(p.open(), q).Records {
		if left := texts[r.Key] == "" && r.Text != "" && r.Text == refused[r.Key]; left && r.Bad == nil {
			continue
		}
		if r.Text != texts[r.Key] || r.Bad != nil {
			p.Errorf("%s: under %s is %.300q (%v), wanted is %.300q", when, r.Key, r.Text, r.Bad, texts[r.Key])
		}
	}
}

func records(p *probe) {
	const name = "a/b c:%d"
	texts := map[string]string{own(name): p.text(), row(name, 0): p.text(), row(name, 1<<40): p.text(),
		row(name, 7): `{"long":"` + strings.Repeat("x", 12_000) + `"}`}
	p.set(p.open(), name, texts)
	texts[row(name, 1)], texts[row(name, 1<<62)] = "", ""
	p.expects("after a Write", texts, nil)
	texts = map[string]string{own(name): p.text(), row(name, 0): p.text()}
	p.set(p.open(), name, texts)
	p.expects("after another", texts, nil)
	p.expects("in another namespace", map[string]string{own("other"): "", row("other", 0): ""}, nil)
}

func ranges(p *probe) {
	const name = "orders"
	texts := map[string]string{}
	for _, id := range []int64{0, 1, 2, 5, 9, 10, 300, 1 << 40} {
		texts[row(name, id)] = p.text()
	}
	p.set(p.open(), name, texts)
	p.set(p.open(), "orders2", map[string]string{row("orders2", 3): p.text()})
	for _, c := range []struct {
		first, last int64
		limit       int
		want        []int64
	}{
		{0, 9, 10, []int64{0, 1, 2, 5, 9}}, {1, 5, 2, []int64{1, 2}}, {1, 5, 100, []int64{1, 2, 5}}, {3, 4, 9, nil},
		{3, 1 << 41, 3, []int64{5, 9, 10}},
		{0, 1 << 62, 500, []int64{0, 1, 2, 5, 9, 10, 300, 1 << 40}}, {10, 10, 1, []int64{10}},
		{301, 1 << 62, 1, []int64{1 << 40}}, {0, 9, 0, nil},
	} {
		q := stores.Query{Keys: []string{own(name)}, Newest: true,
			Ranges: []stores.Range{{First: row(name, c.first), Last: row(name, c.last), Limit: c.limit}}}
		var got []int64
		for _, r := range p.read(p.open(), q).Pages[0] {
			k, _ := stores.ParseKey(r.Key)
			if got = append(got, k.ID); r.Text != texts[r.Key] {
				p.Errorf("under %s is %q, wanted is %q", r.Key, r.Text, texts[r.Key])
			}
		}
		if !slices.Equal(got, c.want) {
			p.Errorf("up to %d rows from %d to %d are %v, wanted are %v", c.limit, c.first, c.last, got, c.want)
		}
	}
}

func refuses(p *probe) {
	const name = "orders"
	d, other := p.open(), p.open()
	p.set(d, name, map[string]string{row(name, 0): p.text(), row(name, 1): p.text()})
	for what, meddles := range map[string][]int{ // with which of the keys
		"the namespace": {0}, "a row that is there": {1}, "what is new": {2}, "all of that": {0, 1, 2},
		"nothing of it": nil, "a row that was not looked at": {3},
	} {
		for _, puts := range [][]int{{1}, {0, 2}, {2}} { // which of them a Write is about
			keys := []string{own(name), row(name, 0), row(name, rand.Int64N(1<<40)+100), row(name, 1)}
			q := stores.Query{Keys: keys[:3], Newest: true,
				Ranges: []stores.Range{{First: row(name, 0), Last: row(name, 99), Limit: 100}}}
			a, all := p.read(d, q), p.read(other, stores.Query{Keys: keys, Newest: true})
			texts, meddled, put := map[string]string{}, map[string]string{}, map[string]string{}
			for _, r := range all.Records {
				texts[r.Key] = r.Text
			}
			for _, i := range meddles {
				meddled[keys[i]] = p.text()
			}
			p.puts(other, name, meddled)
			maps.Copy(texts, meddled)
			same := true
			for _, i := range puts {
				put[keys[i]] = p.text()
			}
			for _, i := range meddles {
				same = same && i != 0 && !slices.Contains(puts, i)
			}
			stored, now := p.write(d, a, put, q)
			if stored != same {
				p.Errorf("another client has written %s, and a Write of %v is stored: %v", what, puts, stored)
			}
			if stored {
				maps.Copy(texts, put)
				put = nil
			} else if now.Records[1].Text != texts[keys[1]] || now.Records[0].Text != texts[keys[0]] {
				p.Errorf("another client has written %s, and the answer to a refused Write does not have it", what)
			}
			p.expects("another client has written "+what, texts, put)
		}
	}
}

func many(p *probe) {
	const name = "orders"
	d := p.open()
	p.set(d, name, map[string]string{row(name, 0): p.text()})
	q := stores.Query{Keys: []string{own(name)}, Newest: true}
	otherwise := stores.Query{Keys: []string{own(name)},
		Ranges: []stores.Range{{First: row(name, 0), Last: row(name, 99), Limit: 100}}, Newest: true}
	ours, texts := p.text(), map[string]string{own(name): p.text()}
	p.set(d, name, map[string]string{own(name): ours})
	for id := range int64(100) {
		texts[row(name, 100+id)] = p.text()
		q.Keys = append(q.Keys, row(name, 100+id))
		if id < 65 {
			otherwise.Keys = append(otherwise.Keys, row(name, id))
		}
	}
	a := p.read(d, stores.Query{Keys: []string{own(name)}, Newest: true})
	for _, key := range q.Keys[1:] {
		a.Records = append(a.Records, stores.Record{Key: key}) // as of rows that no range has shown
	}
	theirs := p.text()
	p.puts(p.open(), name, map[string]string{row(name, 199): theirs})
	if stored, _ := p.write(d, a, texts, otherwise); stored {
		p.Errorf("a Write of 100 rows is stored though one of them is there")
	}
	p.expects("a Write of 100 rows is refused", map[string]string{own(name): ours, row(name, 100): "",
		row(name, 150): "", row(name, 198): "", row(name, 199): theirs}, texts)
	a = p.read(d, q)
	put := maps.Clone(texts)
	for _, r := range a.Records[1:] {
		if r.Text != "" {
			delete(put, r.Key)
			texts[r.Key] = r.Text
		}
	}
	if stored, _ := p.write(d, a, put, otherwise); !stored {
		p.Errorf("a Write of 99 rows is refused though nobody else has written")
	}
	p.expects("a Write of 99 rows", texts, nil)
}

// atOnce raises a number in the namespace, each time with a row that is new.
func atOnce(p *probe) {
	const name, clients, times = "orders", 6, 8
	q := stores.Query{Keys: []string{own(name)}, Newest: true,
		Ranges: []stores.Range{{First: row(name, 1), Last: row(name, 100), Limit: 100}}}
	number := func(r stores.Record) (n int) { _, _ = fmt.Sscanf(r.Text, `{"n":%d`, &n); return n }
	p.set(p.open(), name, map[string]string{own(name): `{"n":0,"write":"a"}`})
	p.Each(clients, func(int) {
		d := p.open()
		a := p.read(d, q)
		for range times {
			for stored := false; !stored; {
				n, rows := number(a.Records[0]), a.Pages[0]
				if n > len(rows) && !a.Old {
					p.Fatalf("the namespace is read as of %d Writes, with rows of %d", n, len(rows))
				}
				text := fmt.Sprintf(`{"n":%d,"write":"%s"}`, n+1, p.Token())
				put, next := map[string]string{own(name): text}, stores.Record{Key: row(name, int64(n)+1)}
				if !slices.ContainsFunc(rows, func(r stores.Record) bool { return r.Key == next.Key }) {
					put[next.Key] = text
					a.Records = append(a.Records, next)
				}
				if stored, a = p.write(d, a, put, q); stored {
					a = p.read(d, q)
				}
			}
		}
	})
	a := p.read(p.open(), q)
	if n := number(a.Records[0]); n != clients*times || len(a.Pages[0]) != n {
		p.Errorf("%d Writes were stored, each of which raised a number by 1: it is %d, with %d rows", clients*times, n,
			len(a.Pages[0]))
	}
}

// old looks whether clients that have read before, and others, are told of what another one has written
// since.
func old(p *probe) {
	const name = "orders"
	writer, known := p.open(), p.open()
	texts := map[string]string{own(name): "", row(name, 0): "", row(name, 5): "", row(name, 7): ""}
	q := stores.Query{Keys: slices.Sorted(maps.Keys(texts)),
		Ranges: []stores.Range{{First: row(name, 0), Last: row(name, 99), Limit: 100}}}
	stale := func(a *stores.Answer) (is bool) {
		there := map[string]string{}
		for _, r := range a.Pages[0] {
			there[r.Key] = r.Text
		}
		for _, r := range a.Records {
			k, _ := stores.ParseKey(r.Key)
			is = is || r.Text != texts[r.Key] || k.ID >= 0 && there[r.Key] != texts[r.Key]
		}
		return is
	}
	for _, id := range []int64{-1, 0, 5, 0, -1, 7} { // made, written again, and put beside
		for _, d := range []stores.Driver{known, p.open()} {
			key := stores.Key{Namespace: name, ID: id}.String()
			written := map[string]string{own(name): p.text(), key: p.text()}
			p.set(writer, name, maps.Clone(written))
			maps.Copy(texts, written)
			for _, q.Newest = range []bool{false, true} {
				a := p.read(d, q)
				if !stale(a) {
					continue
				}
				if !a.Old {
					p.Errorf("an Answer that is not Old does not have another client's Write of %s: %.300v", key, a)
				}
				// A Write names what it puts, and a namespace that was there.
				named := slices.ContainsFunc(a.Records, func(r stores.Record) bool {
					return r.Text != texts[r.Key] && (r.Key == key || r.Key == own(name) && r.Text != "")
				})
				if !named {
					continue
				}
				if stored, _ := p.write(d, a, map[string]string{key: p.text()}, q); stored {
					p.Errorf("a Write is stored after an Answer that did not have another client's Write of %s", key)
				}
			}
		}
	}
}

// ages compares the Clock of an Answer with those that another client reads before and after the call.
func ages(p *probe) {
	const name = "orders"
	d, other := p.open(), p.open()
	p.set(other, name, map[string]string{})
	q := stores.Query{Keys: []string{own(name)}, Newest: true}
	was := p.read(d, q)
	p.set(other, name, map[string]string{})
	refused := func() *stores.Answer {
		_, now := p.write(d, was, map[string]string{own(name): p.text()}, q)
		return now
	}
	for i, call := range []func() *stores.Answer{func() *stores.Answer { return p.read(d, q) }, refused, refused} {
		first := p.read(other, q).Clock
		if p.Advance != nil {
			p.Advance(time.Hour)
			first.Now = first.Now.Add(time.Hour)
		}
		a := call()
		if a == nil {
			p.Fatalf("what was decided before another client's Write is stored")
		}
		is, last, off := a.Clock, p.read(other, q).Clock, 2*a.Clock.Error
		if is.Now.Before(first.Now.Add(-off)) || is.Now.After(last.Now.Add(off)) {
			p.Errorf("Answer %d has the Clock %v, for others it was from %v to %v", i+1, is, first, last)
		}
	}
}

func loses(p *probe) {
	if !p.Can(p.Backup != nil, "the Subject has no Backup") {
		return
	}
	const name = "orders"
	d := p.open()
	q := stores.Query{Keys: []string{own(name)}, Newest: true}
	p.set(d, name, map[string]string{})
	a := p.read(d, q)
	p.Backup()()
	stored, now := p.write(d, a, map[string]string{own(name): p.text()}, q)
	if stored {
		p.Errorf("what was decided before writes were lost is stored")
	} else if now.Clock.History == a.Clock.History && !d.Durable() && now.Clock.History != "" {
		p.Errorf("writes were lost, and the History is %q as before", now.Clock.History)
	}
}

func contexts(p *probe) {
	d := p.open()
	q := stores.Query{Keys: []string{own("orders")}}
	a := p.read(d, q)
	put := a.Records[0]
	put.Text = p.text()
	ended, cancel := context.WithCancel(p.Ctx)
	cancel()
	_, err := d.Read(ended, q)
	_, _, err2 := d.Write(ended, stores.Write{Read: a, Were: a.Records, Puts: []stores.Record{put}, Otherwise: q})
	for _, err := range []error{err, err2} {
		if !retry.IsTransient(err) {
			p.Errorf("a call whose context had ended came to %v, which is not marked as one that may pass", err)
		}
	}
}
