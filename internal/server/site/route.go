package site

import (
	"net/http"

	"github.com/labstack/echo/v5"
)

// A Route is one row of the table of everything that the server answers.
type Route struct {
	Method  string
	Path    string
	Who     People // may ask for it; everybody else is refused
	Handler echo.HandlerFunc
}

// Get is a route that shows something.
func Get(path string, who People, handler echo.HandlerFunc) Route {
	return Route{http.MethodGet, path, who, handler}
}

// Head is a route that answers without a body.
func Head(path string, who People, handler echo.HandlerFunc) Route {
	return Route{http.MethodHead, path, who, handler}
}

// Post is a route that changes something.
func Post(path string, who People, handler echo.HandlerFunc) Route {
	return Route{http.MethodPost, path, who, handler}
}

// Put is a route by which a script of a page saves something. Repeating the request changes nothing more.
func Put(path string, who People, handler echo.HandlerFunc) Route {
	return Route{http.MethodPut, path, who, handler}
}
