package debug

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/registry"
)

const (
	// patience is how long a list may take before the page says that there is no answer; lists
	// that are long themselves have four times what the last one took.
	patience = 750 * time.Millisecond
	// longest bounds one call of Config.Workers.
	longest = 10 * time.Second
	// stale is how old an answer is not shown any more when nobody has looked meanwhile.
	stale = 5 * time.Second
	// share is the part of the time for which lists are read: one in so many.
	share = 10
	// most is how many leases the page lists.
	most = 500
)

// Workers returns what [Config] needs to list the worker IDs of a store, such as the Registry of a sqlstore.DB. It
// needs the right to read.
func Workers(store registry.Store) func(context.Context) (registry.Overview, error) {
	return func(ctx context.Context) (registry.Overview, error) { return registry.Read(ctx, store, 0) }
}

// workersOf returns the workers of the store in which the first generator that tells of one has its lease; nil if none
// does.
func workersOf(generators []Generator) func(context.Context) (registry.Overview, error) {
	for _, g := range generators {
		of, tells := g.Generator.(interface{ Health() health.Health })
		if !tells {
			continue
		}
		if w := of.Health().Worker; w != nil {
			if leases, lists := w.Store.(interface{ Registry() registry.Store }); lists {
				return Workers(leases.Registry())
			}
		}
	}
	return nil
}

// workers reads the list of workers while somebody looks. One goroutine runs per read, and none
// between two.
type workers struct {
	list func(context.Context) (registry.Overview, error) // nil: there is no list
	hide bool
	now  func() time.Time

	mu      sync.Mutex
	running bool
	began   time.Time     // of the read under way, or the last one
	ended   time.Time     // of the last one; zero before the first
	took    time.Duration // by the last one that succeeded
	failure string        // of the last one, "" if it succeeded

	overview registry.Overview // by the last that succeeded
	good     time.Time         // when that ended; zero for never
	trouble  time.Time         // begin of the first that failed since
}

// look begins a read if one is due. It does not wait for it.
func (w *workers) look() {
	if w.list == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if w.running || !w.dueLocked(now) {
		return
	}
	if !w.ended.IsZero() && now.Sub(w.ended) > stale+share*w.took {
		w.overview, w.failure = registry.Overview{}, ""
		w.good, w.ended, w.trouble = time.Time{}, time.Time{}, time.Time{}
	}
	w.running, w.began = true, now
	go w.read()
}

// dueLocked reports whether the next read may begin.
func (w *workers) dueLocked(now time.Time) bool {
	if w.ended.IsZero() || now.Before(w.ended) { // the clock was set back
		return true
	}
	return now.Sub(w.began) >= every*9/10 && now.Sub(w.ended) >= (share-1)*w.ended.Sub(w.began)
}

func (w *workers) read() {
	o, err := w.attempt()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running, w.ended = false, w.now()
	if err != nil {
		if w.failure == "" {
			w.trouble = w.began
		}
		w.failure = err.Error()
		if w.hide {
			w.failure = hidden
		}
		return
	}
	w.overview, w.good, w.took, w.failure, w.trouble = o, w.ended, w.ended.Sub(w.began), "", time.Time{}
}

// attempt calls the function, and makes an error of a panic: it must not end the program that only
// shows a page.
func (w *workers) attempt() (o registry.Overview, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the list of workers panicked: %v", r)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	return w.list(ctx)
}

// An answer says whether the workers' store answers.
type answer struct {
	Status  string `json:"status"` // "reading" at first, "up" or "down"
	Since   int64  `json:"since,omitempty"`
	Good    int64  `json:"good,omitempty"` // when the last list came
	Failure string `json:"failure,omitempty"`
	// Clock is by how many ms the store's clock is ahead of this process's.
	Clock int64 `json:"clock"`
}

// answer returns nil if there is no list.
func (w *workers) answer() *answer {
	if w.list == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	a := &answer{Status: "up", Failure: w.failure}
	if !w.good.IsZero() {
		a.Good = w.good.UnixMilli()
		a.Clock = w.overview.Now.Sub(w.good).Milliseconds()
	}
	waits := w.now().Sub(w.began)
	switch {
	case w.failure != "":
		a.Status, a.Since = "down", w.trouble.UnixMilli()
	case w.running && waits > max(patience, 4*w.took):
		a.Status, a.Since = "down", w.began.UnixMilli()
		a.Failure = fmt.Sprintf("no answer within %v", max(patience, 4*w.took).Round(time.Millisecond))
	case w.good.IsZero():
		a.Status = "reading"
	}
	return a
}

// A leased is a lease for the page.
type leased struct {
	Namespace string  `json:"namespace"`
	WorkerID  string  `json:"worker"`
	State     string  `json:"state"`
	Released  bool    `json:"released,omitempty"`
	Holder    string  `json:"holder,omitempty"`
	Acquired  instant `json:"acquired"`
	Renewed   instant `json:"renewed"`
	Until     instant `json:"until"`
}

func (w *workers) leased(l registry.LeaseInfo) leased {
	v := leased{
		Namespace: l.Namespace, WorkerID: decimal(l.WorkerID), Holder: l.Holder, State: string(l.State),
		Released: l.Released, Acquired: at(l.Acquired), Renewed: at(l.Renewed), Until: at(l.Until),
	}
	if w.hide {
		v.Holder = ""
	}
	return v
}

// leaseOf returns the lease of a generator's worker ID, or nil if that is not clear.
func (w *workers) leaseOf(t *track) *leased {
	found := w.leases(t.source.layout.String(), t.now.id, t.Namespace)
	if len(found) != 1 {
		return nil
	}
	return &found[0]
}

// leases returns the leases of a worker ID of a layout, in one namespace or, for "", in all.
func (w *workers) leases(layout string, id int64, namespace string) (found []leased) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.overview.Leases {
		if l.WorkerID == id && l.Layout == layout && (namespace == "" || l.Namespace == namespace) {
			found = append(found, w.leased(l))
		}
	}
	return found
}

// A roster is the JSON of all leases.
type roster struct {
	Now        int64    `json:"now"`
	Read       int64    `json:"read,omitempty"` // 0 before the first list
	Clock      int64    `json:"clock"`
	Hidden     bool     `json:"hidden"` // the holders are
	Namespaces []space  `json:"namespaces"`
	Leases     []leased `json:"leases"`
	More       int      `json:"more"` // leases that are left out
	Disposable string   `json:"disposable,omitempty"`
	Own        []string `json:"own"` // the disposable IDs of this process's generators
}

type space struct {
	Name        string `json:"name"`
	Layout      string `json:"layout"`
	IDs         string `json:"ids,omitempty"`
	Live        int64  `json:"live"`
	Quarantined int64  `json:"quarantined"`
	Free        int64  `json:"free"`
}

func (h *handler) serveWorkers(w http.ResponseWriter) {
	if h.cfg.Workers == nil {
		reply(w, http.StatusNotFound, problem{"this page has no list of workers"})
		return
	}
	h.workers.look()
	list := h.workers.roster()
	list.Own = h.disposable()
	reply(w, http.StatusOK, list)
}

func (w *workers) roster() roster {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := roster{Now: w.now().UnixMilli(), Hidden: w.hide, Namespaces: []space{}, Leases: []leased{}}
	if w.good.IsZero() {
		return r
	}
	r.Read, r.Clock = w.good.UnixMilli(), w.overview.Now.Sub(w.good).Milliseconds()
	for _, n := range w.overview.Namespaces {
		s := space{Name: n.Namespace, Layout: n.Layout, Live: n.Live, Quarantined: n.Quarantined, Free: n.Free}
		if n.IDs.Last > 0 {
			s.IDs = fmt.Sprintf("%d–%d", n.IDs.First, n.IDs.Last)
		}
		r.Namespaces = append(r.Namespaces, s)
	}
	all := slices.Clone(w.overview.Leases)
	slices.SortStableFunc(all, func(a, b registry.LeaseInfo) int { return cmp.Compare(rank[a.State], rank[b.State]) })
	r.More = max(0, len(all)-most)
	for _, l := range all[:len(all)-r.More] {
		r.Leases = append(r.Leases, w.leased(l))
	}
	if n := w.overview.Nodes; n != nil {
		r.Disposable = decimal(n.Used())
	}
	return r
}

// rank has those first that matter most; those of other states are among the living.
var rank = map[registry.State]int{registry.Live: 0, registry.Quarantined: 1, registry.Free: 2}
