package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Find returns the path of a Chromium: the value of ANNOTATE_TEST_CHROMIUM if it is set, even if
// it is empty, otherwise the first Chromium in PATH. It is empty if there is none. The headless shell
// is Chromium without the window around the pages. It needs about two thirds of the processor time.
func Find() string {
	if path, set := os.LookupEnv("ANNOTATE_TEST_CHROMIUM"); set {
		return path
	}
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Start starts a browser. The returned function ends it. The browser connects only to the pages
// that it is told to open: updates and synchronisation are turned off.
func Start(ctx context.Context, path string) (context.Context, func(), error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		// The windows of a person share a process, as those of one browser window do. A new process takes most of
		// the time of a page.
		chromedp.Flag("process-per-site", true),
		// Keys and clicks before the first frame of a page are dispatched, and not dropped.
		chromedp.Flag("allow-pre-commit-input", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run its sandbox as root
	}
	allocator, endAllocator := chromedp.NewExecAllocator(ctx, options...)
	browser, endBrowser := chromedp.NewContext(allocator)
	end := func() { endBrowser(); endAllocator() }
	if err := chromedp.Do(browser); err != nil {
		end()
		return nil, nil, fmt.Errorf("start %s: %w", path, err)
	}
	return browser, end, nil
}

// Person opens a new window with its own cookies and storage, as for another person.
func Person(browser context.Context) (context.Context, context.CancelFunc, error) {
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(ctx); err != nil {
		end()
		return nil, nil, fmt.Errorf("open a window: %w", err)
	}
	return ctx, end, nil
}

// namedKeys are the keys that type no character.
var namedKeys = map[string]string{
	"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Backspace": kb.Backspace, "Delete": kb.Delete, "Home": kb.Home, "End": kb.End,
	"ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown,
}

// Key presses one key: a character, or one of Enter, Tab, Escape, Backspace,
// Delete, Home, End, ArrowLeft and the other arrows. Modifiers are written before
// it, as in "Ctrl+Enter" and "Shift+Tab".
func Key(name string) chromedp.Action[chromedp.Void] {
	parts := strings.Split(name, "+")
	key := parts[len(parts)-1]
	if named, ok := namedKeys[key]; ok {
		key = named
	}
	var modifiers chromedp.Modifier
	for _, m := range parts[:len(parts)-1] {
		switch m {
		case "Ctrl":
			modifiers |= chromedp.ModifierCtrl
		case "Shift":
			modifiers |= chromedp.ModifierShift
		case "Alt":
			modifiers |= chromedp.ModifierAlt
		}
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range key {
			if err := press(ctx, t, r, modifiers); err != nil {
				return err
			}
		}
		return nil
	})
}

// press presses one key. The event of the key going down carries the character, so that a page
// that handles the key can prevent the character from being typed.
func press(ctx context.Context, t *chromedp.Target, r rune, modifiers chromedp.Modifier) error {
	events := kb.Encode(r)
	down, up := events[0], events[len(events)-1]
	for _, e := range []*input.DispatchKeyEventParams{down, up} {
		e.Modifiers |= int64(modifiers)
	}
	if len(events) == 3 && modifiers&^chromedp.ModifierShift == 0 {
		down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
	}
	for _, e := range []*input.DispatchKeyEventParams{down, up} {
		if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *e); err != nil {
			return err
		}
	}
	return nil
}

// Until waits until the page is loaded and a JavaScript expression, or the promise that it is, is true. The
// expression is evaluated only on a loaded page, which has all of its elements. It is an error if it throws.
// Until goes on waiting while the window loads another page. Only the context limits how long it waits.
func Until(expression string) chromedp.Action[chromedp.Void] {
	holds := chromedp.Evaluate[bool]("(async () => document.readyState === 'complete' && !!(await ("+expression+")))()", chromedp.EvalAwaitPromise)
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for {
			yes, err := holds(ctx, t)
			var thrown *chromedp.ExceptionError
			if yes || errors.As(err, &thrown) {
				return err
			}
			// Any other error is that of a page which the window has left meanwhile.
			select {
			case <-ctx.Done():
				return errors.Join(err, ctx.Err())
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
}

// Loaded waits until the page is loaded.
func Loaded() chromedp.Action[chromedp.Void] { return Until("true") }

// Visible waits until the page is loaded and the first element that a CSS selector finds is displayed.
func Visible(selector string) chromedp.Action[chromedp.Void] {
	return Until(fmt.Sprintf("document.querySelector(%q)?.checkVisibility()", selector))
}

// SignIn opens a sign-in link and signs in with it.
func SignIn(link string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(chromedp.Navigate(link), chromedp.Click("main form button"), Until("location.pathname === '/work'"))
}

// Look sets the size of the window and whether the system asks for dark pages. Changes of colours take no
// time then, because the system asks for less motion, too.
func Look(width, height int64, dark bool) chromedp.Action[chromedp.Void] {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	}
	return chromedp.Steps(chromedp.EmulateViewport(width, height), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, media)
		return err
	}))
}
