// Package site holds what the handlers of every group of pages need: who asks, for which campaign, in which
// role; pages, forms, downloads and errors; background jobs. The groups are the packages beside it. Package
// server puts them together.
package site

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v5"

	"annotate/internal/outbox"
	"annotate/internal/parallel"
	"annotate/internal/provider"
	"annotate/internal/store"
)

// Config says how the server presents itself.
type Config struct {
	// BaseURL is the address people use, without a path; empty: that of each
	// request. Cookies are Secure when it begins with https.
	BaseURL string
	// TrustedProxies may say whose request it is and whether it came by HTTPS.
	TrustedProxies []netip.Prefix
	// SessionKey signs cookies; at least 32 bytes.
	SessionKey []byte
	Logger     *slog.Logger
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// WorkDir is a folder for files that are prepared to be fetched, and for uploads that wait. Empty: a new temporary folder.
	WorkDir string
	// WorkDirShared says that all servers on the database use WorkDir. Otherwise the files in it are deleted when the server
	// starts and stops.
	WorkDirShared bool
	// MaxUpload is the largest upload in bytes; 0: that of limits.go.
	MaxUpload int64
	// Judges is the model's server for judges. The zero value means that there is none.
	Judges JudgeConfig
	// SecondFactor says whether people may, or leads and admins must, have a second factor; empty: [FactorNo].
	SecondFactor string
	// OIDC is the provider of OpenID Connect.
	OIDC OIDC
	// Send sends what the outbox has. Without a mailer, pages offer no mail.
	Send outbox.Senders
}

// The values of [Config.SecondFactor]. Anyone who has a second factor gives its code under each of them.
const (
	FactorNo       = "no"       // none is offered
	FactorOffered  = "offered"  // everybody may set one up
	FactorRequired = "required" // leads and admins get no further without one
)

// A JudgeConfig is the model's server for the judges that users run from pages.
type JudgeConfig struct {
	BaseURL string // the address in the form for pages; empty if no server is configured
	HasKey  bool
	Model   string // the default model; empty if there is none
	// Provider returns a provider that sends at most concurrency requests at a time to the
	// model's server. It calls retrying with the error of a request that it sends again. Only
	// Provider knows the key.
	Provider func(concurrency int, retrying func(*provider.Error)) (provider.Provider, error)
}

// A Site is what all handlers share.
type Site struct {
	Config
	store *store.Store
	// Requests counts the requests that are being answered. Background jobs give way to them.
	Requests parallel.Requests
	// Settling runs the jobs that complete imports whose programs were killed, changes of settings, and
	// deletions. The key of a job is the id of the campaign, with "delete " before it for a deletion.
	Settling *parallel.Runner[struct{}]
	cookies  *sessions.CookieStore
	// API has the operations of the interface for programs, Works the jobs that programs have started, and Computing computes
	// what they ask for and no page shows.
	API       *API
	Works     *Works
	Computing *parallel.Runner[Result]
	// Folder is that of WorkDir.
	Folder *Folder
}

// SendsMail reports whether the server sends mail.
func (s *Site) SendsMail() bool { return s.Send.Mail != nil }

// New fills in what the configuration leaves open, and makes the work folder. It returns an error if the session key is too
// short.
func New(cfg Config, st *store.Store) (*Site, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.SecondFactor = cmp.Or(cfg.SecondFactor, FactorNo)
	cfg.MaxUpload = cmp.Or(cfg.MaxUpload, maxUpload)
	if len(cfg.SessionKey) == 0 {
		cfg.SessionKey = make([]byte, 64)
		if _, err := rand.Read(cfg.SessionKey); err != nil {
			return nil, err
		}
	}
	if len(cfg.SessionKey) < 32 {
		return nil, fmt.Errorf("the session key has %d bytes; it needs at least 32", len(cfg.SessionKey))
	}
	folder, err := newFolder(cfg.WorkDir, cfg.WorkDirShared, cfg.Now)
	if err != nil {
		return nil, err
	}
	s := &Site{Config: cfg, store: st, cookies: newCookies(cfg.SessionKey), Folder: folder}
	s.API, s.Works = newAPI(), &Works{jobs: st.Jobs, Opens: map[string]func(*echo.Context, string) error{}}
	s.Computing = parallel.NewRunner[Result](2, cfg.Now, &s.Requests)
	s.Settling = parallel.NewRunner[struct{}](4, cfg.Now, &s.Requests)
	return s, nil
}

// View runs fn while the context of the request is one of [database.DB.View].
func (s *Site) View(c *echo.Context, fn func() error) error {
	r := c.Request()
	defer c.SetRequest(r)
	return s.store.DB.View(r.Context(), func(ctx context.Context) error {
		c.SetRequest(r.WithContext(ctx))
		return fn()
	})
}
