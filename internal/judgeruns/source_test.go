package judgeruns_test

import (
	"fmt"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/judgeruns"
	"annotate/internal/provider"
	"annotate/internal/store/storetest"
)

// A judge of sources judges each source once, also one with several candidates. Its reason is stored, its scores order and limit the
// list of segments, and the filter hands out by them. Methods of translations and of sources refuse each other's campaigns.
func TestJudgeOfSources(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := newSite(t, db, func(c provider.Chat) provider.Answer {
			if strings.Contains(c.Last(), "Candidate") || !strings.Contains(c.Last(), "from Chinese into English") {
				t.Errorf("the model was asked %q", c.Last())
			}
			for i := range 4 {
				if strings.Contains(c.Last(), fmt.Sprint("Sentence ", i)) {
					return provider.Answer{Text: fmt.Sprintf(`{"reason": "Reason %d.", "score": %d}`, i, 20*i)}
				}
			}
			return provider.Answer{Text: "I would rather not."}
		}, storetest.Protocol("inspect"), storetest.Segments(0), storetest.Annotators(1), storetest.Set("redundancy=1"))
		for i := range 5 {
			g := campaign.Segment{DocID: "d", SegmentID: fmt.Sprint("s", i), Source: fmt.Sprint("Sentence ", i), Translations: campaign.ItselfOnly()}
			for k := range i {
				g.Candidates = append(g.Candidates, campaign.CandidateText{Name: fmt.Sprint("c", k), Text: fmt.Sprint("Candidate ", k)})
			}
			storetest.ImportSegments(t, s.Sample, g)
		}
		o := options(t, "difficulty")
		o.Concurrency = 1
		f := storetest.Must(db.JudgeRuns.Predict(t.Context(), s.Campaign, o))(t)
		if f.Translations != 5 || f.Segments != 5 || f.Usual != 5 || f.Object != "source" || s.Asked() != 0 {
			t.Errorf("the forecast is %+v after %d calls", f, s.Asked())
		}
		p := s.run(t, o)
		if p.State != judgeruns.JudgeDone || p.Judged != 5 || p.Unparsable != 1 || s.Asked() != 4+3 || p.Reason != "the answers for 1 of 5 sources could not be read, so they have no score" {
			t.Errorf("the run ended %+v after %d calls", p, s.Asked())
		}
		lines := s.lines(t)
		if j := lines[3]; *j.Score != 60 || j.Why != "Reason 3." || j.System != "" || len(j.Trace) != 1 || lines[4].Score != nil {
			t.Errorf("judged is %+v", lines)
		}
		least := 20.0
		found, total, err := db.Desk.Segments(t.Context(), s.Campaign.ID, desk.SegmentFilter{Metric: "j", Sort: desk.SortScore, Reverse: true, Least: &least, Limit: 2})
		if err != nil || total != 3 || len(found) != 2 || found[0].SegmentID != "s3" || found[0].Score != 60 || found[1].SegmentID != "s2" {
			t.Errorf("listed are %d: %+v, %v", total, found, err)
		}
		s.Change(t, "filter=j>=60")
		if n := s.Progress(t).LeftOut; n != 4 {
			t.Errorf("the filter leaves out %d", n)
		}
		if id := storetest.Must(db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[0].ID))(t); s.Work(t, 0, id).Source != "Sentence 3" {
			t.Errorf("handed out is %q", s.Work(t, 0, id).Source)
		}
		o = options(t, "gemba-da")
		o.Name = "other"
		if _, err := db.JudgeRuns.Run(t.Context(), s.Campaign, s.provider, o); err == nil || !strings.Contains(err.Error(), "judges translations") {
			t.Errorf("a method of translations: %v", err)
		}
		of := storetest.Campaign(t, db.Store, storetest.Slug("sqm"))
		if _, err := db.JudgeRuns.Run(t.Context(), of.Campaign, s.provider, options(t, "difficulty")); err == nil || !strings.Contains(err.Error(), "judges sources") {
			t.Errorf("a method of sources: %v", err)
		}
	})
}
