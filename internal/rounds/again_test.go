package rounds_test

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// The ratings of all rounds, imported into a new campaign with the same settings,
// lead to the same decisions and gold. What a lead ruled does not come along: there
// the ratings speak.
func TestDecisionsComeBack(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(5), storetest.PerDocument(5))
	for n := range 4 { // s1 agrees at once
		storetest.RateBoth(t, db, s, n+1, [][]float64{{0, 2, 3}, {4, 2, 0}}[min(n, 1)]...)
	}
	for _, n := range []int{2, 3, 4} { // s2 agrees on the second look, s3 and s4 do not
		seg := "s" + string(rune('0'+n))
		s.Rate(t, 0, storetest.TurnOf(t, db, seg, "ann1", 2), 0, 2, 4)
		s.Rate(t, 1, storetest.TurnOf(t, db, seg, "ann2", 2), [][]float64{{0, 2, 4}, {4, 2, 0}}[min(n-2, 1)]...)
	}
	storetest.Leading{T: t, Sample: s}.Done(storetest.Leading{T: t, Sample: s}.AcceptMeans("s4"))

	var lines []campaign.RatingLine
	before := s.All(t)
	for _, seg := range before {
		for _, tr := range seg.Translations {
			for _, r := range tr.Ratings {
				lines = append(lines, campaign.RatingLine{DocID: seg.DocID, SegmentID: seg.SegmentID, System: tr.System, Rating: r})
			}
		}
	}
	again := storetest.Campaign(t, db.Store, storetest.Slug("again"), storetest.Segments(5), storetest.PerDocument(5), storetest.Annotators(0))
	storetest.ImportRatings(t, again, lines...)
	for i, seg := range again.All(t) {
		want := before[i]
		if want.Status == campaign.Adjudicated {
			want.Status = campaign.Discarded
		}
		if seg.Status != want.Status || seg.Round != want.Round {
			t.Errorf("%s is %s in round %d, was %s in %d", seg.SegmentID, seg.Status, seg.Round, want.Status, want.Round)
		}
		for k, tr := range seg.Translations {
			if was := want.Translations[k].Gold; want.Status.InGold() && (tr.Gold == nil || *tr.Gold != *was) {
				t.Errorf("gold of %s %s is %v, was %v", seg.SegmentID, tr.System, tr.Gold, was)
			}
		}
	}
	for n, want := range []campaign.Status{campaign.Agreed, campaign.Agreed, campaign.Discarded, campaign.Adjudicated, campaign.Pending} {
		if before[n].Status != want {
			t.Errorf("s%d was %s, want %s", n+1, before[n].Status, want)
		}
	}
}

// Where errors weigh otherwise, the gate decides anew by the new scores; what a lead
// ruled stays.
func TestOtherWeightsDecideAnew(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(2), storetest.Systems(2), storetest.Set("gate=on"))
		sourceError := protocol.ErrorSpan{Side: protocol.Source, Start: 0, End: 1, Severity: "major", Category: "Source error"}
		var file []campaign.RatingLine
		for _, seg := range []string{"s1", "s2"} {
			for _, system := range s.Systems {
				marks, clean := storetest.MarkedRating(seg, system, sourceError), storetest.MarkedRating(seg, system)
				marks.Annotator, clean.Annotator = "x", "y"
				file = append(file, marks, clean)
			}
		}
		storetest.ImportRatings(t, s, file...)
		storetest.Leading{T: t, Sample: s}.Done(storetest.Leading{T: t, Sample: s}.AcceptMeans("s2"))
		for _, tt := range []struct {
			setting string
			want    campaign.Status
		}{{"source_error=zero", campaign.Agreed}, {"source_error=severity", campaign.Reannotate}, {"source_error=zero", campaign.Agreed}} {
			s.Change(t, tt.setting)
			all := s.All(t)
			if all[0].Status != tt.want || all[1].Status != campaign.Adjudicated {
				t.Errorf("%s: s1 is %s, s2 %s; want %s and adjudicated", tt.setting, all[0].Status, all[1].Status, tt.want)
			}
		}
	})
}
