package cli

import (
	"bufio"
	"fmt"
	"io"

	"github.com/uidgen/uid"
)

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

// A flushingReader flushes the output before each read that may wait, so that whoever
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
