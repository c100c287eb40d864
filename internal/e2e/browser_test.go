package e2e

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

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
	emptyPage().Close()
	for _, s := range hosts.servers {
		s.Close()
	}
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

// window opens a window for one more person, without cookies, storage and history. It closes when the test ends.
func window(t testing.TB, browser context.Context) context.Context {
	t.Helper()
	s, err := freeSeat(browser)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end, err := s.open()
	if err != nil {
		s.end()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.clear(ctx, end); err != nil {
			t.Errorf("clear the storage of a window: %v", err)
			s.end()
			return
		}
		seats.Lock()
		defer seats.Unlock()
		seats.free = append(seats.free, s)
	})
	return ctx
}

// A seat has the cookies and the storage of one person at a time. An empty page of the site to which the pages of all
// tests belong stays open in it: the window of the next person is then drawn by the same process, which has
// loaded the fonts and compiled the scripts. A process of its own is three quarters of what a window takes.
type seat struct {
	ctx context.Context // of the window with the empty page
	end context.CancelFunc
}

// seats are those at which nobody sits.
var seats struct {
	sync.Mutex
	free []*seat
}

// emptyPage serves the page that stays open.
var emptyPage = sync.OnceValue(func() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		_, _ = io.WriteString(w, "<!doctype html><title>empty</title>")
	}))
})

// freeSeat is a seat at which nobody sits, a new one if there is none.
func freeSeat(browser context.Context) (*seat, error) {
	seats.Lock()
	if n := len(seats.free); n > 0 {
		s := seats.free[n-1]
		seats.free = seats.free[:n-1]
		seats.Unlock()
		return s, nil
	}
	seats.Unlock()
	ctx, end, err := Person(browser)
	if err != nil {
		return nil, err
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(emptyPage().URL)); err != nil {
		end()
		return nil, err
	}
	return &seat{ctx, end}, nil
}

// open opens a window at the seat.
func (s *seat) open() (context.Context, context.CancelFunc, error) {
	c := chromedp.FromContext(s.ctx)
	made, err := cdp.Call(s.ctx, c.Browser, target.CreateTarget, target.CreateTargetParams{URL: emptyPage().URL, BrowserContextID: c.BrowserContextID})
	if err != nil {
		return nil, nil, err
	}
	ctx, end := chromedp.NewContext(s.ctx, chromedp.WithTargetID(made.TargetID))
	if err := chromedp.Do(ctx, Loaded()); err != nil {
		end()
		return nil, nil, err
	}
	return ctx, end, nil
}

// clear closes the window of the person who sat at the seat before, and removes their cookies and what they stored. The
// next test has the same address, and so the same storage.
func (s *seat) clear(ctx context.Context, end context.CancelFunc) error {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	origins, err := visited(within)
	end()
	if err != nil {
		return err
	}
	return chromedp.Do(s.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.ClearBrowserCookies, cdp.Empty{})
		for origin := range origins {
			_, stored := cdp.Call(ctx, t, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: origin, StorageTypes: "all"})
			err = errors.Join(err, stored)
		}
		return err
	}))
}

// visited are the origins of the pages in the history of a window, without that of the empty page.
func visited(window context.Context) (map[string]bool, error) {
	origins := map[string]bool{}
	return origins, chromedp.Do(window, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		history, err := cdp.Call(ctx, t, page.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, entry := range history.Entries {
			at, err := url.Parse(entry.URL)
			if err != nil {
				return err
			}
			if origin := at.Scheme + "://" + at.Host; origin != emptyPage().URL {
				origins[origin] = true
			}
		}
		return nil
	}))
}
