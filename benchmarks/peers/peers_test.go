package main

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/benchmarks/subject"
)

// TestMain makes the test's binary a child, too. Without the overlay its clock does not move.
func TestMain(m *testing.M) {
	if os.Getenv(taskEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func keys(ids ...uint64) (all []subject.Key) {
	for _, id := range ids {
		all = append(all, subject.Key{id})
	}
	return all
}

func TestRepeats(t *testing.T) {
	require.Zero(t, repeats(keys(1, 2), keys(3)))
	require.Equal(t, 1, repeats(keys(1, 2), keys(2, 3)))
	require.Equal(t, 3, repeats(keys(5, 5), keys(5, 6, 5)))
	require.Zero(t, repeats([]subject.Key{{1, 1}}, []subject.Key{{1, 2}, {2, 1}}), "the halves of 16 bytes")
}

func TestRepeatedIsOfWhatCanRepeat(t *testing.T) {
	of := func(ks []subject.Key) done { return done{Steps: []drawn{{Keys: ks}}} }
	require.Equal(t, "**all**", repeated(of(keys(1, 2)), of(keys(1, 2, 3))).brief)
	require.Equal(t, cell{"1 of 2", "**50 %**", 1}, repeated(of(keys(1, 2)), of(keys(2, 3, 4))))
	require.Equal(t, "0", repeated(of(keys(1)), of(keys(2))).brief)
	many := make([]subject.Key, 1000) // one repeat of a thousand is not 0 %, and all but one are not 100 %
	for i := range many {
		many[i][0] = uint64(i)
	}
	others := append(keys(5000), many[1:]...)
	require.Equal(t, "**99 %**", repeated(of(many), of(others)).brief)
	for i := range others[1:] {
		others[i+1][0] += 10_000
	}
	others[0][0] = 7
	require.Equal(t, "**1**", repeated(of(many), of(others)).brief)
}

func TestBelow(t *testing.T) {
	require.True(t, below(subject.Key{1 << 63}, subject.Key{1}), "a negative BIGINT")
	require.True(t, below(subject.Key{1, 2}, subject.Key{1, 3}))
	require.False(t, below(subject.Key{1 << 63, 1}, subject.Key{1, 1}), "16 bytes have no sign")
}

// Only the rows that were played are written.
func TestReplace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.md")
	check(os.WriteFile(file, []byte("|  | x |\n| --- | --- |\n| a | 1 |\n| a, too | 2 |\n| b | 3 |\n"), 0o600))
	replace(file, "|  | x |\n| --- | --- |\n| a | $1 |")
	require.Equal(t, "|  | x |\n| --- | --- |\n| a | $1 |\n| a, too | 2 |\n| b | 3 |\n",
		string(must(os.ReadFile(file))))
}

// Processes that begin with 1 again are found out, one that has not ended and one that has; those of a counter that
// goes on are not.
func TestPlantedRepeatsAreFound(t *testing.T) {
	stage{dir: t.TempDir(), exe: os.Args[0]}.mustFindRepeats()
	a, b := stage{dir: t.TempDir(), exe: os.Args[0]}, step{N: 100, For: time.Minute}
	p := a.start(a.task(planted, b, b))
	p.begin()
	d := p.end()
	require.Zero(t, repeats(d.Steps[0].Keys, d.Steps[1].Keys))
	require.Len(t, d.Steps[1].Keys, 100)
}

// A call that does not return does not keep the step from ending, and is said.
func TestBlockedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stuck{make(chan bool)}
		d := step{N: 3, For: time.Millisecond}.draw(s)
		require.True(t, d.Blocked)
		require.Empty(t, d.Keys)
		close(s.free)
	})
}

type stuck struct{ free chan bool }

func (s stuck) Draw(int) error           { <-s.free; return nil }
func (s stuck) Keys([]subject.Key) error { <-s.free; return nil }
