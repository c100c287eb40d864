package report

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// If an adjudicator rated a translation, no annotator's rating forms gold. If a lead
// accepted a mean, only the ratings of that mean form gold.
func TestRatingsThatFormGold(t *testing.T) {
	rating := func(login string) campaign.Rating { return campaign.Rating{Annotator: login, Round: 1} }
	given := []campaign.Rating{rating("a"), rating("b")}
	judged := rating("judge")
	sqm, _ := protocol.Lookup("sqm")
	for _, c := range []struct {
		name string
		seg  campaign.Segment
		want int
	}{
		{"agreed", campaign.Segment{Status: campaign.Agreed, Translations: []campaign.Translation{{System: "x", Ratings: given}}}, 2},
		{"adjudicated by a person", campaign.Segment{Status: campaign.Adjudicated, Translations: []campaign.Translation{{System: "x", Ratings: given, Adjudication: &judged}}}, 0},
		{"a mean of one of them", campaign.Segment{Status: campaign.Adjudicated, MeanOf: []string{"a"}, Translations: []campaign.Translation{{System: "x", Ratings: given}}}, 1},
		{"a lead entered the score", campaign.Segment{Status: campaign.Adjudicated, Translations: []campaign.Translation{{System: "x", Ratings: given, Gold: &campaign.Gold{Score: 3, Adjudicated: true, Entered: true}}}}, 0},
		{"discarded", campaign.Segment{Status: campaign.Discarded, Translations: []campaign.Translation{{System: "x", Ratings: given}}}, 0},
	} {
		c.seg.Round, c.seg.Complete = 1, 1
		p := newDataPart(sqm, &estimates{})
		p.add(c.seg)
		if p.sum.goldRatings != c.want || p.sum.ratings != 2 || p.systems["x"].gold != c.want {
			t.Errorf("%s: %d of %d ratings form gold, %d of the system; want %d", c.name, p.sum.goldRatings, p.sum.ratings, p.systems["x"].gold, c.want)
		}
	}
}

// A segment counts as given a second look if one is in progress, if one was judged by the
// ratings that count now, or if one ended when a lead decided.
func TestFurtherLooks(t *testing.T) {
	first, second := campaign.Decision{Round: 1}, campaign.Decision{Round: 2}
	back := campaign.Decision{Round: 1, Status: campaign.Reannotate}
	for _, c := range []struct {
		name           string
		seg            campaign.Rated
		again, settled int
	}{
		{"agreed at first", campaign.Rated{Status: campaign.Agreed, Round: 1, Decisions: []campaign.Decision{first}}, 0, 0},
		{"under way", campaign.Rated{Status: campaign.Reannotate, Round: 2, Decisions: []campaign.Decision{first}}, 1, 0},
		{"agreed at second", campaign.Rated{Status: campaign.Agreed, Round: 2, Decisions: []campaign.Decision{first, second}}, 1, 1},
		{"entered for a round that counts no more", campaign.Rated{Status: campaign.Adjudicated, Round: 2}, 0, 0},
		{"a lead decides before anybody has looked again", campaign.Rated{Status: campaign.Adjudicated, Round: 1, Decisions: []campaign.Decision{back}}, 1, 1},
		{"a lead decides after one has looked again", campaign.Rated{Status: campaign.Discarded, Round: 1, Decisions: []campaign.Decision{first}, Given: []campaign.Given{{Round: 2}}}, 1, 1},
		{"adjudicated after a second look", campaign.Rated{Status: campaign.Adjudicated, Round: 1, Decisions: []campaign.Decision{first, second}}, 1, 1},
	} {
		var g gateCounts
		g.add(c.seg)
		if g.reannotated != c.again || g.settled != c.settled {
			t.Errorf("%s: %d second looks, %d settled; want %d, %d", c.name, g.reannotated, g.settled, c.again, c.settled)
		}
	}
}
