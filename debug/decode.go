package debug

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/form"
)

// A decoder is a layout, and the generators that use it.
type decoder struct {
	layout     bits.Layout
	generators []string
	namespace  string // "" for any
}

// decoders returns the layouts by which UIDs are taken apart, each once.
func (h *handler) decoders() (all []decoder) {
	if !h.cfg.Layout.IsZero() {
		all = append(all, decoder{layout: h.cfg.Layout})
	}
	for _, t := range h.tracks {
		if t.source.layout.IsZero() {
			continue
		}
		i := slices.IndexFunc(all, func(d decoder) bool { return d.layout == t.source.layout })
		if i < 0 {
			if !h.cfg.Layout.IsZero() {
				continue
			}
			i = len(all)
			all = append(all, decoder{layout: t.source.layout, namespace: t.Namespace})
		}
		all[i].generators = append(all[i].generators, t.Name)
		if all[i].namespace != t.Namespace {
			all[i].namespace = ""
		}
	}
	return all
}

// A decoded is a text taken apart, in JSON: once for each form and layout that it can have.
type decoded struct {
	Readings []parts `json:"readings"`
}

// parts are a UID under a layout. Integers are texts.
type parts struct {
	Form       string   `json:"form"` // "decimal" or "base32"
	Decimal    string   `json:"decimal"`
	Base32     string   `json:"base32"`
	Layout     string   `json:"layout"`
	Generators []string `json:"generators"`
	// Problem is why the layout cannot hold the UID; the rest is empty then. Doubt is why it is
	// probably of another layout.
	Problem string   `json:"problem,omitempty"`
	Doubt   string   `json:"doubt,omitempty"`
	Time    *instant `json:"time,omitempty"`
	Unit    string   `json:"unit"`
	// Fields are the parts of the 64 bits, the highest first.
	Fields   []field  `json:"fields"`
	WorkerID string   `json:"worker"`
	Sequence string   `json:"sequence"`
	Own      []string `json:"own"` // generators of this page that have the worker ID now
	Leases   []holder `json:"leases"`
	Listed   bool     `json:"listed"` // there is a list of workers to look into
}

// A field is a run of bits with a meaning.
type field struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"` // "unused", "time", "worker" or "sequence"
	Bits  string `json:"bits"`
	Value string `json:"value"`
}

// A holder is a lease of the UID's worker ID.
type holder struct {
	leased
	// Since says that the holder had the ID at the time of the UID already; if not, somebody
	// before it made the UID.
	Since bool `json:"since"`
}

func (h *handler) serveDecode(w http.ResponseWriter, r *http.Request) {
	if len(h.layouts) == 0 {
		reply(w, http.StatusNotFound, problem{"this page has no layout to take UIDs apart by"})
		return
	}
	found, err := read(r.URL.Query().Get("uid"))
	if err != nil {
		reply(w, http.StatusBadRequest, problem{err.Error()})
		return
	}
	h.workers.look()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sample()
	d := decoded{Readings: []parts{}}
	for _, f := range found {
		for _, l := range h.layouts {
			d.Readings = append(d.Readings, h.partsLocked(f, l))
		}
	}
	reply(w, http.StatusOK, d)
}

// A text is a form that a text can have, and the UID that it then is.
type text struct {
	form string
	uid  uid.UID
}

// read returns the UIDs that a text can stand for: 13 digits can be a number in either form. Its
// errors do not repeat the text.
func read(s string) (found []text, err error) {
	s = strings.TrimSpace(s)
	u, decimal := uid.Parse(s)
	if decimal == nil {
		found = append(found, text{"decimal", u})
	}
	if u, err := form.Base32.Parse(s); err == nil {
		found = append(found, text{"base32", u})
	}
	if len(found) > 0 {
		return found, nil
	}
	const want = "a UID is 1 to 19 decimal digits, or 13 characters of base32: 0-9 and a-z without i, l, o and u"
	digits := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
	switch {
	case s == "":
		return nil, fmt.Errorf("there is no UID to take apart; %s", want)
	case digits && s[0] == '0':
		return nil, fmt.Errorf("a decimal UID does not begin with 0; %s", want)
	case digits:
		return nil, fmt.Errorf("this number is above %d, the largest UID", uid.Max)
	case len(s) != 13:
		return nil, fmt.Errorf("this has %d bytes and not only digits; %s", len(s), want)
	}
	for i := range len(s) {
		if !strings.Contains("0123456789abcdefghjkmnpqrstvwxyz", s[i:i+1]) {
			return nil, fmt.Errorf("character %d is not one of base32; %s", i+1, want)
		}
	}
	return nil, fmt.Errorf("this base32 number is above %s, the largest UID", form.Base32.Text(uid.Max))
}

// partsLocked takes a UID apart.
func (h *handler) partsLocked(t text, d decoder) parts {
	l := d.layout
	v := parts{
		Form: t.form, Decimal: t.uid.String(), Base32: form.Base32.Text(t.uid),
		Layout: l.String(), Unit: l.Unit().String(), Listed: h.workers.list != nil,
		Generators: append([]string{}, d.generators...), Fields: []field{}, Own: []string{}, Leases: []holder{},
	}
	p, err := l.Parse(t.uid)
	if err != nil {
		size := l.TimeBits() + l.WorkerBits() + l.SequenceBits()
		v.Problem = fmt.Sprintf("the layout has only %d bits: this UID is not of it", size)
		return v
	}
	when := at(p.Time)
	v.Time, v.Doubt = &when, l.Doubt(t.uid, h.cfg.Now())
	v.WorkerID, v.Sequence = decimal(p.WorkerID), decimal(p.Sequence)
	v.Fields = fields(t.uid, p, l)
	for _, g := range h.tracks {
		if g.source.layout == l && g.now.WorkerID == v.WorkerID && g.now.Reserved != nil {
			v.Own = append(v.Own, g.Name)
		}
	}
	last := p.Time.Add(max(l.Unit(), time.Second)).UnixMilli()
	for _, lease := range h.workers.leases(v.Layout, p.WorkerID, d.namespace) {
		v.Leases = append(v.Leases, holder{lease, lease.Acquired.MS <= last})
	}
	return v
}

// fields cuts the 64 bits of a UID.
func fields(u uid.UID, p uid.Parts, l bits.Layout) (all []field) {
	text := fmt.Sprintf("%064b", uint64(u))
	cut := func(name, kind string, n int, value int64) {
		if n == 0 {
			return
		}
		all = append(all, field{name, kind, text[:n], strconv.FormatInt(value, 10)})
		text = text[n:]
	}
	cut("always 0", "unused", 64-l.TimeBits()-l.WorkerBits()-l.SequenceBits(), 0)
	cut("time", "time", l.TimeBits(), l.TickAt(p.Time))
	if parts := l.Fields(); len(parts) > 0 {
		i := 0
		for name, value := range p.Machine() {
			cut(name, "worker", parts[i].Bits, value)
			i++
		}
	} else {
		cut("worker", "worker", l.WorkerBits(), p.WorkerID)
	}
	cut("sequence", "sequence", l.SequenceBits(), p.Sequence)
	return all
}
