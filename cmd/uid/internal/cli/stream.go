package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/term"

	"github.com/uidgen/uid"
)

const (
	outputBuffer = 64 << 10
	// usualWidth is the width of an output that is no terminal.
	usualWidth = 80
	// leastWidth is what is written on terminals that are narrower, too.
	leastWidth = 40
)

// An Output is buffered, and knows how many columns it has. It keeps the first error of a write, and takes
// nothing more then; the program reports that error at its end. So only what writes much need ask for it.
type Output struct {
	*bufio.Writer
	Width int
	err   error // of what cannot be written in the form that was asked for
}

// Failed returns the error that a write has met.
func (o *Output) Failed() error {
	_, err := o.Write(nil)
	return cmp.Or(err, o.err)
}

// Number writes a line with a number.
func (o *Output) Number(n int64) {
	_, _ = o.Write(append(strconv.AppendInt(o.AvailableBuffer(), n, 10), '\n'))
}

// width returns how many columns the output has: $COLUMNS if that is set, or the terminal's.
func (p *Program) width() int {
	if n, err := strconv.Atoi(p.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, leastWidth)
	}
	if f, ok := p.Stdout.(interface{ Fd() uintptr }); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, leastWidth)
		}
	}
	return usualWidth
}

func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// errClosedPipe is returned by a write when nobody reads the output any more. It ends a
// command, and is no failure.
var errClosedPipe = errors.New("the output's reader has gone away")

// A pipe tells a closed reader from other failures to write.
type pipe struct{ w io.Writer }

func (p pipe) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	switch {
	case err == nil:
		return n, nil
	case isClosedPipe(err):
		return n, errClosedPipe
	default:
		return n, fmt.Errorf("writing the output: %w", err)
	}
}

// Windows' ERROR_BROKEN_PIPE and ERROR_NO_DATA.
const windowsBrokenPipe, windowsNoData = syscall.Errno(109), syscall.Errno(232)

func isClosedPipe(err error) bool {
	if runtime.GOOS == "windows" && (errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData)) {
		return true
	}
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// EachWord reads the arguments, or else the words of the input, and shows each; what names the kind
// of word. If an argument is bad, it shows none.
func EachWord[T any](p *Program, args []string, what string, read func(string) (T, error), show func(T) error) error {
	var given []T
	for _, arg := range args {
		v, err := read(arg)
		if err != nil {
			return InputError{err}
		}
		given = append(given, v)
	}
	for _, v := range given {
		if err := show(v); err != nil {
			return err
		}
	}
	if len(given) > 0 {
		return nil
	}
	if isTerminal(p.Stdin) {
		p.Note("reading %ss from the terminal", what)
	}
	in := &flushingReader{in: p.Stdin, out: p.Out}
	words := bufio.NewScanner(in)
	words.Split(bufio.ScanWords)
	n := 0
	for words.Scan() {
		if in.failed {
			break // the word may be cut off
		}
		n++
		v, err := read(words.Text())
		if err != nil {
			return BadInput("%s %d of the input: %w", what, n, err)
		}
		if err := show(v); err != nil {
			return err
		}
	}
	if err := words.Err(); err != bufio.ErrTooLong {
		return err
	}
	return BadInput("%s %d of the input: %w: it has more than %d bytes",
		what, n+1, uid.ErrSyntax, bufio.MaxScanTokenSize)
}

// A flushingReader flushes the output before each read that may wait, so that a person who
// types a UID sees the answer at once.
type flushingReader struct {
	in     io.Reader
	out    *Output
	failed bool // a Read has returned an error other than io.EOF
}

func (f *flushingReader) Read(b []byte) (int, error) {
	if err := f.out.Flush(); err != nil {
		f.failed = true
		return 0, err
	}
	n, err := f.in.Read(b)
	if err != nil && err != io.EOF {
		f.failed = true
		err = fmt.Errorf("reading the input: %w", err)
	}
	return n, err
}
