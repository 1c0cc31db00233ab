package debug

import (
	"net/http"
	"strconv"
	"time"
)

// A state is the JSON that an open page asks for twice a second.
type state struct {
	Handler string  `json:"handler"`
	Title   string  `json:"title"`
	Now     int64   `json:"now"`   // ms since 1970
	Every   int64   `json:"every"` // ms until the page asks again
	Decodes bool    `json:"decodes"`
	Workers *answer `json:"workers,omitempty"` // nil: the page has no list of workers
	// Next is what the page sends as since next time.
	Next int       `json:"next"`
	All  []tracked `json:"generators"`
}

// tracked is one generator's part of a state.
type tracked struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Layout string `json:"layout,omitempty"`
	reading
	// Rate is the newest average, in UIDs a second; -1 where there is none.
	Rate float64 `json:"rate"`
	// Points are the rates after those that the page has, each as from and to, in ms since 1970,
	// and UIDs a second.
	Points [][3]float64 `json:"points"`
	Lease  *leased      `json:"lease,omitempty"`
}

func (h *handler) serveState(w http.ResponseWriter, r *http.Request) {
	since, err := sinceOf(r)
	if err != nil {
		reply(w, http.StatusBadRequest, problem{"since is a number of points, from 0 on, for each generator"})
		return
	}
	h.workers.look()
	reply(w, http.StatusOK, h.state(since))
}

// state returns the state with the points after the first since of each generator.
func (h *handler) state(since int) state {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sample()
	s := state{
		Handler: h.id, Title: h.cfg.Title, Now: h.cfg.Now().UnixMilli(), Every: every.Milliseconds(),
		Decodes: len(h.layouts) > 0, Workers: h.workers.answer(), All: []tracked{},
	}
	for _, t := range h.tracks {
		v := tracked{Name: t.Name, Kind: t.source.kind, reading: t.now, Rate: -1, Points: [][3]float64{}}
		s.Next = max(s.Next, t.history.count)
		if !t.source.layout.IsZero() {
			v.Layout = t.source.layout.String()
			v.Lease = h.workers.leaseOf(t)
		}
		if p, ok := t.history.newest(); ok {
			v.Rate = p.rate
		}
		for _, p := range t.history.after(since) {
			v.Points = append(v.Points, [3]float64{stamp(p.from), stamp(p.to), p.rate})
		}
		s.All = append(s.All, v)
	}
	return s
}

// disposable returns the disposable worker IDs of the generators.
func (h *handler) disposable() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids := []string{}
	for _, t := range h.tracks {
		if t.now.disposable {
			ids = append(ids, t.now.WorkerID)
		}
	}
	return ids
}

// sinceOf reads how many points of each generator the page has: all have as many, since one sample
// adds to all.
func sinceOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("since")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err
}

func stamp(t time.Time) float64 { return float64(t.UnixMilli()) }

func format(n uint64) string { return strconv.FormatUint(n, 10) }
