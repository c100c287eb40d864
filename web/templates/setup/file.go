package setup

import (
	"fmt"
	"time"

	"annotate/internal/format"
	"annotate/internal/wire"
	"annotate/web/templates"
)

// A FileView is a file of a large campaign, which is prepared in the background.
type FileView struct {
	templates.Page
	Title, Name   string
	Format, Query string    // name it in addresses
	Busy          *wire.Job // nil: it is not being prepared
	Failed        string    // why it was not prepared; empty: it was
	Ready         bool
	Size          int64 // bytes
	At            time.Time
	Stale         bool     // the campaign has changed since
	Notes         []string // what the file leaves out or changes
}

func (v FileView) path(sub string) string {
	return templates.WithQuery(v.Campaign.Path("files/"+v.Format+sub), v.Query)
}

// lossy reports whether the format can't carry everything that a campaign may have. The
// README of an archive says this of its files.
func (v FileView) lossy() bool {
	f := format.Lookup(v.Format)
	return f.Output != nil && f.Output.Lossy
}

// lead says what the file is made of.
func (v FileView) lead() string {
	if !v.Ready {
		return v.Name
	}
	return fmt.Sprintf("%s, %s, from the state of %s.", v.Name, sizeOf(v.Size), templates.MomentOf(v.Clock, v.At))
}

// sizeOf is a number of bytes in words: "312 bytes", "4.2 KB", "17.0 MB" or "4.3 GB".
func sizeOf(bytes int64) string {
	switch {
	case bytes < 1e3:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1e6:
		return fmt.Sprintf("%.1f KB", float64(bytes)/1e3)
	case bytes < 1e9:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}
