package intake_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// Every field and every byte comes back, in the order of import.
func TestImportKeepsEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var want []campaign.Segment
	for i := range 260 { // more than an import and an export batch
		text := func() string {
			if i < len(storetest.HardTexts) {
				return storetest.HardTexts[i]
			}
			return storetest.RandomText(r)
		}
		seg := campaign.Segment{
			DocID: fmt.Sprint("doc ", i/7, text()), SegmentID: fmt.Sprint(i%9, " ", i/9, text()), Domain: text(), DataSource: text(),
			SourceLang: "zh", TargetLang: "en", Source: "x" + text(), Context: text(), Note: text(), Status: campaign.Pending, Round: 1,
		}
		if i%3 == 0 {
			seg.References = []campaign.Reference{{Name: "A", Text: text()}, {Name: "a" + text(), Text: text()}, {Name: "ref", Text: text()}}
			slices.SortFunc(seg.References, func(a, b campaign.Reference) int { return strings.Compare(a.Name, b.Name) })
		}
		for _, system := range []string{"B", "Z'\"", "a", "b 🙂", "ä"} { // in byte order
			tr := campaign.Translation{System: system, Text: text()}
			if i%4 == 0 {
				tr.HumanScores = []campaign.HumanScore{{Name: "Z", Score: 1.0 / 3}, {Name: "ment", Score: 4 * r.Float64()}}
			}
			seg.Translations = append(seg.Translations, tr)
		}
		want = append(want, seg)
	}
	db, s := storetest.New(t, storetest.Segments(0))
	report := storetest.ImportSegments(t, s, want[:150]...)
	if report.Segments != 150 || report.Translations != 750 || report.References != 150 || report.HumanScores != 38*5*2 {
		t.Errorf("report %+v", report)
	}
	if !slices.Equal(report.Systems, []string{"B", "Z'\"", "a", "b 🙂", "ä"}) {
		t.Errorf("systems %q", report.Systems)
	}
	storetest.ImportSegments(t, s, want[150:]...) // goes behind the first
	got := s.All(t)
	if len(got) != len(want) {
		t.Fatalf("%d segments, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("segment %d is\n%+v, want\n%+v", i, got[i], want[i])
		}
	}
	log := storetest.AuditLines(t, db, s)
	if want := []string{"lead import segments f.jsonl: 150 segments", "lead import segments f.jsonl: 110 segments"}; !slices.Equal(log[len(log)-2:], want) {
		t.Errorf("logged %q, want %q", log[len(log)-2:], want)
	}
}

func TestImportSegmentsRefuses(t *testing.T) {
	many := slices.Collect(segmentsOf(storetest.Lines(120, 2, []string{"a", "b"})))
	with := func(change func(segs []campaign.Segment) []campaign.Segment) []campaign.Segment {
		return change(slices.Clone(many))
	}
	tests := []struct {
		name     string
		segments []campaign.Segment
		want     string
	}{
		{"twice in a batch", with(func(s []campaign.Segment) []campaign.Segment { return slices.Insert(s, 5, s[2]) }),
			`6 segment_id "s3" of document "d2"`},
		{"twice in two batches", with(func(s []campaign.Segment) []campaign.Segment { return append(s, s[3], s[4]) }),
			`121 segment_id "s4" of document "d2"` + "\n" + `122 segment_id "s5"`},
		{"in the campaign already", with(func(s []campaign.Segment) []campaign.Segment {
			s[7] = storetest.Segment(1000, 500, []string{"a", "b"})
			return s
		}), `8 segment_id "s1000" of document "d500"`},
		{"a system too many", with(func(s []campaign.Segment) []campaign.Segment {
			s[9] = storetest.Segment(10, 5, []string{"a", "b", "c"})
			return s
		}), `10 translations the campaign has no system "c"`},
		{"a system missing", with(func(s []campaign.Segment) []campaign.Segment {
			s[110] = storetest.Segment(111, 56, []string{"b"})
			return s
		}), `111 translations there is no translation by the system "a"`},
		{"a system without a translation that isn't there", with(func(s []campaign.Segment) []campaign.Segment {
			s[9].Absent = []string{"c"}
			return s
		}), `10 translations the campaign has no system "c"`},
		{"a translation, and none", with(func(s []campaign.Segment) []campaign.Segment {
			s[9].Absent = []string{"b"}
			return s
		}), `10 translations the system "b" is there twice`},
	}
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(0))
		storetest.ImportSegments(t, s, storetest.Segment(1000, 500, []string{"a", "b"}))
		before := storetest.RowCounts(t, db)
		for _, tt := range tests {
			for _, check := range []bool{true, false} {
				_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(tt.segments...), intake.ImportOptions{File: "f.jsonl", Check: check})
				if storetest.WantProblems(t, err, strings.Split(tt.want, "\n")...); t.Failed() {
					t.Fatal(tt.name)
				}
			}
		}
		if after := storetest.RowCounts(t, db); !maps.Equal(before, after) {
			t.Errorf("refused imports left rows: %v, before %v", after, before)
		}
		storetest.ImportSegments(t, s, many...)
	})
}

func segmentsOf(seq iter.Seq2[campaign.SegmentLine, error]) iter.Seq[campaign.Segment] {
	return func(yield func(campaign.Segment) bool) {
		for line := range seq {
			if !yield(line.Segment) {
				return
			}
		}
	}
}

// Problems of the reader are collected with those of the store, and everything
// else ends the import at once.
func TestImportSegmentsOfABadStream(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(0))
	before := storetest.RowCounts(t, db)
	broken := errors.New("the cable was cut")
	stream := func(at error) iter.Seq2[campaign.SegmentLine, error] {
		return func(yield func(campaign.SegmentLine, error) bool) {
			for i := range 300 {
				line := campaign.SegmentLine{File: "f", Line: i + 1, Segment: storetest.Segment(i+1, 1, []string{"a"})}
				var err error
				switch {
				case i == 9 || i == 250:
					err = &campaign.Problem{File: "f", Line: i + 1, Field: "source", Msg: "is empty"}
				case i == 200:
					if line.Segment.SegmentID = "s1"; at == nil {
						break
					}
					if err = at; errors.Is(at, errPanic) {
						panic(at)
					}
				}
				if !yield(line, err) {
					return
				}
			}
		}
	}
	_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, stream(nil), intake.ImportOptions{})
	storetest.WantProblems(t, err, "10 source is empty", `201 segment_id "s1"`, "251 source is empty")
	_, err = db.Intake.ImportSegments(t.Context(), s.Campaign.ID, stream(broken), intake.ImportOptions{})
	storetest.WantErr(t, err, broken)
	_, err = db.Intake.ImportSegments(t.Context(), s.Campaign.ID, stream(errPanic), intake.ImportOptions{})
	if err == nil || !strings.Contains(err.Error(), "panic in an import") {
		t.Errorf("got %v, want the panic", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = db.Intake.ImportSegments(ctx, s.Campaign.ID, func(yield func(campaign.SegmentLine, error) bool) {
		for i := range 300 {
			if i == 150 {
				cancel()
			}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: storetest.Segment(i+1, 1, []string{"a"})}, nil) {
				return
			}
		}
	}, intake.ImportOptions{})
	storetest.WantErr(t, err, context.Canceled)
	if after := storetest.RowCounts(t, db); !maps.Equal(before, after) {
		t.Errorf("imports that failed left rows: %v, before %v", after, before)
	}
}

var errPanic = errors.New("panic")

func TestImportListsManyProblems(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, func(yield func(campaign.SegmentLine, error) bool) {
		for i := range campaign.MaxProblems + 7 {
			if !yield(campaign.SegmentLine{}, &campaign.Problem{Line: i + 1, Msg: fmt.Sprint("bad ", i)}) {
				return
			}
		}
	}, intake.ImportOptions{})
	ps, ok := errors.AsType[*campaign.Problems](err)
	if !ok || len(ps.List) != campaign.MaxProblems || ps.More != 7 {
		t.Errorf("got %v", err)
	}
}

// A check says what an import would, and leaves nothing behind.
func TestCheckImport(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(0), storetest.Annotators(0))
	seg := storetest.Segment(1, 1, []string{"a", "b"})
	for i := range seg.Translations {
		seg.Translations[i].Ratings = []campaign.Rating{storetest.SQM("new", 1, 3), storetest.SQM("newer", 1, 3)}
	}
	before, campaignBefore := storetest.RowCounts(t, db), s.Campaign
	checked := storetest.Must(db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(seg), intake.ImportOptions{Check: true}))(t)
	if s.Reload(t); !reflect.DeepEqual(s.Campaign, campaignBefore) || !maps.Equal(before, storetest.RowCounts(t, db)) {
		t.Errorf("a check changed %v to %v", before, storetest.RowCounts(t, db))
	}
	if real := storetest.ImportSegments(t, s, seg); !reflect.DeepEqual(real, checked) || real.Ratings != 4 || !slices.Equal(real.NewAnnotators, []string{"new", "newer"}) {
		t.Errorf("the check reported %+v, the import %+v", checked, real)
	}
}

func TestImportNeedsACampaignThatIsNotClosed(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(0))
	s.SetState(t, campaign.Closed)
	_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.Lines(1, 1, []string{"a"}), intake.ImportOptions{})
	storetest.WantErr(t, err, campaign.ErrConflict)
	_, err = db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(), intake.ImportOptions{})
	storetest.WantErr(t, err, campaign.ErrConflict)
	_, err = db.Intake.ImportSegments(t.Context(), "nothing", storetest.Lines(1, 1, []string{"a"}), intake.ImportOptions{})
	storetest.WantErr(t, err, campaign.ErrNotFound)
	s.SetState(t, campaign.Paused)
	storetest.ImportSegments(t, s, storetest.Segment(1, 1, []string{"a"}))
}

// Two imports at once follow one another, and annotators go on meanwhile.
func TestImportsAtTheSameTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(8))
		var wg sync.WaitGroup
		for k := range 3 {
			wg.Go(func() {
				_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, func(yield func(campaign.SegmentLine, error) bool) {
					for i := range 150 {
						if !yield(campaign.SegmentLine{Line: i + 1, Segment: storetest.Segment(1000*(k+1)+i, 100*(k+1)+i/5, s.Systems)}, nil) {
							return
						}
					}
				}, intake.ImportOptions{})
				if err != nil {
					t.Error(err)
				}
			})
		}
		for i := range s.Annotators {
			wg.Go(func() {
				for range 8 {
					s.RateNext(t, i, 0, 2, 4)
				}
			})
		}
		wg.Wait()
		var order []string
		for _, seg := range s.All(t)[8:] {
			order = append(order, seg.SegmentID)
		}
		if len(order) != 450 {
			t.Fatalf("%d segments, want 450", len(order))
		}
		for i := 0; i < 450; i += 150 { // each import in one piece
			for j := range 150 {
				if order[i+j][2:] != fmt.Sprintf("%03d", j) || order[i+j][:2] != order[i][:2] {
					t.Fatalf("segment %d is %s after %s", i+j, order[i+j], order[i+j-1])
				}
			}
		}
	})
}
