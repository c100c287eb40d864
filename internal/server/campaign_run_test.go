package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// runSystems and runSegments are the size of the campaign of [TestCampaignRun].
const runSystems, runSegments = 6, 20

// A whole campaign of 20 segments by 6 systems, through what a browser sends:
// three annotators at once take what they are given, rate it card by card and
// submit. Every fifth segment is judged the other way round by the third of them,
// every tenth of all even in the second look. Exactly the former come back, exactly
// the latter are discarded, and gold holds the rest.
func TestCampaignRun(t *testing.T) {
	s := newSite(t, storetest.Segments(runSegments), storetest.PerDocument(10), storetest.Systems(runSystems), storetest.Annotators(3),
		storetest.Set("redundancy=3"))
	runs := make([]*annotatorRun, len(s.Annotators))
	var wg sync.WaitGroup
	for i, u := range s.Annotators {
		runs[i] = &annotatorRun{t: t, v: s.signedIn(u), contrary: i == 2, looks: map[int]int{}}
		wg.Go(runs[i].run)
	}
	wg.Wait()
	for _, r := range runs { // what came back after they had nothing left
		r.run()
	}
	for _, r := range runs {
		for n := 1; n <= runSegments; n++ {
			want := 1
			if n%5 == 0 {
				want = 2
			}
			// A second look fails as soon as a pair does: it is not given to everybody then.
			if r.looks[n] != want && (n%10 > 0 || r.contrary || r.looks[n] != 1) {
				t.Errorf("s%d was given %d times, want %d", n, r.looks[n], want)
			}
		}
		if len(r.looks) != runSegments {
			t.Errorf("%d segments were given: %v", len(r.looks), slices.Sorted(maps.Keys(r.looks)))
		}
	}

	for i, seg := range s.All(t) {
		n := i + 1
		status, round := campaign.Agreed, 1
		switch {
		case n%10 == 0:
			status, round = campaign.Discarded, 2
		case n%5 == 0:
			round = 2
		}
		if seg.Status != status || seg.Round != round {
			t.Errorf("%s is %s in round %d, want %s in %d", seg.SegmentID, seg.Status, seg.Round, status, round)
		}
		for k, tr := range seg.Translations {
			// A second look that fails is over as soon as two have submitted it.
			if n := len(tr.Ratings); n != 3*round && (status != campaign.Discarded || n != 5) {
				t.Fatalf("%s has %d ratings of %s", seg.SegmentID, len(tr.Ratings), tr.System)
			}
			if gold := status == campaign.Agreed; gold != (tr.Gold != nil) {
				t.Errorf("gold of %s is %v", seg.SegmentID, tr.Gold)
			} else if want := runs[0].score(n, k, 2); gold && tr.Gold.Score != want {
				t.Errorf("gold of %s, %s is %v, want %v", seg.SegmentID, tr.System, tr.Gold.Score, want)
			}
		}
	}

	p, err := s.Store.Desk.Progress(t.Context(), s.Campaign)
	if err != nil {
		t.Fatal(err)
	}
	if p.FirstAgreed != 4*p.FirstFailed || p.FirstFailed == 0 {
		t.Errorf("round 1 failed in %d segments and passed in %d, want one in five to fail", p.FirstFailed, p.FirstAgreed)
	}
	if all, again := p.Segments, p.SentBack; all.Total() != 10*all[campaign.Discarded] || again.Settled() != 2*again[campaign.Discarded] || again[campaign.Discarded] == 0 {
		t.Errorf("%d of %d segments are discarded, %d of %d with a second look, want a tenth and a half", all[campaign.Discarded], all.Total(), again[campaign.Discarded], again.Settled())
	}
	if p.Segments[campaign.Agreed] != runSegments*9/10 || p.Segments[campaign.Discarded] != runSegments/10 || p.Ratings < runSystems*(3*(runSegments+runSegments/5)-runSegments/10) {
		t.Errorf("progress %+v", p.Segments)
	}
}

// annotatorRun is one annotator's browser.
type annotatorRun struct {
	t        *testing.T
	v        *visitor
	contrary bool        // judges every fifth segment the other way round
	looks    map[int]int // at a segment, by its number
}

// score is what the annotator gives in a look at segment n to system k, from 0.
func (r *annotatorRun) score(n, k, look int) float64 {
	score := float64((n + k) % 5)
	if r.contrary && (n%10 == 0 || n%5 == 0 && look == 1) {
		score = 4 - score
	}
	return score
}

// run takes work until there is none.
func (r *annotatorRun) run() {
	got := r.v.post("/campaigns/sample/next", nil)
	for path := got.location(); strings.Contains(path, "/assignments/"); {
		if path = r.rate(path); path == "" {
			return
		}
	}
}

// cardText finds the texts of the cards in their order: which of them the page has
// first is all that it tells of the systems.
var cardText = regexp.MustCompile(`Translation (\d+) of segment (\d+)\.`)

// cardIDs finds the ids of the cards in the data block of the page.
var cardIDs = regexp.MustCompile(`{"id":"([\w-]{16})","revision"`)

// rate opens a page, saves its cards as far as they change and submits; it returns
// where the server leads on, empty after a failure.
func (r *annotatorRun) rate(path string) string {
	page := r.v.get(path)
	ids := cardIDs.FindAllStringSubmatch(page.body, -1)
	cards := cardText.FindAllStringSubmatch(page.body, -1)
	if page.status != http.StatusOK || len(cards) != runSystems || len(ids) != runSystems {
		r.t.Errorf("%s: status %d, %d cards", path, page.status, len(cards))
		return ""
	}
	n, _ := strconv.Atoi(cards[0][2])
	r.looks[n]++
	revisions := map[string]int{}
	for i, card := range cards {
		system, _ := strconv.Atoi(card[1])
		score := r.score(n, system-1, r.looks[n])
		id := ids[i][1]
		revisions[id] = 0
		if r.looks[n] > 1 && score == r.score(n, system-1, r.looks[n]-1) {
			continue // it stands on the card
		}
		saved := r.v.json("PUT", path+"/cards/"+id, map[string]any{"revision": 0, "save_id": "x", "scores": map[string]float64{"sqm": score}, "seconds": 1})
		if saved.status != http.StatusOK {
			r.t.Errorf("save %s: status %d: %s", path, saved.status, saved.body)
			return ""
		}
		revisions[id] = 1
	}
	done := r.v.json("POST", path+"/submit", map[string]any{"cards": revisions})
	var answer struct{ Next string }
	if err := json.Unmarshal([]byte(done.body), &answer); err != nil || done.status != http.StatusOK {
		r.t.Errorf("submit %s: status %d: %s", path, done.status, done.body)
		return ""
	}
	return answer.Next
}
