package templates

// An ErrorView is what is shown instead of a page. It never holds the text of
// an internal error.
type ErrorView struct {
	Page
	Code      int    // HTTP status
	Text      string // more about it; may be empty
	RequestID string // to quote to the admin; shown with codes from 500
}

// usual are the words for a status: what happened, and what to do.
var usual = map[int][2]string{
	400: {"That request could not be read", "Go back and try again."},
	401: {"Please sign in", "Sign in and try again."},
	403: {"This is not open to you", "If you think it should be, ask the lead of the campaign."},
	404: {"There is nothing at this address", "Check the address, or start from My work."},
	405: {"That does not work here", "Go back and use the buttons of the page."},
	409: {"Something changed in the meantime", "Go back, reload the page and look again."},
	413: {"That is too large", "Send it in smaller parts."},
	422: {"Something in the form is not right", "Go back and correct it."},
	429: {"Too many requests", "Wait a minute and try again."},
	500: {"Something went wrong on our side", "What was saved is safe. Try again; if it happens twice, tell the admin."},
	503: {"The server is busy", "What was saved is safe. Try again in a minute."},
}

// words are what happened and what to do.
func (v ErrorView) words() (heading, advice string) {
	words, ok := usual[v.Code]
	switch {
	case !ok && v.Code >= 500:
		words = usual[500]
	case !ok:
		words = usual[400]
	}
	return words[0], words[1]
}
