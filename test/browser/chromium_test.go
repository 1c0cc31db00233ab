package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
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

// limit bounds what a test waits for; it says nothing about how long that takes.
const (
	limit    = 2 * time.Minute
	patience = 30 * time.Second // for one condition
)

// A tab is a page in Chromium, and what went wrong in it.
type tab struct {
	ctx context.Context

	mu       sync.Mutex
	complain []string // errors of the console, exceptions, violations of the policy
	asked    []string // URLs
}

// quitChromium ends the browser, if it was started.
var quitChromium = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	quitChromium()
	os.Exit(code)
}

// chromium starts the browser that all tests share; each has a window of its own.
var chromium = sync.OnceValues(func() (context.Context, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, fmt.Errorf("%w: install it, on Debian with apt-get install chromium", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Env("TZ=Europe/Berlin"))
	all, quitAll := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, quit := chromedp.NewContext(all)
	quitChromium = func() { quit(); quitAll() }
	return ctx, chromedp.Do(ctx)
})

// open opens a window of that size. It ends with the test.
func open(t *testing.T, url string, width, height int64) *tab {
	browser, err := chromium()
	require.NoError(t, err)
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{}
	require.NoError(t, chromedp.Listen(ctx, b.listen)) // which opens the window
	ctx, cancel = context.WithTimeout(ctx, limit)
	t.Cleanup(cancel)
	b.ctx = ctx
	call(t, b, network.Enable, network.EnableParams{})
	call(t, b, log.Enable, cdp.Empty{})
	call(t, b, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: "en-GB"})
	b.run(t, chromedp.EmulateViewport(width, height), chromedp.Navigate(url))
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.complain = append(b.complain, fmt.Sprintf("console.%s: %v", e.Type, e.Args))
	case *runtime.EventExceptionThrown:
		b.complain = append(b.complain, "exception: "+e.ExceptionDetails.Exception.Description)
	case *log.EventEntryAdded:
		b.complain = append(b.complain, fmt.Sprintf("%s: %s (%s)", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	}
}

// run runs actions in the tab.
func (b *tab) run(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.ctx, actions...))
}

// do runs a script in the page.
func (b *tab) do(t *testing.T, script string) {
	t.Helper()
	b.run(t, chromedp.Evaluate[chromedp.Void](script))
}

// enter types a text, and the Enter key, into the field for a UID.
func (b *tab) enter(t *testing.T, text string) {
	t.Helper()
	field := chromedp.CSS("#uid")
	b.run(t, chromedp.SetValue(field, text), chromedp.Focus(field), chromedp.KeyEvent(kb.Enter))
}

// call sends a command of the protocol.
func call[P, R any](t *testing.T, b *tab, command cdp.Command[P, R], params P) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, command, params)
	require.NoError(t, err)
}

// await waits until an expression of JavaScript is true in the page.
func (b *tab) await(t *testing.T, expression string) {
	t.Helper()
	poll := chromedp.Poll[chromedp.Void](expression,
		chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience))
	if err := chromedp.Do(b.ctx, poll); err != nil {
		text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		t.Fatalf("%s never became true: %v\n%s\n%v", expression, err, text, b.complaints())
	}
}

// eval returns the value of an expression.
func eval[T any](t *testing.T, b *tab, expression string) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err, expression)
	return v
}

func (b *tab) complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.complain
}

// clean fails the test if anything was complained of, or asked of another origin than the page's.
func (b *tab) clean(t *testing.T, page string) {
	t.Helper()
	require.Empty(t, b.complaints())
	own := must(url.Parse(page))
	b.mu.Lock()
	defer b.mu.Unlock()
	require.NotEmpty(t, b.asked)
	for _, asked := range b.asked {
		require.True(t, strings.HasPrefix(asked, own.Scheme+"://"+own.Host+"/"), asked)
	}
}
