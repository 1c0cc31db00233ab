package promise

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A verdict is what the promise says of a fault, for one way to get a worker ID.
type verdict int

const (
	vUnique     verdict = iota // no UID comes twice
	vUniqueIf                  // none does under a condition; without it the test finds duplicates
	vNotCovered                // the test finds duplicates
	vNoPart                    // the fault is of something that the way does not use
)

// A cell of the matrix is a verdict.
type cell struct {
	verdict verdict
	note    string // the condition, why it is not covered, or what is worth knowing
}

// A fault is a row of the matrix. The play makes it happen to the processes of a scene,
// which draw before, meanwhile and after.
type fault struct {
	name  string // as in the name of a test
	title string
	what  string // what the test does, in a sentence or two
	play  func(s *scene)
	whole bool     // of a store of keys, servers of its own are kept and put back
	crowd int      // how many other processes draw all the time, besides those of the play
	cells verdicts // by column, or by way where its two databases differ
	also  []string // tests with real processes that show the same: folder, space, name
}

// verdicts are those of a fault's cells.
type verdicts map[string]cell

// but has another cell for some columns or ways.
func (vs verdicts) but(c cell, keys ...string) verdicts {
	for _, key := range keys {
		vs[key] = c
	}
	return vs
}

// A chapter is a table of the page.
type chapter struct {
	title  string
	faults []fault
}

var matrix = []chapter{
	{"Processes", processFaults},
	{"Clocks", clockFaults},
	{"Databases", slices.Concat(databaseFaults, restoreFaults, rowFaults)},
	{"Files and disks", fileFaults},
	{"Operators and configuration", operatorFaults},
}

func unique(note ...string) cell     { return cell{verdict: vUnique, note: strings.Join(note, " ")} }
func uniqueIf(condition string) cell { return cell{verdict: vUniqueIf, note: condition} }
func notCovered(why string) cell     { return cell{verdict: vNotCovered, note: why} }
func noPart() cell                   { return cell{verdict: vNoPart} }

// cell returns what the fault's row says of a way.
func (f fault) cell(w way) (cell, bool) {
	if c, ok := f.cells[w.name]; ok {
		return c, true
	}
	c, ok := f.cells[w.column]
	return c, ok
}

// TestPromise plays every cell of the matrix, with both generators.
func TestPromise(t *testing.T) {
	for _, chapter := range matrix {
		for _, f := range chapter.faults {
			t.Run(f.name, func(t *testing.T) {
				t.Logf("%s Also: %q", f.what, f.also)
				t.Parallel()
				for _, w := range ways {
					if !w.played() {
						continue
					}
					t.Run(w.name, func(t *testing.T) {
						c, _ := f.cell(w) // TestPromiseIsComplete says if there is none
						t.Parallel()
						f.judge(t, w, c)
					})
				}
			})
		}
	}
}

// mostPlays is how often a cell that has to show a duplicate is played at most: on a slow machine the
// processes of one play may draw past each other.
const mostPlays = 5

// judge plays a cell and holds what comes of it against the verdict. Where the condition is met there may
// be no duplicate; where it is not, one has to come.
func (f fault) judge(t testing.TB, w way, c cell) {
	met := c.verdict != vNotCovered
	unmet := c.verdict == vUniqueIf || c.verdict == vNotCovered
	for n := 1; met || unmet; n++ {
		var scenes []*scene
		for generator := range promisedGenerators {
			if met {
				scenes = append(scenes, newScene(t, w, generator, true, false))
			}
			if met && generator == "cached" { // the other one keeps to the clock in any case
				scenes = append(scenes, newScene(t, w, generator, true, true))
			}
			if unmet {
				scenes = append(scenes, newScene(t, w, generator, false, false))
			}
		}
		for _, s := range scenes {
			s.crowd, s.whole = f.crowd, f.whole
		}
		playAll(scenes, f.play)
		if t.Failed() {
			return
		}
		found := 0
		for _, s := range scenes {
			require.NotEmpty(t, s.marks, "%s: nothing was drawn, which proves nothing", s.generator)
			if s.met {
				require.Zero(t, s.duplicates, "%s, of %d UIDs. %s", s.generator, len(s.marks), s.first)
			} else {
				found += s.duplicates
			}
		}
		if unmet && found == 0 {
			require.Less(t, n, mostPlays,
				"no duplicate comes of it: the verdict says less than it could, or the test does not show it")
		}
		met, unmet = false, unmet && found == 0
	}
}

// playAll plays scenes at once: they wait most of the time.
func playAll(scenes []*scene, play func(s *scene)) {
	var wg sync.WaitGroup
	for _, s := range scenes {
		wg.Go(func() {
			s.t = elsewhere{s.t}
			defer s.end()
			s.set()
			play(s)
		})
	}
	wg.Wait()
}

// elsewhere is a test in a goroutine of its own, which is what ends when the test fails.
type elsewhere struct{ testing.TB }

func (e elsewhere) FailNow() {
	e.Fail()
	runtime.Goexit()
}

// TestPromiseSeesDuplicates plants what every cell has to see.
func TestPromiseSeesDuplicates(t *testing.T) {
	for generator := range promisedGenerators {
		s := newScene(t, ways[0], generator, true, false)
		s.set()
		p := s.start(how{})
		s.drawSome(p, s.start(how{seat: 1}))
		require.Zero(t, s.duplicates)
		s.drawSome(p, s.start(how{}))
		require.NotZero(t, s.duplicates, generator)
		require.Regexp(t, "worker 7, .*: drawn by process 1 and by process 3", s.first)
	}
}

// TestPromiseJudges holds what is played against verdicts that it does not bear out.
func TestPromiseJudges(t *testing.T) {
	once := func(s *scene) { s.drawSome(s.start(how{})) }
	twice := func(s *scene) { s.drawSome(s.start(how{}), s.start(how{})) }
	inAnyCase := func(met bool) func(s *scene) {
		return func(s *scene) {
			if s.met == met {
				twice(s)
			} else {
				once(s)
			}
		}
	}
	for name, c := range map[string]struct {
		cell
		play func(s *scene)
		good bool
	}{
		"unique":                                      {unique(), once, true},
		"unique, and duplicates come":                 {unique(), twice, false},
		"unique, and nothing is drawn":                {unique(), func(*scene) {}, false},
		"unique, and the play fails":                  {unique(), func(s *scene) { once(s); s.t.FailNow() }, false},
		"not covered":                                 {notCovered("why"), twice, true},
		"not covered, and no duplicates come":         {notCovered("why"), once, false},
		"unique if":                                   {uniqueIf("so"), inAnyCase(false), true},
		"unique if, and duplicates come with it":      {uniqueIf("so"), twice, false},
		"unique if, and no duplicates come without":   {uniqueIf("so"), once, false},
		"unique if, and duplicates come with it only": {uniqueIf("so"), inAnyCase(true), false},
		"no part":                      {noPart(), once, true},
		"no part, and duplicates come": {noPart(), twice, false},
	} {
		seen := &judged{TB: t}
		var wg sync.WaitGroup
		wg.Go(func() { fault{play: c.play}.judge(seen, ways[0], c.cell) })
		wg.Wait()
		require.Equal(t, c.good, !seen.failed.Load(), name)
	}
}

// judged is a test that may fail.
type judged struct {
	testing.TB
	failed atomic.Bool
}

func (j *judged) Errorf(string, ...any) { j.Fail() }
func (j *judged) Fail()                 { j.failed.Store(true) }
func (j *judged) Failed() bool          { return j.failed.Load() }
func (j *judged) FailNow() {
	j.Fail()
	runtime.Goexit()
}

// Every row has a verdict for every way, and for nothing else; it says what it has to; and
// the tests that it names exist.
func TestPromiseIsComplete(t *testing.T) {
	names := map[string]bool{}
	keys := map[string]bool{}
	for _, w := range ways {
		keys[w.name], keys[w.column] = true, true
	}
	for _, chapter := range matrix {
		for _, f := range chapter.faults {
			require.False(t, names[f.name], "two rows are called %s", f.name)
			names[f.name] = true
			require.NotEmpty(t, f.title, f.name)
			require.NotEmpty(t, f.what, f.name)
			require.NotNil(t, f.play, f.name)
			// The plays of these have several processes of their own.
			require.True(t, f.crowd > 0 || slices.Contains([]string{"regions", "layouts", "rollback-bits"}, f.name),
				"%s is played with one process", f.name)
			for _, w := range ways {
				_, ok := f.cell(w)
				require.True(t, ok, "%s has no verdict for %s: put one into the row's cells", f.name, w.name)
			}
			for key, c := range f.cells {
				require.True(t, keys[key], "%s has a verdict for %s, which is no way", f.name, key)
				if c.verdict == vUniqueIf || c.verdict == vNotCovered {
					require.NotEmpty(t, c.note, "%s, %s", f.name, key)
				}
			}
			for _, test := range f.also {
				folder, name, _ := strings.Cut(test, " ")
				require.True(t, hasTest(t, folder, name), "%s names %s, which does not exist", f.name, test)
			}
		}
	}
}

// hasTest reports whether a folder of the repository has a test function of that name.
func hasTest(t *testing.T, folder, name string) bool {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(path string) bool {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return strings.Contains(string(text), "\nfunc "+name+"(")
	})
}

// root is that of the repository.
var root = filepath.Join("..", "..")

// promisePage is where the matrix can be read.
var promisePage = filepath.Join(root, "docs", "promise.md")

var update = flag.Bool("update", false, "write docs/promise.md anew")

// The page says what the tests show. make docs writes it.
func TestPromisePage(t *testing.T) {
	page := renderPromise()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(promisePage), 0o755))
		require.NoError(t, os.WriteFile(promisePage, []byte(page), 0o644))
		return
	}
	written, err := os.ReadFile(promisePage)
	require.NoError(t, err)
	require.Equal(t, page, strings.ReplaceAll(string(written), "\r\n", "\n"), "docs/promise.md is old: make docs")
}
