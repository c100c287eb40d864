package setup

import (
	"annotate/internal/readmodel"
	"annotate/web/templates"
)

// An UndoImportView asks whether to undo an import. It posts to its own address.
type UndoImportView struct {
	templates.Page
	Import  readmodel.Import
	Refused string // a sentence about why the import can't be undone; empty if it can
}

// importer returns the login of the person who imported or undid an import, or "the command line".
func importer(login string) string {
	if login == "" {
		return "the command line"
	}
	return login
}
