package site

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/records"
)

// APIPath begins the addresses of the interface for programs. There, a token says who asks, and never a cookie.
const APIPath = "/api/v1"

// ForProgram reports whether a request is one to the interface for programs.
func ForProgram(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, APIPath+"/") }

// GrantKey is the key of the echo context under which the server keeps what the token of a program allows.
const GrantKey = "grant"

// Granted returns what the token of a program allows, and false for a person at a page.
func Granted(c *echo.Context) (accounts.Grant, bool) {
	g, ok := c.Get(GrantKey).(accounts.Grant)
	return g, ok
}

// An API describes the operations of the interface for programs as OpenAPI 3.1. The library huma makes the description of an
// operation from the types of its handler, checks each request by it, and writes the answer.
type API struct {
	huma.API
	handle func(huma.Context) // of the operation that was registered last
	reads  map[string]bool    // operations that change nothing although their method is not GET, by method and path of the route
}

// Reads reports whether a request changes nothing, so that a token that only reads is good for it.
func (a *API) Reads(method, path string) bool {
	return method == http.MethodGet || a.reads[method+" "+path]
}

func newAPI() *API {
	cfg := huma.DefaultConfig("annotate", "1")
	cfg.Info.Description = "What the command line of annotate does, on a running server. Make a token on your account page and send it as Authorization: Bearer."
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath = "", "", ""
	cfg.CreateHooks = nil // answers have no $schema, so that they are what commands print
	cfg.Servers = []*huma.Server{{URL: APIPath}}
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "A personal access token, made on the account page or by annotate token add."},
	}
	cfg.Security = []map[string][]string{{"token": {}}}
	cfg.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[api.Number](), reflect.TypeFor[*float64]())
	a := &API{reads: map[string]bool{}}
	a.API = huma.NewAPI(cfg, a)
	return a
}

// Handle implements [huma.Adapter].
func (a *API) Handle(_ *huma.Operation, handle func(huma.Context)) { a.handle = handle }

// ServeHTTP implements [huma.Adapter]. The routes of the table answer all requests.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

// An Op is an operation of the interface for programs.
type Op struct {
	ID      string
	Method  string
	Path    string // below [APIPath]; {name} stands for a part
	Tag     string // under which the description lists the operation
	Summary string // one line
	About   string // sentences; empty if the summary says all
	Status  int    // of an answer without an error; 0 is 200
	Who     People // may ask for it
	Reads   bool   // it changes nothing, although its method is not GET
	// Upload describes a body that the handler reads itself, of a route in [BodyLimit]; nil: huma reads the body.
	Upload *huma.RequestBody
}

// operation is op as huma describes it.
func (op Op) operation() huma.Operation {
	return huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path, Tags: []string{op.Tag}, Summary: op.Summary, Description: op.About,
		DefaultStatus: op.Status, RejectUnknownQueryParameters: true,
	}
}

type callKey struct{}

// failedCall is the key of the echo context under which a route keeps the error of its operation, for the log.
const failedCall = "failed call"

type jsonAnswer[O any] struct{ Body O }

var part = regexp.MustCompile(`\{([a-z]+)\}`)

// Operation makes the route of an operation that reads the request into an I and answers an O as JSON.
func Operation[I, O any](s *Site, op Op, handle func(c *echo.Context, in *I) (O, error)) Route {
	return register(s, op, op.operation(), func(c *echo.Context, in *I) (*jsonAnswer[O], error) {
		out, err := handle(c, in)
		return &jsonAnswer[O]{out}, err
	})
}

type sent struct{ Body func(huma.Context) }

// Sends makes the route of an operation that sends a file, or one of some values as JSON, which handle writes itself.
func Sends[I any](s *Site, op Op, handle func(c *echo.Context, in *I) error, values ...any) Route {
	content := map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}
	var known []*huma.Schema
	for _, v := range values {
		known = append(known, s.API.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(v), true, ""))
	}
	if len(known) > 0 {
		content[echo.MIMEApplicationJSON] = &huma.MediaType{Schema: &huma.Schema{OneOf: known}}
	}
	described := op.operation()
	described.Responses = map[string]*huma.Response{"200": {Description: "What was asked for.", Content: content}}
	return register(s, op, described, func(c *echo.Context, in *I) (*sent, error) {
		return &sent{func(huma.Context) {
			if err := handle(c, in); err != nil {
				c.Set(failedCall, err) // nothing is sent yet, and the server's handler of errors answers
			}
		}}, nil
	})
}

func register[I, O any](s *Site, op Op, described huma.Operation, handle func(c *echo.Context, in *I) (*O, error)) Route {
	huma.Register(s.API, described, func(ctx context.Context, in *I) (*O, error) {
		c := ctx.Value(callKey{}).(*echo.Context)
		out, err := handle(c, in)
		if err != nil {
			c.Set(failedCall, err)
			return nil, ProblemOf(err)
		}
		return out, nil
	})
	if op.Upload != nil {
		s.API.OpenAPI().Paths[op.Path].Post.RequestBody = op.Upload
	}
	answer := s.API.handle
	path := APIPath + part.ReplaceAllString(op.Path, ":$1")
	s.API.reads[op.Method+" "+path] = op.Reads
	return Route{op.Method, path, op.Who, func(c *echo.Context) error {
		answer(&call{op: &described, c: c})
		err, _ := c.Get(failedCall).(error)
		return err
	}}
}

// ProblemOf is an error as RFC 9457 has it, with what to do in its detail.
func ProblemOf(err error) *huma.ErrorModel {
	if stored, ok := errors.AsType[*huma.ErrorModel](err); ok {
		return stored
	}
	status := StatusOf(err)
	p := &huma.ErrorModel{Status: status}
	if problems, ok := errors.AsType[*campaign.Problems](err); ok {
		p.Status, p.Detail = http.StatusUnprocessableEntity, problems.Summary
		for _, x := range problems.List {
			p.Errors = append(p.Errors, &huma.ErrorDetail{Message: x.Msg, Location: strings.TrimSuffix(strings.TrimSuffix(x.Error(), x.Msg), ": ")})
		}
		if p.Detail == "" {
			p.Detail = "nothing was imported"
		}
	} else if _, ok := errors.AsType[*records.CompletingError](err); ok {
		p.Detail = "The segments of this campaign follow an import or a change of settings. Ask again in a moment."
	} else {
		p.Detail = Words(err, status)
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok && invalid.Field != "" {
		p.Errors = []*huma.ErrorDetail{{Message: invalid.Msg, Location: invalid.Field}}
	}
	p.Title = http.StatusText(p.Status)
	return p
}

// WriteProblem answers a program with an error.
func WriteProblem(c *echo.Context, err error) error {
	p := ProblemOf(err)
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "application/problem+json")
	if p.Status == http.StatusUnauthorized {
		h.Set(echo.HeaderWWWAuthenticate, "Bearer")
	}
	c.Response().WriteHeader(p.Status)
	return api.WriteJSON(c.Response(), p)
}

// A call is a request to an operation, as huma sees it.
type call struct {
	op     *huma.Operation
	c      *echo.Context
	status int
}

func (r *call) Operation() *huma.Operation { return r.op }
func (r *call) Context() context.Context {
	return context.WithValue(r.c.Request().Context(), callKey{}, r.c)
}
func (r *call) TLS() *tls.ConnectionState { return r.c.Request().TLS }
func (r *call) Version() huma.ProtoVersion {
	q := r.c.Request()
	return huma.ProtoVersion{Proto: q.Proto, ProtoMajor: q.ProtoMajor, ProtoMinor: q.ProtoMinor}
}
func (r *call) Method() string            { return r.c.Request().Method }
func (r *call) Host() string              { return r.c.Request().Host }
func (r *call) RemoteAddr() string        { return r.c.Request().RemoteAddr }
func (r *call) URL() url.URL              { return *r.c.Request().URL }
func (r *call) Param(name string) string  { return r.c.Param(name) }
func (r *call) Query(name string) string  { return r.c.QueryParam(name) }
func (r *call) Header(name string) string { return r.c.Request().Header.Get(name) }
func (r *call) BodyReader() io.Reader     { return r.c.Request().Body }
func (r *call) SetHeader(name, v string)  { r.c.Response().Header().Set(name, v) }
func (r *call) AppendHeader(n, v string)  { r.c.Response().Header().Add(n, v) }
func (r *call) BodyWriter() io.Writer     { return r.c.Response() }
func (r *call) Status() int               { return r.status }
func (r *call) SetStatus(status int)      { r.status = status; r.c.Response().WriteHeader(status) }
func (r *call) EachHeader(each func(n, v string)) {
	for name, values := range r.c.Request().Header {
		for _, v := range values {
			each(name, v)
		}
	}
}
func (r *call) GetMultipartForm() (*multipart.Form, error) { return r.c.Request().MultipartForm, nil }
func (r *call) SetReadDeadline(t time.Time) error {
	return http.NewResponseController(r.c.Response()).SetReadDeadline(t)
}
