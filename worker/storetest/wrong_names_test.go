package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

// wrongNames are wrong in names, settings and secrets.
func wrongNames() []mistake {
	return []mistake{
		{"a Name without the namespace", byNames, wrong{name: "somewhere"}},
		{"a Name of each client's own", byNames, wrong{named: func(c *Client) string { return fmt.Sprintf("%s of %p", c.namespace, c) }}},
		{"a Name with the secret", byNames, wrong{name: "suite-1 by tiger"}},
		{"Durable is of each client's own", byNames, wrong{durable: func() func(*Client) bool {
			var first atomic.Pointer[Client]
			return func(c *Client) bool { return first.CompareAndSwap(nil, c) || first.Load() == c }
		}()}},
		{"Durable is what is seen so far", byNames, wrong{durable: func(c *Client) bool { _, found := c.m.Namespace("suite-1"); return found }}},
		{"Durable is of each namespace's own", byNames, wrong{durable: func(c *Client) bool { return c.namespace == "suite-1" }}},
		{"Inspect tells the secret", byNames, wrong{inspect: func(*Client) ([]string, error) { return []string{"tiger may lose writes"}, nil }}},
		{"Inspect fails where nothing is", byNames, wrong{inspect: func(c *Client) ([]string, error) {
			if _, found := c.m.Namespace(c.namespace); !found {
				return nil, c.missing()
			}
			return nil, nil
		}}},
		{"Inspect makes the namespace", byNames, wrong{inspect: func(c *Client) ([]string, error) {
			if _, found := c.m.Namespace(c.namespace); !found {
				c.m.SetNamespace(c.namespace, lease.Namespace{Floor: -1})
			}
			return nil, nil
		}}},
		{"errors tell the secret", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if retry.IsTransient(err) {
				return fmt.Errorf("dial root:tiger@db: %w", err)
			}
			return err
		})},
		{"errors tell the secret further down", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if retry.IsTransient(err) {
				return &hidden{errors.Join(err, errors.New("root:tiger@db"))}
			}
			return err
		})},
	}
}

// hidden does not tell what it wraps.
type hidden struct{ err error }

func (h *hidden) Error() string { return "no connection" }
func (h *hidden) Unwrap() error { return h.err }
