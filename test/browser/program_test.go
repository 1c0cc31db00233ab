package browser

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/debug"
)

// A program has a page, as a user's program would. It notes what the page was told.
type program struct {
	url  string
	each func() // called at each question for the state, if it is not nil

	mu   sync.Mutex
	told []bool // for each state that the page has asked for, whether it told of an outage
}

// serve mounts a page below a prefix.
func serve(t *testing.T, cfg debug.Config) *program {
	page := must(debug.New(cfg))
	p := new(program)
	mux := http.NewServeMux()
	mux.Handle("/debug/uid/", page)
	mux.HandleFunc("/debug/uid/state", func(w http.ResponseWriter, r *http.Request) {
		if p.each != nil {
			p.each()
		}
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, r)
		p.mu.Lock()
		p.told = append(p.told, strings.Contains(answer.Body.String(), `"status":"down"`))
		p.mu.Unlock()
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	p.url = s.URL + "/debug/uid/"
	return p
}

// answers returns how many states the page has got.
func (p *program) answers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.told)
}

// until returns how many states after the first n it took until one told of an outage, with that
// one.
func (p *program) until(t *testing.T, n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.told[n:], true)
	require.GreaterOrEqual(t, i, 0, "none of %d states after the first %d told of an outage", len(p.told), n)
	return i + 1
}
