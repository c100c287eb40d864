package intake_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

func TestImportRatingsRefuses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.PerDocument(4))
		storetest.ImportSegments(t, s, func() campaign.Segment { // s1 of d9, too
			seg := storetest.Segment(1, 9, s.Systems)
			return seg
		}())
		storetest.ImportRatings(t, s, storetest.RatingLine("s2", "sys-001", "old", 1, 3))
		s.Next(t, 0) // ann1 has s1 in work
		before := storetest.RowCounts(t, db)
		ambiguous, elsewhere := storetest.RatingLine("s1", "sys-001", "x", 1, 3), storetest.RatingLine("s2", "sys-001", "x", 1, 3)
		ambiguous.DocID, elsewhere.DocID = "", "d9"
		noScore := storetest.RatingLine("s2", "sys-001", "x", 1, 3)
		noScore.Scores = nil
		for _, tt := range []struct {
			name    string
			ratings []campaign.RatingLine
			want    string
		}{
			{"no such segment", []campaign.RatingLine{storetest.RatingLine("s77", "sys-001", "x", 1, 3)}, `1 segment_id no segment "s77" in document "d1"`},
			{"not in this document", []campaign.RatingLine{elsewhere}, `1 segment_id no segment "s2" in document "d9"`},
			{"in several documents", []campaign.RatingLine{ambiguous}, `1 segment_id several documents have a segment "s1"`},
			{"no such system", []campaign.RatingLine{storetest.RatingLine("s2", "sys-009", "x", 1, 3)}, `1 system no system "sys-009"`},
			{"twice in the file", []campaign.RatingLine{storetest.RatingLine("s3", "sys-001", "x", 1, 3), storetest.RatingLine("s3", "sys-002", "x", 1, 3), storetest.RatingLine("s3", "sys-001", "x", 1, 2)},
				`3 annotator x has rated this translation in round 1 already`},
			{"there already", []campaign.RatingLine{storetest.RatingLine("s2", "sys-002", "old", 1, 3), storetest.RatingLine("s2", "sys-001", "old", 1, 3)},
				`2 annotator old has rated this translation in round 1 already`},
			{"lower round missing", []campaign.RatingLine{storetest.RatingLine("s3", "sys-001", "x", 1, 3), storetest.RatingLine("s4", "sys-001", "x", 2, 3), storetest.RatingLine("s4", "sys-002", "x", 2, 3)},
				`3 round ratings of round 2 but none of round 1`},
			{"a round left out", append(storetest.TurnLines(s, "s4", "x", 1, 1, 2, 3), storetest.TurnLines(s, "s4", "x", 3, 1, 2, 3)...),
				`6 round ratings of round 3 but none of round 2`},
			{"in work", []campaign.RatingLine{storetest.RatingLine("s1", "sys-001", "ann1", 1, 3)}, `1 annotator ann1 has this segment in work in round 1`},
			{"not an annotator", []campaign.RatingLine{storetest.RatingLine("s2", "sys-001", "lead", 1, 3), storetest.RatingLine("s2", "sys-001", "researcher", 1, 3)},
				`1 annotator lead has the role lead in this campaign, and only annotators rate` + "\n" + `2 annotator researcher has the role researcher in this campaign, and only annotators rate`},
			{"no login", []campaign.RatingLine{storetest.RatingLine("s2", "sys-001", "a b", 1, 3)}, `1 annotator letters, digits`},
			{"no score", []campaign.RatingLine{noScore}, `1 scores needs a score`},
			{"score", []campaign.RatingLine{storetest.RatingLine("s2", "sys-001", "x", 1, 5), storetest.RatingLine("s2", "sys-001", "x", 1, 2.5)},
				`1 sqm from 0 to 4` + "\n" + `2 sqm from 0 to 4`},
			{"several", []campaign.RatingLine{storetest.RatingLine("s4", "sys-001", "x", 2, 3), storetest.RatingLine("s77", "sys-001", "x", 1, 3)},
				`1 round but none of round 1` + "\n" + `2 segment_id no segment "s77"`},
		} {
			t.Run(tt.name, func(t *testing.T) {
				for _, check := range []bool{true, false} {
					_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(tt.ratings...), intake.ImportOptions{Check: check})
					storetest.WantProblems(t, err, strings.Split(tt.want, "\n")...)
				}
				if after := storetest.RowCounts(t, db); !maps.Equal(before, after) {
					t.Errorf("a refused import left rows: %v, before %v", after, before)
				}
			})
		}
		storetest.Must(db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(storetest.RatingLine("s3", "sys-001", "new", 1, 3)), intake.ImportOptions{Check: true}))(t)
		if after := storetest.RowCounts(t, db); !maps.Equal(before, after) {
			t.Errorf("a check left rows: %v, before %v", after, before)
		}
	})
}

// What an import decides: agreed, sent back, discarded, ungated.
func TestImportRatingsDecides(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(5), storetest.PerDocument(5), storetest.Set("quota=1", "redundancy=1"))
	var file []campaign.RatingLine
	file = append(file, storetest.TurnLines(s, "s1", "x", 1, 0, 2, 4)...)
	file = append(file, storetest.TurnLines(s, "s1", "ann1", 1, 1, 2, 4)...) // agreed
	file = append(file, storetest.TurnLines(s, "s2", "x", 1, 0, 2, 4)...)
	file = append(file, storetest.TurnLines(s, "s2", "ann1", 1, 4, 2, 0)...) // sent back
	file = append(file, storetest.TurnLines(s, "s3", "x", 1, 0, 2, 4)...)
	file = append(file, storetest.TurnLines(s, "s3", "ann1", 1, 4, 2, 0)...)
	file = append(file, storetest.TurnLines(s, "s3", "x", 2, 0, 2, 4)...)
	file = append(file, storetest.TurnLines(s, "s3", "ann1", 2, 4, 2, 1)...) // discarded
	file = append(file, storetest.TurnLines(s, "s4", "x", 1, 3, 3, 1)...)    // ungated
	for i := range file {
		file[i].Seconds, file[i].Comment, file[i].SubmittedAt = 1.5, fmt.Sprint("comment ", i), storetest.Start.Add(time.Duration(i)*time.Hour)
	}
	report := storetest.ImportRatings(t, s, file...)
	if report.Ratings != len(file) || !slices.Equal(report.NewAnnotators, []string{"x"}) {
		t.Errorf("report %+v", report)
	}
	want := map[campaign.Status]int{campaign.Agreed: 1, campaign.Reannotate: 1, campaign.Discarded: 1, campaign.Ungated: 1}
	if !maps.Equal(report.Decided, want) {
		t.Errorf("decided %v, want %v", report.Decided, want)
	}
	var exported []campaign.RatingLine
	for i, wantSeg := range []struct {
		status campaign.Status
		round  int
		gold   []float64
	}{
		{campaign.Agreed, 1, []float64{0.5, 2, 4}}, {campaign.Reannotate, 2, nil}, {campaign.Discarded, 2, nil},
		{campaign.Ungated, 1, []float64{3, 3, 1}}, {campaign.Pending, 1, nil},
	} {
		seg := s.All(t)[i]
		var gold []float64
		for _, tr := range seg.Translations {
			if tr.Gold != nil {
				gold = append(gold, tr.Gold.Score)
			}
			for _, r := range tr.Ratings {
				exported = append(exported, campaign.RatingLine{DocID: seg.DocID, SegmentID: seg.SegmentID, System: tr.System, Rating: r})
			}
		}
		if seg.Status != wantSeg.status || seg.Round != wantSeg.round || !slices.Equal(gold, wantSeg.gold) {
			t.Errorf("%s is %s in round %d with gold %v, want %+v", seg.SegmentID, seg.Status, seg.Round, gold, wantSeg)
		}
	}
	for _, want := range file {
		if !slices.ContainsFunc(exported, func(r campaign.RatingLine) bool { return reflect.DeepEqual(r, want) }) {
			t.Errorf("%+v did not come back", want)
		}
	}
	// The same two have s2 to do again, whatever the quota.
	again := s.Work(t, 0, s.Next(t, 0))
	if again.Assignment.Round != 2 || again.Source != storetest.Segment(2, 1, nil).Source {
		t.Errorf("ann1 is given %+v, want s2 again", again.Assignment)
	}
	// Nobody waits for x, whose account came with the import and can't sign in.
	storetest.WantCount(t, db, 1, "assignments a JOIN users u ON u.id = a.user_id WHERE a.round = 2 AND a.state = 'open' AND u.login IN ('x', 'ann1')")
	storetest.WantLogged(t, db, s, "lead import ratings r.jsonl: 27 ratings")
}

func TestImportedAnnotators(t *testing.T) {
	db, s := storetest.New(t, storetest.PerDocument(4))
	storetest.AddUser(t, db, "known")
	report := storetest.ImportRatings(t, s, storetest.RatingLine("s1", "sys-001", "new", 1, 3), storetest.RatingLine("s1", "sys-001", "known", 1, 3), storetest.RatingLine("s1", "sys-001", "ann2", 1, 3))
	if !slices.Equal(report.NewAnnotators, []string{"new"}) {
		t.Errorf("new annotators %q", report.NewAnnotators)
	}
	for _, login := range []string{"new", "known"} {
		m := storetest.MembershipOf(t, s, login)
		if m.Role != campaign.Annotator || m.Removed || m.CanSignIn || m.User.Role != accounts.Member || m.User.PasswordHash != "" || !m.Fixed {
			t.Errorf("%s is %+v", login, m)
		}
	}
	if n := storetest.Count(t, db, "sign_in_links") + storetest.Count(t, db, "sessions"); n != 0 {
		t.Errorf("an import made %d links and sessions", n)
	}
	// A member who was removed stays removed.
	s.Remove(t, "new")
	storetest.ImportRatings(t, s, storetest.RatingLine("s2", "sys-001", "new", 1, 3))
	if m := storetest.MembershipOf(t, s, "new"); !m.Removed {
		t.Error("an import brought a removed member back")
	}
}

// A second file may add to what a first one brought.
func TestImportRatingsTwice(t *testing.T) {
	db, s := storetest.New(t, storetest.PerDocument(4))
	status := func(want campaign.Status, round int) {
		t.Helper()
		if seg := s.All(t)[0]; seg.Status != want || seg.Round != round {
			t.Errorf("s1 is %s in round %d, want %s in %d", seg.Status, seg.Round, want, round)
		}
	}
	storetest.ImportRatings(t, s, storetest.TurnLines(s, "s1", "x", 1, 0, 2, 4)...)
	status(campaign.Ungated, 1)
	storetest.ImportRatings(t, s, storetest.TurnLines(s, "s1", "y", 1, 0, 2, 4)[:2]...)
	status(campaign.Agreed, 1)                                                      // 0 and 0, 2 and 2: too few, but close
	storetest.ImportRatings(t, s, storetest.TurnLines(s, "s1", "y", 1, 0, 2, 0)[2]) // the rest of y
	status(campaign.Reannotate, 2)
	if q := storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Limit: 9}))(t); q.Counts[desk.QueueStranded] != 1 {
		t.Errorf("nobody can go on with %d segments, want 1: both came with an import", q.Counts[desk.QueueStranded])
	}
	// Given a link, they are waited for.
	for _, login := range []string{"x", "y"} {
		u := storetest.Must(db.Accounts.UserByLogin(t.Context(), login))(t)
		storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t)
	}
	seeds := storetest.Query[int64](t, db, "SELECT seed FROM assignments a JOIN users u ON u.id = a.user_id WHERE u.login = 'x' ORDER BY round")
	if len(seeds) != 2 || seeds[0] != seeds[1] {
		t.Errorf("seeds %v, want the same order of cards in both rounds", seeds)
	}
	sums := storetest.Query[struct {
		Ratings int
		Taken   int
	}](t, db, "SELECT a.ratings, s.taken FROM assignments a JOIN segments s ON s.id = a.segment_id JOIN users u ON u.id = a.user_id WHERE u.login = 'y' AND a.round = 1")
	if sums[0].Ratings != 3 || sums[0].Taken != 2 {
		t.Errorf("sums %+v, want 3 ratings and 2 places", sums[0])
	}
}

// With the gate on, a file with round 1 asks for round 2, which later files then bring.
func TestImportRoundsOneByOne(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.PerDocument(4))
		storetest.ImportRatings(t, s, append(storetest.TurnLines(s, "s1", "x", 1, 0, 2, 4), storetest.TurnLines(s, "s1", "y", 1, 4, 2, 0)...)...)
		storetest.WantCount(t, db, 0, "assignments WHERE round = 2")
		status := func(want campaign.Status) {
			t.Helper()
			if seg := s.All(t)[0]; seg.Status != want || seg.Round != 2 {
				t.Errorf("s1 is %s in round %d, want %s in 2", seg.Status, seg.Round, want)
			}
		}
		later := storetest.TurnLines(s, "s1", "x", 2, 0, 2, 4)
		for i := range later {
			later[i].Seconds, later[i].SubmittedAt = 2, storetest.Start.Add(time.Hour)
		}
		if report := storetest.ImportRatings(t, s, later...); report.Decided != nil {
			t.Errorf("decided %v while y has yet to look", report.Decided)
		}
		status(campaign.Reannotate)
		report := storetest.ImportRatings(t, s, storetest.TurnLines(s, "s1", "y", 2, 0, 2, 3)...)
		if !maps.Equal(report.Decided, map[campaign.Status]int{campaign.Agreed: 1}) {
			t.Errorf("decided %v", report.Decided)
		}
		status(campaign.Agreed)
		at := storetest.Start.Add(time.Hour).UnixMicro()
		if n := storetest.Count(t, db, fmt.Sprintf("assignments WHERE round = 2 AND state = 'submitted' AND ratings = 3 AND (seconds = 6 AND submitted_at = %d OR seconds = 0 AND submitted_at = 0)", at)); n != 2 {
			t.Errorf("%d second looks with their sums, want 2", n)
		}
		if n := len(storetest.Query[int64](t, db, "SELECT DISTINCT seed FROM assignments")); n != 2 {
			t.Errorf("%d orders of cards, want one per annotator", n)
		}
	})
}

// A second look that somebody has begun is theirs.
func TestImportBesideASecondLookThatIsBegun(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.PerDocument(4))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	again := s.Next(t, 0)
	s.Save(t, 0, again, 0, 3)
	storetest.Exec(t, db, "UPDATE assignments SET state = 'problem' WHERE round = 2 AND user_id = ?", s.Annotators[1].ID)
	file := []campaign.RatingLine{storetest.RatingLine("s1", "sys-001", "ann1", 2, 3), storetest.RatingLine("s1", "sys-001", "ann2", 2, 3)}
	before := storetest.RowCounts(t, db)
	_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(file...), intake.ImportOptions{})
	storetest.WantProblems(t, err, "1 annotator ann1 has this segment in work in round 2 and has saved drafts, which an import does not replace; leave these ratings out of the file, and wait until the work is submitted or let a lead withdraw the segment",
		"2 annotator ann2 has this segment in work in round 2 and has reported a problem")
	if after := storetest.RowCounts(t, db); !maps.Equal(before, after) {
		t.Errorf("a refused import left rows: %v, before %v", after, before)
	}
	storetest.WantCount(t, db, 0, "assignments WHERE round = 2 AND state = 'submitted'")
}

// An import to a round that is decided leaves a later one alone that is under way.
func TestImportWhileASecondLookIsUnderWay(t *testing.T) {
	_, s := storetest.New(t, storetest.Segments(1), storetest.PerDocument(4))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	s.RateNext(t, 0, 0, 2, 4) // the second look of ann1, while ann2 has it open
	storetest.ImportRatings(t, s, storetest.TurnLines(s, "s1", "late", 1, 0, 2, 4)...)
	if seg := s.All(t)[0]; seg.Status != campaign.Reannotate || seg.Round != 2 {
		t.Errorf("s1 is %s in round %d, want it to wait for ann2", seg.Status, seg.Round)
	}
	s.RateNext(t, 1, 0, 2, 4)
	if seg := s.All(t)[0]; seg.Status != campaign.Agreed || seg.Round != 2 {
		t.Errorf("s1 is %s in round %d, want agreed", seg.Status, seg.Round)
	}
}
