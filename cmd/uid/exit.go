package main

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

const (
	exitOK          = 0
	exitFailure     = 1
	exitBadInput    = 2
	exitInterrupted = 130 // as shells count: 128 + SIGINT
)

// An inputError is an error in what the user typed. All other errors come from outside.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

func badInput(format string, args ...any) error { return inputError{fmt.Errorf(format, args...)} }

// errInterrupted is wrapped by the error of a command that a signal ended.
var errInterrupted = errors.New("interrupted")

// errAnswered is returned by a command whose output already said that the answer is no.
var errAnswered = errors.New("the answer is no")

// report prints err as one line, unless it needs no words, and returns the exit code.
func (p *program) report(err error) int {
	if err == nil || errors.Is(err, errClosedPipe) {
		return exitOK
	}
	if errors.Is(err, errAnswered) {
		return exitFailure
	}
	p.note("%s", strings.Join(strings.FieldsFunc(err.Error(), isLineEnd), "; "))
	if _, ok := errors.AsType[inputError](err); ok {
		return exitBadInput
	}
	if errors.Is(err, errInterrupted) {
		return exitInterrupted
	}
	return exitFailure
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

// flagError says what is wrong with a flag. The flag package's own text repeats the whole
// argument, which may be a DSN after a misspelled name.
func flagError(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help"
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return badInput("%s: %w", flagName(e.GetFlag()), e.Unwrap())
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return badInput("%s needs a value", flagName(e.GetFlag()))
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		dashes := "--"
		if e.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		if name := e.GetSpecifiedName(); plainWord.MatchString(name) {
			return badInput("unknown flag %s%s (%s lists them)", dashes, name, help)
		}
	}
	return badInput("unknown flag (%s lists them)", help)
}

func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// untilSignal returns a context that a signal ends. A second one ends the process at once.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// interrupted marks err as caused by a signal, if there was one.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, errClosedPipe) {
		return errInterrupted
	}
	return err
}
