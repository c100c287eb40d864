package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// TestBlinding reads every response that an annotator gets while working through a campaign, and
// looks for what must not be there. The routes come from the table of routes, so a new one is read too.
func TestBlinding(t *testing.T) {
	for name, opts := range map[string][]storetest.Option{
		"segments":  {storetest.Set("context=segment")},
		"documents": {storetest.Set("context=document", "assign=document")},
		"marks":     {storetest.Protocol("rate"), storetest.Set("context=document", "assign=document", "gate=on")},
	} {
		t.Run(name, func(t *testing.T) { blinding(t, opts...) })
	}
}

// A reader is an annotator who looks for secrets in every response.
type reader struct {
	*visitor
	secrets []string
}

// endings are the routes that end the reader's session. They answer nothing about a campaign.
var endings = []string{"/sign-in", "/sign-in/link/:token", "/sign-out", "/account/password", "/account/sessions/:id/end", "/account/sessions/end"}

// check looks for secrets in the body and the headers of a response.
func (r *reader) check(what string, a answer) answer {
	t := r.s.t
	t.Helper()
	if a.status >= http.StatusInternalServerError {
		t.Errorf("%s answers %d", what, a.status)
	}
	all := a.body
	for name, values := range a.header {
		all += fmt.Sprint("\n", name, values)
	}
	for _, secret := range r.secrets {
		if strings.Contains(all, secret) {
			t.Errorf("%s tells the annotator %q", what, secret)
		}
	}
	return a
}

// sweep asks for every route that the annotator may use. What changes something is sent without
// what it needs. It returns how many routes it asked for.
func (r *reader) sweep(phase, assignment, card string) (n int) {
	r.s.t.Helper()
	for _, route := range r.s.srv.table() {
		if route.Who&site.Annotators == 0 || strings.HasSuffix(route.Path, "/*") || route.Method != http.MethodGet && slices.Contains(endings, route.Path) {
			continue
		}
		n++
		path := strings.NewReplacer(":slug", r.s.Campaign.Slug, ":assignment", assignment, ":card", card).Replace(route.Path)
		path = param.ReplaceAllString(path, "1")
		what := phase + ": " + route.Method + " " + route.Path
		if route.Method != http.MethodGet {
			r.check(what, r.json(route.Method, path, map[string]any{}))
			continue
		}
		r.check(what, r.get(path))
		if strings.Contains(route.Path, ":assignment") {
			r.check(what+" of a card", r.get(path+"?card="+card))
		} else {
			r.check(what+" of all", r.get(path+"?show=all"))
		}
	}
	return n
}

// blinding plays a campaign of six segments in three documents.
func blinding(t *testing.T, opts ...storetest.Option) {
	s := newSite(t, append([]storetest.Option{storetest.Segments(0), storetest.Annotators(2)}, opts...)...)
	s.Systems = []string{"Aquila", "Boreas", "Corvus", "Draco", "Eridanus"}
	var lines []campaign.Segment
	for n := range 6 {
		seg := storetest.Segment(n+1, n/2+1, s.Systems)
		seg.References = []campaign.Reference{{Name: campaign.MainReference, Text: "the reference"}}
		lines = append(lines, seg)
	}
	storetest.Must(s.db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(lines...), intake.ImportOptions{File: "blind.jsonl"}))(t)
	judged(t, s)
	// The other annotator's ratings and comments are there to be leaked.
	marks := s.Campaign.Rules.Spans != nil
	for range 6 {
		id := s.Next(t, 0)
		for i, card := range s.Work(t, 0, id).Cards {
			rating := protocol.Rating{Scores: map[string]float64{}, Comment: "whispered"}
			for _, score := range s.Campaign.Rules.Scores {
				rating.Scores[score.Name] = float64(score.Min + i*3%5*(score.Max-score.Min)/4)
			}
			if marks {
				rating.Spans = []protocol.ErrorSpan{{ID: "concealed", Side: protocol.Target, Start: 0, End: 11, Severity: "3", Category: "Mistranslation", Comment: "muttered"}}
			}
			storetest.Must(s.db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: rating}))(t)
		}
		s.Submit(t, 0, id)
		storetest.Check(t, s.db.Work.Ask(t.Context(), s.Campaign, s.Annotators[0].ID, id, "t", "murmured"))
		segment := storetest.Query[string](t, s.db, "SELECT segment_id FROM assignments WHERE id = ?", id)[0]
		storetest.Check(t, s.db.Work.Reply(t.Context(), s.Campaign.ID, work.Reply{SegmentID: segment, Login: s.Annotators[0].Login, Text: "replied"}, s.Lead.ID))
	}
	r := &reader{visitor: s.signedIn(s.Annotators[1])}
	r.secrets = append([]string{s.Annotators[0].Login, s.Annotators[0].ID, "whispered", "muttered", "concealed", "murmured", "replied", "no_variance", "below_threshold", "the reference"}, append(judgeSecrets, s.Systems...)...)
	for _, table := range []string{"systems", "translations", "all_judges", "threads", "messages"} {
		r.secrets = append(r.secrets, storetest.Query[string](t, s.db, "SELECT id FROM "+table)...)
	}
	r.secrets = append(r.secrets, storetest.Query[string](t, s.db, "SELECT CAST(seed AS TEXT) FROM assignments")...)
	if n := r.sweep("nothing begun", "1", "1"); n < 20 {
		t.Errorf("only %d routes were read", n)
	}
	secondLooks, swept := 0, map[string]int{}
	// sweep reads the first segments and the first second look.
	sweep := func(phase, id, card string) {
		if phase = fmt.Sprint(phase, ", second looks so far ", min(secondLooks, 1)); swept[phase] < 2-min(secondLooks, 1) {
			swept[phase]++
			r.sweep(phase, id, card)
		}
	}
	path, campaignPath := "", "/campaigns/"+s.Campaign.Slug
	var ways []string
	for range 12 { // six segments, and each once more where the scores disagree
		next := r.check("next", r.post(campaignPath+"/next", nil))
		ways = append(ways, fmt.Sprint(next.status, " ", next.location()))
		if !strings.Contains(next.location(), "/assignments/") {
			break
		}
		path = next.location()
		id := path[strings.LastIndex(path, "/")+1:]
		r.secrets = append(r.secrets, storetest.Query[string](t, s.db, "SELECT CAST(seed AS TEXT) FROM assignments WHERE id = ?", id)...)
		a := r.check("the page", r.get(path))
		if strings.Contains(a.page(t).Find(".band").Text(), "Second look") {
			secondLooks++
		}
		if got := r.get(path + "/thread").body; strings.TrimSpace(got) != `{"messages":[]}` || a.page(t).Find(".thread-said li").Length() != 0 {
			t.Errorf("a thread of another annotator shows: %s", got)
		}
		state := a.state(t)
		sweep("begun", id, state.Cards[0].ID)
		state = r.get(path).state(t) // the sweep has saved a card
		stale, current := map[string]int{}, map[string]int{}
		submit := func(what string, cards map[string]int) answer {
			return r.check(what, r.json("POST", path+"/submit", map[string]any{"cards": cards}))
		}
		for i, card := range state.Cards {
			scores := map[string]int{}
			for _, score := range s.Campaign.Rules.Scores {
				scores[score.Name] = score.Min + i%5*(score.Max-score.Min)/4
			}
			body := map[string]any{"revision": card.Revision, "scores": scores, "save_id": "x"}
			if marks {
				body["spans"] = []any{map[string]any{"id": fmt.Sprint(id, i), "side": "target", "start": 0, "end": 11, "severity": "1", "category": "Fluency"}}
			}
			wantStatus(t, "a save", r.check("a save", r.json("PUT", path+"/cards/"+card.ID, body)), http.StatusOK)
			stale[card.ID], current[card.ID] = card.Revision, card.Revision+1
		}
		r.check("a conflict", r.json("PUT", path+"/cards/"+state.Cards[0].ID, map[string]any{"revision": 7, "scores": map[string]int{}, "save_id": "y"}))
		submit("a stale submission", stale)
		submit("a submission", current)
		sweep("submitted", id, state.Cards[0].ID) // this takes it back
		wantStatus(t, "submitting", submit("a submission", current), http.StatusOK)
		s.db.Clock.Advance(time.Minute)
		sweep("submitted a minute ago", id, state.Cards[0].ID)
	}
	segment := campaignPath + "/segments/" + s.RowID(t, "d1", "s1")
	r.check("a segment", r.get(segment))
	r.check("a trace", r.get(segment+"/trace?judge=Portia&system=Aquila"))
	lead := s.signedIn(s.Lead)
	if all := lead.get(segment).body + lead.get(segment+"/trace?judge=Portia&system=Aquila").body; slices.ContainsFunc(judgeSecrets[:5], func(secret string) bool { return !strings.Contains(all, secret) }) {
		t.Error("the lead does not see what the judge says")
	}
	if secondLooks == 0 {
		t.Errorf("no segment came back for a second look: next led to %q, and the segments are %q", ways, storetest.Query[string](t, s.db, "SELECT status FROM segments"))
	}
	id := path[strings.LastIndex(path, "/")+1:]
	storetest.Check(t, s.db.Rounds.Discard(t.Context(), s.Campaign.ID, storetest.Query[string](t, s.db, "SELECT segment_id FROM assignments WHERE id = ?", id), "garbled", s.Lead.ID))
	r.sweep("discarded", id, "1")
	s.SetState(t, campaign.Closed)
	r.sweep("closed", id, "1")
	// The test would find what it looks for: with the setting on, the reference.
	s.SetState(t, campaign.Open)
	s.Change(t, "show_reference=yes")
	if a := r.get(path); !strings.Contains(a.body, "the reference") {
		t.Error("show_reference shows no reference")
	}
}

// TestBlindingOfImportedIDs checks that annotators learn no system from the ids of imported error
// spans, which may contain the names of systems in the file.
func TestBlindingOfImportedIDs(t *testing.T) {
	s := newSite(t, storetest.Protocol("rate"), storetest.Segments(0), storetest.Annotators(2), storetest.Set("context=document"))
	s.Systems = []string{"Aquila", "Boreas"}
	storetest.Must(s.db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(storetest.Segment(1, 1, s.Systems), storetest.Segment(2, 1, s.Systems)), intake.ImportOptions{}))(t)
	var lines []campaign.RatingLine
	for _, segment := range []string{"s1", "s2"} {
		for _, system := range s.Systems {
			line := storetest.MarkedRating(segment, system)
			line.Annotator, line.Round, line.Scores = s.Annotators[0].Login, 1, map[string]float64{"accuracy": 50, "fluency": 50}
			id := system + "-" + segment
			line.Spans = []protocol.ErrorSpan{{ID: id, Side: protocol.Target, End: 1, Severity: "2", Category: "Style"}, {ID: "1", Side: protocol.Target, End: 2, Severity: "2", Category: "Style", Link: id}}
			lines = append(lines, line)
		}
	}
	storetest.ImportRatings(t, s.Sample, lines...)
	id := storetest.TurnOf(t, s.db, "s1", s.Annotators[0].Login, 1)
	r := &reader{visitor: s.signedIn(s.Annotators[0]), secrets: s.Systems}
	state := r.check("the page", r.get("/campaigns/"+s.Campaign.Slug+"/assignments/"+id)).state(t)
	if spans := state.Cards[0].Spans; spans == nil || len(*spans) != 2 || (*spans)[1].Link != (*spans)[0].ID {
		t.Fatalf("the page has the cards %+v", state.Cards)
	}
	r.sweep("imported", id, state.Cards[0].ID)
}

// sampleText is the text of a translation of a sample.
var sampleText = regexp.MustCompile(`Translation (\d+) of segment \d+\.`)

// TestNothingLinksSystems: whatever the browser gets of a card depends on the texts, its place and its
// id alone. Over many documents and annotators, neither place nor id tells the system, nor where the
// same system stands in another document or on a colleague's page.
func TestNothingLinksSystems(t *testing.T) {
	t.Run("segments", func(t *testing.T) { nothingLinksSystems(t, "context=segment") })
	t.Run("documents", func(t *testing.T) { nothingLinksSystems(t, "context=document", "assign=document") })
}

func nothingLinksSystems(t *testing.T, settings ...string) {
	const documents, systems = 32, 5
	s := newSite(t, storetest.Segments(2*documents), storetest.PerDocument(2), storetest.Systems(systems), storetest.Set(append(settings, "redundancy=3")...))
	// ranks has, for each way to rank the cards of a page, each annotator and each document, the
	// rank of each system.
	ranks := map[string][2][documents][systems]int{}
	parity := map[int]*[systems][2]float64{} // of a character of the ids, by its place: how often even and odd
	ids, cards := map[string]bool{}, map[string]string{}
	var headers [2]string
	for i := range s.Annotators {
		v := s.signedIn(s.Annotators[i])
		for range 2 * documents {
			s.RateNext(t, i, 2, 2, 2, 2, 2)
		}
		for d := range documents {
			assignment := storetest.TurnOf(t, s.db, fmt.Sprint("s", 2*d+1), s.Annotators[i].Login, 1)
			a := v.get("/campaigns/" + s.Campaign.Slug + "/assignments/" + assignment)
			var header []string
			for name, values := range a.header {
				if name != "Content-Length" && name != "Date" && name != "X-Request-Id" {
					header = append(header, fmt.Sprint(name, values))
				}
			}
			slices.Sort(header)
			if all := strings.Join(header, "\n"); headers[i] != "" && headers[i] != all {
				t.Errorf("the headers of a page are\n%s\nand those of another\n%s", all, headers[i])
			} else {
				headers[i] = all
			}
			state, articles := a.state(t), a.page(t).Find("article.card")
			if articles.Length() != systems || len(state.Cards) != systems {
				t.Fatalf("%d cards, %d in the data", articles.Length(), len(state.Cards))
			}
			order, byID := make([]int, systems), make([]string, systems)
			for place, card := range state.Cards {
				article := articles.Eq(place)
				html, err := article.Html()
				if err != nil {
					t.Fatal(err)
				}
				var system int
				fmt.Sscanf(article.Find(".card-text").Text(), "Translation %d", &system)
				order[place], byID[place] = system-1, card.ID
				if ids[card.ID] {
					t.Errorf("two cards have the id %s", card.ID)
				}
				ids[card.ID] = true
				for at := range card.ID {
					if parity[at] == nil {
						parity[at] = new([systems][2]float64)
					}
					parity[at][system-1][card.ID[at]%2]++
				}
				card.ID = ""
				data, err := json.Marshal(card)
				if err != nil {
					t.Fatal(err)
				}
				all := sampleText.ReplaceAllString(html+string(data), "text")
				if was := cards[fmt.Sprint(place)]; was != "" && was != all {
					t.Fatalf("card %d is\n%s\nand in another document\n%s", place, all, was)
				}
				cards[fmt.Sprint(place)] = all
			}
			rank := func(by string, order []int) {
				r := ranks[by]
				for place, system := range order {
					r[i][d][system] = place
				}
				ranks[by] = r
			}
			rank("place", order)
			sorted := slices.Clone(byID)
			slices.Sort(sorted)
			inOrder := make([]int, systems)
			for place, id := range sorted {
				inOrder[place] = order[slices.Index(byID, id)]
			}
			rank("id", inOrder)
		}
	}
	// Tables of counts are compared with what chance gives. The ranks of a document are a permutation,
	// so (k−1)/k of Pearson's statistic has a χ² distribution with (k−1)² degrees of freedom. The bound
	// is nine standard deviations above its mean.
	uniform := func(what string, table [systems][systems]float64) {
		t.Helper()
		x, total := 0.0, 0.0
		for _, row := range table {
			for _, n := range row {
				total += n
			}
		}
		expected := total / systems / systems
		for _, row := range table {
			for _, n := range row {
				x += (n - expected) * (n - expected) / expected
			}
		}
		x *= float64(systems-1) / systems
		if bound := 16 + 9*5.66; x > bound {
			t.Errorf("%s: χ² is %.0f, at most %.0f by chance: %v", what, x, bound, table)
		}
	}
	for by, r := range ranks {
		var own, next, colleague [systems][systems]float64
		for i := range r {
			for d := range documents {
				for system, rank := range r[i][d] {
					own[system][rank]++
					next[rank][r[i][(d+1)%documents][system]]++
					if i == 0 { // A pair of pages counted twice would not be two observations.
						colleague[rank][r[1][d][system]]++
					}
				}
			}
		}
		uniform(by+" by system", own)
		uniform(by+" in one document and in the next", next)
		uniform(by+" on the pages of two annotators", colleague)
	}
	for at, counts := range parity {
		x := 0.0
		even, odd := 0.0, 0.0
		for _, n := range counts {
			even, odd = even+n[0], odd+n[1]
		}
		for _, n := range counts {
			all := n[0] + n[1]
			for k, sum := range []float64{even, odd} {
				if expected := all * sum / (even + odd); expected > 0 {
					x += (n[k] - expected) * (n[k] - expected) / expected
				}
			}
		}
		if bound := 4 + 9*2.83 + 20; x > bound {
			t.Errorf("character %d of the ids tells the system: χ² is %.0f", at, x)
		}
	}
}

// judgeSecrets are the texts of a judge. The first is one that a lead sees on the page of a segment.
var judgeSecrets = []string{"Portia", "271.83", "dreadful", "a prompt", "whereas", "gemba-mqm", "whale-70b"}

// judged stores a judgement of every translation.
func judged(t *testing.T, s *sampleSite) {
	t.Helper()
	lines := func(yield func(campaign.JudgementLine, error) bool) {
		for n := range 6 {
			for _, system := range s.Systems {
				score := 271.83
				j := campaign.JudgementLine{SegmentID: fmt.Sprint("s", n+1), System: system, Method: "gemba-mqm", Model: "whale-70b", Judgement: campaign.Judgement{
					Judge: "Portia", Status: campaign.JudgementOK, Score: &score, Spans: []protocol.ErrorSpan{{Side: protocol.Target, Start: 0, End: 11, Severity: "dreadful"}},
				}, Trace: []campaign.TraceCall{{Step: "1", Role: "judge", Prompt: "a prompt", Reply: "whereas"}}}
				if !yield(j, nil) {
					return
				}
			}
		}
	}
	storetest.Must(s.db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, lines, intake.ImportOptions{File: "j.jsonl"}))(t)
}
