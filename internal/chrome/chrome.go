// Package chrome drives a headless Chromium, for the browser tests and for the
// pictures in the documentation. Nothing of it is in the product.
package chrome

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Find returns the path of a Chromium: ANNOTATE_TEST_CHROMIUM where it is set,
// else the first one in PATH; empty if there is none.
func Find() string {
	if path := os.Getenv("ANNOTATE_TEST_CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Start starts a browser that ends with the returned function. It keeps quiet:
// no updates, no sync, no connection but to the pages it is sent to.
func Start(ctx context.Context, path string) (context.Context, func(), error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-dev-shm-usage", true),
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

// Person opens a window of its own, with cookies and storage apart from every
// other person's.
func Person(browser context.Context) (context.Context, context.CancelFunc, error) {
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(ctx); err != nil {
		end()
		return nil, nil, fmt.Errorf("open a window: %w", err)
	}
	return ctx, end, nil
}

// Key presses one key: a character, or Enter, Tab, Escape. Modifiers are
// written before it, as in "Ctrl+Enter" and "Shift+Tab".
func Key(name string) chromedp.Action[chromedp.Void] {
	parts := strings.Split(name, "+")
	key := parts[len(parts)-1]
	switch key {
	case "Enter":
		key = kb.Enter
	case "Tab":
		key = kb.Tab
	case "Escape":
		key = kb.Escape
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
	return chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers))
}

// Look sets the size of the window and whether the system asks for dark pages.
func Look(width, height int64, dark bool) chromedp.Action[chromedp.Void] {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	return chromedp.Steps(chromedp.EmulateViewport(width, height), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, media)
		return err
	}))
}
