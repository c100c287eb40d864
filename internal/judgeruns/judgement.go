package judgeruns

import (
	"cmp"
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/judge"
	"annotate/internal/protocol"
)

// judgementOf converts a judgement of a method into its stored form. texts has the source and the
// translation in which the errors are placed.
func judgementOf(o Options, rules *protocol.Protocol, j judge.Judgement, texts protocol.Texts) campaign.Judgement {
	out := campaign.Judgement{Status: campaign.JudgementOK, Score: j.Score, Scores: j.Scores, Why: database.Storable(cmp.Or(j.Why, j.Comment))}
	if j.Status != judge.OK {
		out.Status, out.Score = campaign.JudgementUnparsable, nil
	}
	if o.Method.Spans && (j.Status == judge.OK || len(j.Errors) > 0) {
		out.Spans = []protocol.ErrorSpan{}
	}
	for i, e := range j.Errors {
		s := spelt(rules, protocol.ErrorSpan{ID: fmt.Sprint(i + 1), Side: protocol.Side(e.Side), Severity: database.Storable(e.Severity),
			Category: database.Storable(e.Category), Comment: database.Storable(e.Comment)})
		if e.Placed {
			s.Start, s.End = e.Start, e.End
			if placed, bad := texts.Place(s); bad == nil {
				out.Spans = append(out.Spans, placed)
				continue
			}
		}
		s.Start, s.End, s.Text, s.Side = 0, 0, database.Storable(e.Text), protocol.Target
		if s.Text == "" {
			s.Text = "(no words)"
		}
		out.Unplaced = append(out.Unplaced, s)
	}
	return out
}

// spelt spells the severity and the category of a judge's error as the protocol does, if the protocol
// has them. Methods write a subcategory after a slash or a dash.
func spelt(rules *protocol.Protocol, s protocol.ErrorSpan) protocol.ErrorSpan {
	if !rules.MarksErrors() {
		return s
	}
	for _, c := range rules.Spans.Categories {
		n := len(c.Name)
		if len(s.Category) > n && strings.EqualFold(s.Category[:n], c.Name) && s.Category[n] == '-' {
			s.Category = s.Category[:n] + "/" + s.Category[n+1:]
		}
	}
	return rules.Canonical(s)
}
