package intake_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// judgedSegments is of how many segments a file of ratedAndJudged is: more than two steps
// place.
const judgedSegments = 30

// ratedAndJudged are ratings of all segments by x, and adjudications of all but the first
// three by judge.
func ratedAndJudged(s *storetest.Sample) iter.Seq2[campaign.RatingLine, error] {
	var lines []campaign.RatingLine
	for i := range judgedSegments {
		segment := fmt.Sprint("s", i+1)
		if i >= 3 {
			for _, line := range storetest.TurnLines(s, segment, "judge", 0, float64(i%5), 2) {
				line.Adjudicated = true
				lines = append(lines, line)
			}
		}
		lines = append(lines, storetest.TurnLines(s, segment, "x", 1, 3, float64(i%4))...)
	}
	return storetest.NumberedRatings(lines...)
}

func judgedSample(t *testing.T, st *store.Store, slug string) *storetest.Sample {
	storetest.SetImportStep(st, stagedStep)
	return storetest.Campaign(t, st, storetest.Slug(slug), storetest.Segments(judgedSegments), storetest.Systems(2), storetest.PerDocument(judgedSegments), storetest.Set("redundancy=1"))
}

// decidedAs is what an import of ratedAndJudged has left: exports, and what the audit log
// says of it.
func decidedAs(t *testing.T, db *storetest.DB, s *storetest.Sample) string {
	t.Helper()
	entries, _, err := db.AuditLog(t.Context(), s.Campaign.ID, 0, 1000)
	storetest.Check(t, err)
	var log []string
	for _, e := range entries {
		if e.Act == "import adjudication" {
			log = append(log, fmt.Sprintf("%s by %q: %s, %s -> %s", e.Subject, e.Login, e.Reason, e.Before, e.After))
		}
	}
	slices.Sort(log)
	var all []string
	for _, seg := range s.All(t) {
		for _, tr := range seg.Translations {
			a := campaign.Rating{}
			if tr.Adjudication != nil {
				a = *tr.Adjudication
			}
			all = append(all, fmt.Sprint(seg.SegmentID, seg.Status, seg.Round, tr.System, len(tr.Ratings), a.Annotator, a.Scores, *tr.Gold))
		}
	}
	return strings.Join(append(log, all...), "\n")
}

// A large file of ratings and adjudications is placed in steps, with each segment's
// adjudication after its ratings. An import whose program is killed meanwhile is completed
// by whoever comes next, and comes to what one transaction comes to. Its adjudications are
// undone as a whole.
func TestAdjudicationsInSteps(t *testing.T) {
	db := storetest.Open(t)
	opt := func(s *storetest.Sample) intake.ImportOptions {
		return intake.ImportOptions{File: "r.jsonl", ByID: s.Lead.ID}
	}
	whole := judgedSample(t, db.Store, "whole")
	storetest.SetPlaceAtOnce(db.Store, 100_000)
	want := storetest.Must(db.Intake.ImportRatings(t.Context(), whole.Campaign.ID, ratedAndJudged(whole), opt(whole)))(t)
	wanted := decidedAs(t, db, whole)
	if want.Decided[campaign.Adjudicated] != judgedSegments-3 || want.Decided[campaign.Ungated] != 3 || len(want.Decided) != 2 || want.Ratings != 4*judgedSegments-6 {
		t.Fatalf("in one transaction %+v", want)
	}
	if n := strings.Count(wanted, `by "lead": adjudication imported from r.jsonl, pending`); n != 0 {
		t.Errorf("%d adjudications came before the ratings of their segments", n)
	}

	storetest.SetPlaceAtOnce(db.Store, 10)
	storetest.SetActStep(db.Store, 20)
	s := judgedSample(t, db.Store, "steps")
	ctx, stop := context.WithCancel(t.Context())
	steps := 0
	storetest.OnPlaced(db.Store, func() {
		if steps++; steps > 1 {
			return
		}
		lead := storetest.Leading{T: t, Sample: s}
		for _, ids := range [][]string{{lead.Row("s1")}, {lead.Row("s1"), lead.Row("s2"), lead.Row("s3")}} {
			storetest.SetActStep(db.Store, 2)
			storetest.WantErr(t, db.Rounds.Discard(t.Context(), s.Campaign.ID, ids, "why", s.Lead.ID), campaign.ErrBusy)
		}
		storetest.SetActStep(db.Store, 20)
		stop() // as where the program is stopped
	})
	report := storetest.Must(db.Intake.ImportRatings(ctx, s.Campaign.ID, ratedAndJudged(s), opt(s)))(t)
	if len(report.Notes) != 1 || report.Ratings != want.Ratings {
		t.Errorf("the report of an import that is stopped: %+v", report)
	}
	storetest.OnPlaced(db.Store, nil)
	storetest.WantErr(t, db.Intake.Completing(t.Context(), s.Campaign.ID), campaign.ErrBusy)

	again := storetest.Reopen(t, db)
	storetest.Check(t, again.Intake.Settle(t.Context(), s.Campaign.ID))
	if got := decidedAs(t, db, s); got != wanted {
		t.Errorf("in steps\n%s\nin one\n%s", got, wanted)
	}
	if differences := storetest.Must(db.Desk.CheckTallies(t.Context(), s.Campaign.ID))(t); len(differences) > 0 {
		t.Errorf("%q", differences)
	}

	// One that is not stopped reports what one transaction reports.
	third := judgedSample(t, db.Store, "third")
	report = storetest.Must(db.Intake.ImportRatings(t.Context(), third.Campaign.ID, ratedAndJudged(third), opt(third)))(t)
	if fmt.Sprint(report.Decided) != fmt.Sprint(want.Decided) || len(report.Notes) > 0 {
		t.Errorf("decided %v, want %v; %q", report.Decided, want.Decided, report.Notes)
	}

	lead := storetest.Leading{T: t, Sample: s}
	storetest.WantErr(t, lead.Undo("s1"), campaign.ErrConflict) // has no adjudication
	storetest.Check(t, lead.Undo("s25"))
	if p := storetest.Must(db.Desk.Standing(t.Context(), s.Campaign))(t); p.Segments[campaign.Adjudicated] != 0 || p.Segments[campaign.Ungated] != judgedSegments {
		t.Errorf("undone, the segments are %v", p.Segments)
	}
}

// Somebody whom the import gives an account both rates and adjudicates under it, whichever
// lines come first.
func TestImportedAnnotatorAdjudicates(t *testing.T) {
	for _, slug := range []string{"judged-first", "rated-first"} {
		s := storetest.Campaign(t, storetest.Open(t).Store, storetest.Slug(slug), storetest.Segments(2), storetest.Systems(2))
		judged := storetest.TurnLines(s, "s2", slug, 0, 1, 2)
		for i := range judged {
			judged[i].Adjudicated = true
		}
		lines := slices.Concat(judged, storetest.TurnLines(s, "s1", slug, 1, 3, 4))
		if slug == "rated-first" {
			slices.Reverse(lines)
		}
		if report := storetest.ImportRatings(t, s, lines...); report.Ratings != 4 || fmt.Sprint(report.NewAnnotators) != "["+slug+"]" {
			t.Errorf("%s: %+v", slug, report)
		}
		all := s.All(t)
		if all[1].Status != campaign.Adjudicated || all[1].Translations[0].Adjudication.Annotator != slug || len(all[0].Translations[0].Ratings) != 1 {
			t.Errorf("%s: %+v", slug, all)
		}
	}
}

// An act on a segment, or on many, while its adjudication is being imported makes the
// import fail.
func TestImportAdjudicationsWhileALeadActs(t *testing.T) {
	db := storetest.Open(t)
	s := judgedSample(t, db.Store, "sample")
	lead := storetest.Leading{T: t, Sample: s}
	imports := func(do func()) error {
		_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, during(ratedAndJudged(s), 4*judgedSegments-6, do), intake.ImportOptions{File: "r.jsonl"})
		return err
	}
	err := imports(func() {
		storetest.Check(t, db.Rounds.Discard(t.Context(), s.Campaign.ID, []string{lead.Row("s20")}, "why", s.Lead.ID))
	})
	if err == nil || !strings.Contains(err.Error(), "the segment is decided here already: discard") || strings.Contains(err.Error(), "\n") {
		t.Errorf("decided meanwhile: %v", err)
	}
	storetest.Exec(t, db, "INSERT INTO jobs (id, kind, campaign_id) VALUES ('b', 'act', ?)", s.Campaign.ID)
	storetest.WantErr(t, imports(func() {}), campaign.ErrConflict)
	storetest.Exec(t, db, "DELETE FROM jobs")
	if n := storetest.Count(t, db, "ratings") + storetest.Count(t, db, "staged_ratings") + storetest.Count(t, db, "users WHERE imported"); n != 0 {
		t.Errorf("%d rows are left over", n)
	}
	storetest.Check(t, lead.Undo("s20"))
	storetest.Check(t, imports(func() {}))
}

// An adjudicator whose adjudications are being placed is handed nothing to annotate
// meanwhile, since they have seen the ratings.
func TestAdjudicatorIsNotHandedWhatIsImported(t *testing.T) {
	db := storetest.Open(t)
	s := judgedSample(t, db.Store, "sample")
	s.Join(t, "ann1", campaign.Adjudicator)
	lines := storetest.Changed(ratedAndJudged(s), func(line *campaign.RatingLine) {
		line.Rating.Annotator = strings.Replace(line.Rating.Annotator, "judge", "ann1", 1)
	})
	storetest.SetPlaceAtOnce(db.Store, 10)
	steps := 0
	storetest.OnPlaced(db.Store, func() {
		if steps++; steps == 1 {
			storetest.WantNext(t, s, 0, campaign.ErrBusy)
		}
	})
	storetest.Must(db.Intake.ImportRatings(t.Context(), s.Campaign.ID, lines, intake.ImportOptions{}))(t)
	if steps < 3 {
		t.Errorf("%d steps", steps)
	}
}
