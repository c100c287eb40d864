package templates

import (
	"net/url"

	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

// A ProblemsView lists what annotators could not judge. Each open problem has a
// form that posts answer and do (return or withdraw) to …/problems/{id}.
type ProblemsView struct {
	Page
	Clock
	Paging
	Open     int                 // open problems, on all pages
	Problems []readmodel.Problem // of this page; open ones first, then the latest
	Source   Lang
	Refused  string // id of the problem whose answer was refused; empty: none
	Answer   string // as typed there
	Errors   map[string]string
}

func (v ProblemsView) split() (open, resolved []readmodel.Problem) {
	for _, p := range v.Problems {
		if p.ResolvedAt.IsZero() {
			open = append(open, p)
		} else {
			resolved = append(resolved, p)
		}
	}
	return open, resolved
}

func (v ProblemsView) lead() string {
	if v.Open == 0 {
		return ""
	}
	return wording.Counted(v.Open, "open problem") + ", the latest first. A segment with an open problem is handed out to nobody."
}

// answered is what was typed for a problem whose answer was refused.
func (v ProblemsView) answered(p readmodel.Problem) (answer, problem string) {
	if v.Refused != p.ID {
		return "", ""
	}
	return v.Answer, either(v.Errors, "answer", "do", "")
}

func (v ProblemsView) action(p readmodel.Problem) string {
	return pageAddress(v.Campaign.Path("problems/"+url.PathEscape(p.ID)), nil, v.Number)
}
