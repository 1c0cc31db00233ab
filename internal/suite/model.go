package suite

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// A Model is what a store has to hold after calls that were made one after another, or one within another's
// decide. Every call of a probe is judged by it, but those of a history.
type Model struct {
	p *Probe

	mu   sync.Mutex
	sets int             // how often anything was set
	now  map[string]held // by key
	open []*Operation    // whose writes may still be stored
}

// held is what a key has, how often it was written, and the briefs of what it had before.
type held struct {
	text   string
	writes int
	was    map[string]bool
}

func (*Model) begins(*Operation) {}

// sees judges what is offered: what was written last, or what an open operation may have written since. What was
// there before may be offered, if nothing comes of it.
func (m *Model) sees(o *Operation, key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := o.On[key]
	a.version = m.now[key].writes
	if is := m.now[key]; a.Saw != is.text {
		late := slices.IndexFunc(m.open, func(o *Operation) bool {
			return o.On[key].Writes && o.On[key].Wrote == a.Saw
		})
		wrong := fmt.Sprintf("%s offers under %s what is not there: %s", o.Name, key, Differs(a.Saw, is.text))
		switch {
		case late >= 0:
			m.store(m.open[late])
			a.version = m.now[key].writes
		case is.was[m.p.brief(a.Saw)]:
			o.doubts = append(o.doubts, wrong)
		default:
			m.p.Errorf("%s", wrong)
			m.set(key, a.Saw)
			a.version = m.now[key].writes
		}
	}
	o.On[key] = a
}

// ends judges the outcome: nothing is stored if something that it replaces was written since it was read.
func (m *Model) ends(o *Operation, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if o.Result != Open {
		for _, wrong := range o.doubts {
			m.p.Errorf("%s", wrong)
		}
	}
	var late []string
	for key, a := range o.On {
		if a.Writes && a.version != m.now[key].writes && !a.begun(m.now[key].text) {
			late = append(late, key)
		}
	}
	switch {
	case o.Result == Stored && len(late) > 0:
		m.p.Errorf("%s has stored what was decided about %q, which was written or lost since it was read", o.Name, late)
		m.store(o)
	case o.Result == Stored:
		m.store(o)
	case o.Result == Open && len(late) == 0:
		m.open = append(m.open, o)
	}
}

// store is called under m.mu.
func (m *Model) store(o *Operation) {
	for key, a := range o.On {
		if a.Writes && (a.First == "" || a.Wrote != m.now[key].text) {
			m.set(key, a.Wrote)
		}
	}
}

// set is called under m.mu. What was to replace something else can no longer be stored.
func (m *Model) set(key, text string) {
	was := m.now[key].was
	if was == nil {
		was = map[string]bool{}
	}
	was[m.p.brief(m.now[key].text)] = true
	m.now[key] = held{text, m.now[key].writes + 1, was}
	m.sets++
	var open []*Operation
	for _, o := range m.open {
		switch a := o.On[key]; {
		case !a.Writes || a.begun(text):
			open = append(open, o)
		case a.First != "" && len(o.On) > 1: // the rest may have been stored before this
			rest := *o
			rest.On = maps.Clone(o.On)
			delete(rest.On, key)
			open = append(open, &rest)
		}
	}
	m.open = open
}

// begun reports whether a text is what is written first.
func (a Access) begun(text string) bool { return a.First != "" && a.First == text }

// Set notes that somebody has written a text without a call.
func (m *Model) Set(key, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(key, text)
}

// Text returns what a key has.
func (m *Model) Text(key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now[key].text
}

// Texts returns all that is there, by key.
func (m *Model) Texts() map[string]string {
	texts := map[string]string{}
	m.Each(func(key, text string) { texts[key] = text })
	return texts
}

// Sets returns how often anything was set: what is there is the same as long as that is.
func (m *Model) Sets() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sets
}

// Each calls do with each key and its text. Some of it may have been written since by an open operation.
func (m *Model) Each(do func(key, text string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, h := range m.now {
		if h.text != "" {
			do(key, h.text)
		}
	}
}

// Backup returns what notes that all writes since are lost, and all that were on their way.
func (m *Model) Backup() (restore func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	texts := maps.Clone(m.now)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		for key := range m.now {
			m.set(key, texts[key].text)
		}
		m.open = nil
	}
}
