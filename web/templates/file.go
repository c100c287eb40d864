package templates

import (
	"fmt"
	"time"
)

// A FileView is a file of a large campaign, which is prepared in the background.
type FileView struct {
	Page
	Clock         Clock
	Title, Name   string
	Format, Query string      // name it in addresses
	Busy          *ReportBusy // nil: it is not being prepared
	Failed        string      // why it was not prepared; empty: it was
	Ready         bool
	Size          int64 // bytes
	At            time.Time
	Stale         bool // the campaign has changed since
}

func (v FileView) path(sub string) string {
	p := v.Campaign.Path("files/" + v.Format + sub)
	if v.Query != "" {
		p += "?" + v.Query
	}
	return p
}

// archivePath is the page that prepares the archive of a report.
func (v ReportView) archivePath() string {
	return FileView{Page: v.Page, Format: "archive", Query: v.Query}.path("")
}

// ExportName is what the export page calls a format.
func ExportName(format string) string {
	for _, c := range (ExportView{}).cards() {
		if c.ID == format {
			return c.Name
		}
	}
	return format
}

// lead says what the file is made of.
func (v FileView) lead() string {
	if !v.Ready {
		return v.Name
	}
	return fmt.Sprintf("%s, %.1f MB, from the state of %s.", v.Name, float64(v.Size)/1e6, momentOf(v.Clock, v.At))
}
