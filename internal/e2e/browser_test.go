package e2e

import (
	"context"
	"os"
	"sync"
	"testing"

	"annotate/internal/testenv"
)

// chromium is the browser that all tests share. It starts when the first test asks
// for it, and TestMain ends it.
var chromium = sync.OnceValues(func() (context.Context, error) {
	ctx, end, err := Start(context.Background(), Find())
	if err == nil {
		endChromium = end
	}
	return ctx, err
})

var endChromium = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	endChromium()
	os.Exit(code)
}

// parallel has the tests that run side by side with others.
var parallel sync.Map

// browser gives the test the shared Chromium, or skips the test with the reason. The
// test runs side by side with the others that ask for it. Windows of [window] have
// cookies and storage of their own, so the tests do not see each other.
func browser(t *testing.T) context.Context {
	t.Helper()
	if _, again := parallel.LoadOrStore(t, true); !again {
		t.Parallel()
	}
	if Find() == "" {
		testenv.Lacks(t, "no Chromium; make setup installs it")
	}
	ctx, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// window opens a window for one more person. It closes when the test ends.
func window(t testing.TB, browser context.Context) context.Context {
	t.Helper()
	ctx, end, err := Person(browser)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return ctx
}
