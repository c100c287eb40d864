package templates

// An ErrorView is what is shown instead of a page. It never holds the text of
// an internal error.
type ErrorView struct {
	Page
	Code      int    // HTTP status
	Heading   string // what happened; empty: the usual words for the code
	Text      string // more about it; may be empty
	Advice    string // what to do; empty: the usual advice for the code
	RequestID string // to quote to the admin; shown with codes from 500
}

// usual are the words for a status when the caller has none.
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

func (v ErrorView) heading() string {
	if v.Heading != "" {
		return v.Heading
	}
	if words, ok := usual[v.Code]; ok {
		return words[0]
	}
	if v.Code >= 500 {
		return usual[500][0]
	}
	return usual[400][0]
}

func (v ErrorView) advice() string {
	if v.Advice != "" {
		return v.Advice
	}
	if words, ok := usual[v.Code]; ok {
		return words[1]
	}
	if v.Code >= 500 {
		return usual[500][1]
	}
	return usual[400][1]
}
