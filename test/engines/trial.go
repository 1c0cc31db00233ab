package engines

import (
	"fmt"
	"os"
	"strings"
)

// A Trial is a crew's T outside of a test.
type Trial struct {
	// Output is asked for what to add to an error, before anything is cleaned up; it may be nil.
	Output func() string

	log      strings.Builder
	cleanups []func()
}

// failed is what Fatalf panics with.
type failed string

// Helper, Logf, Fatalf, Cleanup and TempDir are those of a testing.TB.
func (t *Trial) Helper() {}

func (t *Trial) Logf(format string, args ...any) { fmt.Fprintf(&t.log, format+"\n", args...) }

func (t *Trial) Fatalf(format string, args ...any) { panic(failed(fmt.Sprintf(format, args...))) }

func (t *Trial) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

func (t *Trial) TempDir() string {
	dir, err := os.MkdirTemp("", "uid-trial-")
	t.Must(err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Must fails the trial with an error, if there is one.
func (t *Trial) Must(err error) {
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// Do runs f. Its error is what f was failed with, between what was logged and the Output.
func (t *Trial) Do(f func()) (err error) {
	defer func() {
		for len(t.cleanups) > 0 {
			last := len(t.cleanups) - 1
			t.cleanups[last]()
			t.cleanups = t.cleanups[:last]
		}
	}()
	defer func() {
		switch e := recover().(type) {
		case nil:
		case failed:
			err = fmt.Errorf("%s%s", t.log.String(), string(e))
			if t.Output != nil {
				err = fmt.Errorf("%w\n%s", err, t.Output())
			}
		default:
			panic(e)
		}
	}()
	f()
	return nil
}
