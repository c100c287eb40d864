package templates

// A Confirmation is a button that asks once more before it acts. It needs no
// script: the question is a popover.
type Confirmation struct {
	ID     string // unique on the page
	Label  string // of the button that asks
	About  string // whom or what it is about, read out behind the label
	Class  string // of that button, e.g. "btn-small"
	Title  string // the question
	Text   string // what follows from it
	Action string // where the form posts to
	Button string // of the button that acts
	Danger bool
}
