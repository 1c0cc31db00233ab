package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

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
