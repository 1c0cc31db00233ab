package doctor

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
)

// checkFinding requires a complete finding of the level, with the words in its texts.
func checkFinding(t *testing.T, f Finding, level Level, words ...string) {
	t.Helper()
	require.Equal(t, level, f.Level, "%+v", f)
	require.NotEmpty(t, f.What)
	require.NotEmpty(t, f.Value)
	require.Equal(t, level == LevelOK, f.Why == "", "%+v", f)
	require.Equal(t, level == LevelOK, f.Do == "", "%+v", f)
	for _, w := range words {
		require.Contains(t, f.Value+"\n"+f.Why+"\n"+f.Do, w)
	}
}

// fake is a store with scripted answers.
type fake struct {
	registry.Store
	names      []string
	clock      storage.Clock
	pages      map[string]registry.Page
	nodes      *registry.NodeInfo
	errs       map[string][]error // by method; the last one stays
	found      []Finding
	examinedBy Config
}

func (f *fake) fails(method string) error {
	errs := f.errs[method]
	if len(errs) > 1 {
		f.errs[method] = errs[1:]
	}
	if len(errs) == 0 {
		return nil
	}
	return errs[0]
}

func (f *fake) Namespaces(context.Context) ([]string, storage.Clock, error) {
	return f.names, f.clock, f.fails("Namespaces")
}

func (f *fake) Rows(_ context.Context, namespace string, _ int64, _ int) (registry.Page, error) {
	return f.pages[namespace], f.fails("Rows")
}

func (f *fake) Nodes(context.Context) (registry.NodeInfo, bool, error) {
	if err := f.fails("Nodes"); err != nil || f.nodes == nil {
		return registry.NodeInfo{}, false, err
	}
	return *f.nodes, true, nil
}

func (f *fake) Examine(_ context.Context, cfg Config) ([]Finding, error) {
	f.examinedBy = cfg
	return f.found, f.fails("Examine")
}

func TestCheck(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	refused := errors.New("access denied")
	passing := worker.Transient(errors.New("no leader"))
	sound := func() *fake {
		clock := storage.Clock{Now: now}
		page := registry.Page{Namespace: storage.Namespace{Layout: "x", Given: -1}, Clock: clock}
		return &fake{
			names: []string{"default"}, clock: clock, pages: map[string]registry.Page{"default": page},
			nodes: &registry.NodeInfo{Rows: 1, Last: 1, Next: 2}, errs: map[string][]error{},
			found: []Finding{{LevelOK, "server", "a fake", "", ""}},
		}
	}
	fails := func(call string, errs ...error) func(*fake) { return func(f *fake) { f.errs[call] = errs } }
	// "spaces of worker IDs" has a note for disposable ones beside leases.
	const server, nodes, leases, spaces = "server ok", "disposable IDs ok", "leased IDs ok", "spaces of worker IDs "
	all := []string{server, "clocks ok", nodes, leases, spaces + "note"}
	for name, tt := range map[string]struct {
		change func(*fake)
		want   []string
	}{
		"sound": {nil, all},
		"no place of leases": {fails("Namespaces", worker.ErrNoNamespace),
			[]string{"leased IDs note", server, "clocks ok", nodes, spaces + "ok"}},
		"no place of nodes": {func(f *fake) { f.nodes = nil },
			[]string{"disposable IDs note", server, "clocks ok", leases, spaces + "ok"}},
		"nodes refused": {fails("Nodes", refused), []string{"disposable IDs error", server, "clocks ok", leases}},
		"rows refused":  {fails("Rows", refused), []string{"leased IDs error", server, "clocks ok", nodes}},
		"names refused": {fails("Namespaces", refused), []string{"leased IDs error", server, "clocks ok", nodes}},
		"no clock after all": {func(f *fake) { f.clock = storage.Clock{} },
			[]string{server, "clocks note", nodes, leases, spaces + "note"}},
		"a failure that passes": {fails("Namespaces", passing, nil), all},
		"one of the examiner":   {fails("Examine", passing, nil), all},
		"one of the clocks":     {fails("Namespaces", nil, passing, nil), all},
		"one of the nodes":      {fails("Nodes", passing, nil), all},
		"a clock of yesterday": {func(f *fake) { f.clock.Now = now.Add(-24 * time.Hour) },
			[]string{server, "clocks error", nodes, leases, spaces + "note"}},
		"a clock that may be off": {func(f *fake) { f.clock.Error = time.Second },
			[]string{server, "clocks note", nodes, leases, spaces + "note"}},
		"the examiner finds a bad": {func(f *fake) { f.found = []Finding{{LevelError, "fsync", "off", "why", "do"}} },
			[]string{"fsync error", "clocks ok", nodes, leases, spaces + "note"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := sound()
				if tt.change != nil {
					tt.change(f)
				}
				cfg := Config{Now: func() time.Time { return now }, Never: true, Logger: slog.New(slog.DiscardHandler)}
				findings, err := Check(t.Context(), f, cfg)
				require.NoError(t, err)
				var got []string
				for _, f := range findings {
					got = append(got, f.What+" "+string(f.Level))
					checkFinding(t, f, f.Level)
				}
				require.Equal(t, tt.want, got)
				require.True(t, f.examinedBy.Never)
				require.Equal(t, slices.Contains(tt.want, nodes), f.examinedBy.Disposable != nil)
				require.NotNil(t, f.examinedBy.Logger)
			})
		})
	}

	// A store that is only a registry.Store.
	findings, err := Check(t.Context(), struct{ registry.Store }{sound()}, Config{Now: func() time.Time { return now }})
	require.NoError(t, err)
	require.Len(t, findings, 3)

	for _, change := range []func(*fake){
		func(f *fake) { f.errs["Namespaces"], f.clock = []error{refused}, storage.Clock{} }, // it cannot be asked
		fails("Examine", refused),
	} {
		f := sound()
		change(f)
		findings, err := Check(t.Context(), f, Config{})
		logtest.Error(t, err, refused, "check the store: ")
		require.Empty(t, findings)
	}
}

func TestCheckRefuses(t *testing.T) {
	_, err := Check(t.Context(), nil, Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	for _, cfg := range []Config{{MaxWorkerID: -1}, {Timeout: -1}} {
		_, err := Check(t.Context(), &fake{}, cfg)
		logtest.Error(t, err, uid.ErrConfig, "-1")
	}
}
