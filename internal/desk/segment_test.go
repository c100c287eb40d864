package desk_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
)

// An annotator who joins a later round sees their own ratings of the last round that they
// submitted. An annotator who has submitted none sees no ratings.
func TestEarlierRatings(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3), storetest.Set("rounds=3"))
	ctx, c, row := t.Context(), s.Campaign, s.RowID(t, "d1", "s1")
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	storetest.WantErr(t, db.Rounds.ReplaceAnnotator(ctx, c.ID, row, "ann2", "ann3", "away", s.Lead.ID), nil)
	if w := s.Work(t, 2, s.Next(t, 2)); w.Assignment.Round != 2 || w.RatedBefore || len(w.Cards[0].Rating.Scores) > 0 {
		t.Errorf("who joins in round 2 sees %+v", w.Cards[0])
	}
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 2, 4, 2, 0)
	storetest.WantErr(t, db.Rounds.FurtherAnnotator(ctx, c.ID, []string{row}, "ann2", "back", s.Lead.ID), nil)
	w := s.Work(t, 1, s.Next(t, 1))
	sum := 0.0
	for _, card := range w.Cards {
		sum += card.Rating.Scores["sqm"]
	}
	if w.Assignment.Round != 3 || !w.RatedBefore || sum != 6 {
		t.Errorf("who is back in round 3 sees %+v", w)
	}
}

// A segment's page and the queue know which turns nobody is asked for any more.
func TestTurnsThatAreNotNeeded(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	a := storetest.Leading{T: t, Sample: s}
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	want := func(work campaign.Work) {
		t.Helper()
		d := s.Detail(t, "s1")
		second := slices.DeleteFunc(d.Turns, func(turn readmodel.Turn) bool { return turn.Round != 2 })
		if len(second) != 2 || second[0].Work != work || second[1].Work != work {
			t.Errorf("turns of the second look %+v, want %s", second, work)
		}
	}
	want(campaign.WorkAsked)
	q := storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Limit: 9}))(t)
	if len(q.Entries) != 1 || q.Entries[0].Turns[0].Work != campaign.WorkAsked {
		t.Errorf("queue %+v", q.Entries)
	}
	a.Done(a.AcceptMeans("s1"))
	want(campaign.WorkKept)
	a.Done(a.Undo("s1"))
	want(campaign.WorkAsked)
	s.Change(t, "threshold=-1")
	want(campaign.WorkOver)
}

// TestSegmentsOfAnnotatorInHiding: the list of what an annotator has submitted leaves out what an import hides.
func TestSegmentsOfAnnotatorInHiding(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(3))
		for range 3 {
			s.RateNext(t, 0, 1, 2, 3)
		}
		storetest.Exec(t, db, "INSERT INTO staged_imports (campaign_id, id, after_position) VALUES (?, 'i', 2)", s.Campaign.ID)
		found, _, err := db.Desk.Segments(t.Context(), s.Campaign.ID, desk.SegmentFilter{Annotator: "ann1", Reverse: true, Limit: 2})
		storetest.Check(t, err)
		storetest.Exec(t, db, "DELETE FROM staged_imports")
		var got []string
		for _, e := range found {
			got = append(got, e.SegmentID)
		}
		if !slices.Equal(got, []string{"s2", "s1"}) {
			t.Errorf("the list has %v", got)
		}
	})
}

func TestSegments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(0))
		var segments []campaign.Segment
		for n, source := range []string{"Ärger im Büro", "100 % sicher", "a_b", `back\slash`, "GROSS und klein", "axb 100 Z sicher", "東京 は", "last"} {
			seg := storetest.Segment(n+1, n/2+1, []string{"a", "b"})
			seg.Source, seg.Domain = source, []string{"news", "chat"}[n%2]
			segments = append(segments, seg)
		}
		segments[7].SegmentID, segments[7].DocID = "Special-ID", "Special-Doc"
		storetest.ImportSegments(t, s, segments...)
		storetest.ImportSegments(t, storetest.Campaign(t, db.Store, storetest.Slug("other"), storetest.Segments(0)), segments...)
		a := s.Next(t, 0)
		s.Rate(t, 0, a, 0, 4)
		s.RateNext(t, 0, 0, 4)
		s.RateNext(t, 1, 0, 4) // least covered: s3
		storetest.ReportProblem(t, s, 1, s.Next(t, 1), "x")
		for _, tt := range []struct {
			name   string
			filter desk.SegmentFilter
			want   string
		}{
			{"all", desk.SegmentFilter{}, "s1 s2 s3 s4 s5 s6 s7 Special-ID"},
			{"domain", desk.SegmentFilter{Domain: "chat"}, "s2 s4 s6 Special-ID"},
			{"status", desk.SegmentFilter{Status: campaign.Agreed}, ""},
			{"case of ASCII", desk.SegmentFilter{Text: "gross UND"}, "s5"},
			{"other letters as they are", desk.SegmentFilter{Text: "Ärger"}, "s1"},
			{"no wildcard %", desk.SegmentFilter{Text: "0 % s"}, "s2"},
			{"no wildcard _", desk.SegmentFilter{Text: "a_b"}, "s3"},
			{"backslash", desk.SegmentFilter{Text: `k\s`}, "s4"},
			{"Japanese", desk.SegmentFilter{Text: "東京"}, "s7"},
			{"segment id", desk.SegmentFilter{Text: "special-id"}, "Special-ID"},
			{"document id", desk.SegmentFilter{Text: "special-doc"}, "Special-ID"},
			{"nothing", desk.SegmentFilter{Text: "nowhere"}, ""},
			{"several pages", desk.SegmentFilter{Text: "s"}, "s1 s2 s3 s4 s5 s6 s7 Special-ID"},
			{"a full last page", desk.SegmentFilter{Text: "er"}, "s1 s2 s6"},
			{"several pages backwards", desk.SegmentFilter{Text: "s", Reverse: true}, "Special-ID s7 s6 s5 s4 s3 s2 s1"},
			{"an annotator", desk.SegmentFilter{Annotator: "ann1"}, "s1 s2"},
			{"an annotator backwards", desk.SegmentFilter{Annotator: "ann1", Reverse: true}, "s2 s1"},
			{"an annotator, by id", desk.SegmentFilter{Annotator: "ann1", Sort: desk.SortID}, "s1 s2"},
			{"an annotator's text", desk.SegmentFilter{Annotator: "ann1", Text: "sicher"}, "s2"},
			{"by id", desk.SegmentFilter{Sort: desk.SortID}, "Special-ID s1 s2 s3 s4 s5 s6 s7"},
			{"together", desk.SegmentFilter{Text: "1", Domain: "news", Status: campaign.Pending}, "s1"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				var got []string
				for offset := 0; ; offset += 3 {
					tt.filter.Offset, tt.filter.Limit = offset, 3
					page, total, err := db.Desk.Segments(t.Context(), s.Campaign.ID, tt.filter)
					storetest.Check(t, err)
					if total != len(strings.Fields(tt.want)) {
						t.Errorf("%d in all, want %d", total, len(strings.Fields(tt.want)))
					}
					for _, e := range page {
						got = append(got, e.SegmentID)
					}
					if len(page) < 3 {
						break
					}
				}
				if strings.Join(got, " ") != tt.want {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			})
		}
		all, _, err := db.Desk.Segments(t.Context(), s.Campaign.ID, desk.SegmentFilter{Limit: 9})
		storetest.Check(t, err)
		if e := all[0]; e.Taken != 1 || e.Submitted != 1 || e.Held || e.Round != 1 || e.Status != campaign.Pending || e.Source != "Ärger im Büro" || e.DocID != "d1" || e.Domain != "news" {
			t.Errorf("s1 is %+v", e)
		}
		if e := all[3]; !e.Held || e.Taken != 0 || e.Submitted != 0 {
			t.Errorf("s4 is %+v, want it held and its place free", e)
		}
		// The queue has a reported problem of the first round as well.
		q := storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: desk.QueueHeld, Limit: 9}))(t)
		if len(q.Entries) != 1 || q.Entries[0].ID != all[3].ID || q.Counts[desk.QueueHeld] != 1 || q.Counts[desk.QueueWaiting] != 0 || q.Counts[""] != 0 {
			t.Errorf("reported are %+v", q)
		}
		if domains := storetest.Must(db.Desk.Domains(t.Context(), s.Campaign.ID))(t); !slices.Equal(domains, []string{"chat", "news"}) {
			t.Errorf("domains %q", domains)
		}
	})
}

func TestSegmentDetail(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(3), storetest.PerDocument(3))
	other := storetest.Campaign(t, db.Store, storetest.Slug("other"))
	rows := []string{s.RowID(t, "d1", "s1"), s.RowID(t, "d1", "s2"), s.RowID(t, "d1", "s3")}
	s.RateNext(t, 0, 0, 2, 4)
	s.Next(t, 1)
	for i, row := range rows {
		d := storetest.Must(db.Desk.Segment(t.Context(), s.Campaign, row))(t)
		if d.ID != row || !reflect.DeepEqual(d.Segment, s.All(t)[i]) {
			t.Errorf("detail %+v, want %+v", d.Segment, s.All(t)[i])
		}
		before, after := "", ""
		if i > 0 {
			before = rows[i-1]
		}
		if i < 2 {
			after = rows[i+1]
		}
		if d.Before != before || d.After != after {
			t.Errorf("neighbours of %d are %q and %q", i, d.Before, d.After)
		}
	}
	d := storetest.Must(db.Desk.Segment(t.Context(), s.Campaign, rows[0]))(t)
	turns := []readmodel.Turn{
		{Login: "ann1", Round: 1, State: campaign.Submitted, Work: campaign.WorkAsked, Counts: true, Begun: true, StartedAt: storetest.Start, TouchedAt: storetest.Start, SubmittedAt: storetest.Start},
		{Login: "ann2", Round: 1, State: campaign.InWork, Work: campaign.WorkAsked, StartedAt: storetest.Start, TouchedAt: storetest.Start},
	}
	if !slices.Equal(d.Turns, turns) {
		t.Errorf("turns %+v, want %+v", d.Turns, turns)
	}
	_, err := db.Desk.Segment(t.Context(), other.Campaign, rows[0])
	storetest.WantErr(t, err, campaign.ErrNotFound)
	_, err = db.Records.SegmentRowID(t.Context(), s.Campaign.ID, "d1", "s9")
	storetest.WantErr(t, err, campaign.ErrNotFound)
}
