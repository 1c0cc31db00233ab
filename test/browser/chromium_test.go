package browser

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// patience bounds what a test waits for; it says nothing about how long that takes.
const patience = 30 * time.Second

// A tab is a page in Chromium, and what went wrong in it.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string // errors of the console, exceptions, violations of the policy
	asked      []string // URLs
}

// open opens a page in a browser that ends with the test.
func open(t *testing.T, url string) *tab {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Env("TZ=Europe/Berlin"))
	browser, quit := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(quit)
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, b.listen)) // which opens the window
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: "en-GB"})
	b.run(chromedp.EmulateViewport(1200, 900), chromedp.Navigate(url))
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, fmt.Sprintf("console.%s: %v", e.Type, e.Args))
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, "exception: "+e.ExceptionDetails.Exception.Description)
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, fmt.Sprintf("%s: %s (%s)", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	}
}

// run runs actions in the tab.
func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 2*patience)
	defer cancel()
	require.NoError(b.t, chromedp.Do(ctx, actions...))
}

// do runs a script in the page.
func (b *tab) do(script string) {
	b.t.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](script))
}

// enter types a text, and the Enter key, into the field for a UID.
func (b *tab) enter(text string) {
	b.t.Helper()
	field := chromedp.CSS("#uid")
	b.run(chromedp.SetValue(field, text), chromedp.Focus(field), chromedp.KeyEvent(kb.Enter))
}

// call sends a command of the protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, command, params)
	require.NoError(b.t, err)
}

// await waits until an expression of JavaScript is true in the page.
func (b *tab) await(expression string) {
	b.t.Helper()
	poll := chromedp.Poll[chromedp.Void](expression,
		chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience))
	if err := chromedp.Do(b.ctx, poll); err != nil {
		page := eval[string](b, "document.body.innerText")
		b.t.Fatalf("%s never became true: %v\n%s\n%v", expression, err, page, b.complaints)
	}
}

// text is the text of the first element that a selector finds.
func text(selector string) string {
	return "(document.querySelector(`" + selector + "`)?.innerText ?? '')"
}

// sees waits until the first element that a selector finds shows each of the texts.
func (b *tab) sees(selector string, texts ...string) {
	b.t.Helper()
	for _, want := range texts {
		b.await(fmt.Sprintf("%s.includes(%q)", text(selector), want))
	}
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, expression)
	return v
}

// clean fails the test if anything else was complained of, or asked of another origin than the page's.
func (b *tab) clean(page, but string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, complaint := range b.complaints {
		require.True(b.t, but != "" && strings.Contains(complaint, but), complaint)
	}
	require.NotEmpty(b.t, b.asked)
	for _, asked := range b.asked {
		require.True(b.t, strings.HasPrefix(asked, page), asked)
	}
}
