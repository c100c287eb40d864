package server

import (
	"io/fs"
	"mime"
	"net/http"
	"path/filepath"

	"github.com/labstack/echo/v5"

	"annotate/internal/server/site"
	"annotate/web"
)

// static serves the embedded files below the hash of them all; they never
// change under one address.
func (s *Server) static() echo.HandlerFunc {
	files := http.StripPrefix(web.Prefix()+"/", http.FileServerFS(web.Files()))
	return func(c *echo.Context) error {
		path := c.Param("*")
		if info, err := fs.Stat(web.Files(), path); err != nil || info.IsDir() {
			return echo.ErrNotFound
		}
		c.Response().Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		c.Response().Header().Set("Vary", "Accept-Encoding")
		if text, ok := web.Gzipped(path); ok && site.AcceptsGzip(c.Request()) {
			c.Response().Header().Set("Content-Encoding", "gzip")
			return c.Blob(http.StatusOK, mime.TypeByExtension(filepath.Ext(path)), text)
		}
		files.ServeHTTP(c.Response(), c.Request())
		return nil
	}
}
