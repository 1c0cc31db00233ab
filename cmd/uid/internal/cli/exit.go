package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The exit codes.
const (
	ExitOK          = 0
	ExitFailure     = 1
	ExitBadInput    = 2
	ExitInterrupted = 130 // as shells count: 128 + SIGINT
)

// An InputError is an error in what the user typed. All other errors come from outside.
type InputError struct{ Err error }

func (e InputError) Error() string { return e.Err.Error() }
func (e InputError) Unwrap() error { return e.Err }

// BadInput returns an InputError with a text.
func BadInput(format string, args ...any) error { return InputError{fmt.Errorf(format, args...)} }

// errInterrupted is wrapped by the error of a command that a signal ended.
var errInterrupted = errors.New("interrupted")

// ErrAnswered is returned by a command whose output already said that the answer is no.
var ErrAnswered = errors.New("the answer is no")

// report prints err as one line, unless it needs no words, and returns the exit code.
func (p *Program) report(err error) int {
	if err == nil || errors.Is(err, errClosedPipe) {
		return ExitOK
	}
	if errors.Is(err, ErrAnswered) {
		return ExitFailure
	}
	p.Note("%s", strings.Join(strings.FieldsFunc(err.Error(), isLineEnd), "; "))
	if _, ok := errors.AsType[InputError](err); ok {
		return ExitBadInput
	}
	if errors.Is(err, errInterrupted) {
		return ExitInterrupted
	}
	return ExitFailure
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

// FlagError says what is wrong with a flag. The flag package's own text repeats the whole
// argument, which may be a DSN after a misspelled name.
func FlagError(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help"
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return BadInput("%s: %w", flagName(e.GetFlag()), e.Unwrap())
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return BadInput("%s needs a value", flagName(e.GetFlag()))
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		dashes := "--"
		if e.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		if name := e.GetSpecifiedName(); plainWord.MatchString(name) {
			return BadInput("unknown flag %s%s (%s lists them)", dashes, name, help)
		}
	}
	return BadInput("unknown flag (%s lists them)", help)
}

func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// UntilSignal returns a context that a signal ends. A second one ends the process at once.
func UntilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Interrupted marks err as caused by a signal, if there was one.
func Interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, errClosedPipe) {
		return errInterrupted
	}
	return err
}
