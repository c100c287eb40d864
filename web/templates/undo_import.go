package templates

import (
	"net/url"

	"annotate/internal/readmodel"
)

// An UndoImportView asks whether to undo an import. It posts to its own address.
type UndoImportView struct {
	Page
	Clock
	Import  readmodel.Import
	Refused string // a sentence about why the import can't be undone; empty if it can
}

// undoImportPath returns the address of the page that asks whether to undo an import.
func (c Campaign) undoImportPath(id string) string {
	return c.Path("import/" + url.PathEscape(id) + "/undo")
}

// importer returns the login of the person who imported or undid an import, or "the command line".
func importer(login string) string {
	if login == "" {
		return "the command line"
	}
	return login
}
