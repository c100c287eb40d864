package server

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/stat"
	"annotate/internal/store/storetest"
)

// TestChecksLookLikeWork has annotators work over every route that they use, and tries to tell checks from
// work by everything but the texts: each number, each count and each length in bodies and headers, how each
// changes from page to page, the order of pages and of lists, statuses, and the forms of ids. For each of these
// features it takes how well a threshold on the feature alone tells checks from work (AUC). The best of all
// features must not be better than the best one is when the pages that are called checks are drawn at random.
func TestChecksLookLikeWork(t *testing.T) {
	for name, settings := range map[string][]string{
		"segments":  {"context=segment", "gate=off"},
		"documents": {"context=document", "assign=document", "gate=off"},
	} {
		t.Run(name, func(t *testing.T) {
			pages := walk(t, settings...)
			checks := 0
			for _, p := range pages {
				if p.check {
					checks++
				}
			}
			if checks < 15 || len(pages) < 2*checks {
				t.Fatalf("%d of %d pages are checks", checks, len(pages))
			}
			features := ranked(pages)
			labels := make([]bool, len(pages))
			for i, p := range pages {
				labels[i] = p.check
			}
			best, name := bestFeature(features, labels)
			r := rand.New(rand.NewPCG(1, 2))
			const permutations = 2000
			tried := 0
			for asGood := false; !asGood; tried++ {
				if tried == permutations {
					t.Fatalf("%q tells checks from work with an AUC of %.2f; of %d permutations none is as good", name, 0.5+best, permutations)
				}
				r.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
				by, _ := bestFeature(features, labels)
				asGood = by >= best
			}
			t.Logf("%d pages, %d of them checks; the best feature is %q with an AUC of %.2f; permutation %d is as good", len(pages), checks, name, 0.5+best, tried)
		})
	}
}

// A seenPage is what an annotator sees of one page, without texts.
type seenPage struct {
	check    bool
	features map[string]float64
}

// A rankedFeature has the rank of each page by one feature. Equals share their mean rank.
type rankedFeature struct {
	name  string
	ranks []float64
}

// ranked ranks pages by each feature that is not the same on all. A feature that a page lacks is smaller than
// any value.
func ranked(pages []seenPage) (out []rankedFeature) {
	names := map[string]bool{}
	for _, p := range pages {
		for f := range p.features {
			names[f] = true
		}
	}
	for f := range names {
		x := make([]float64, len(pages))
		for i, p := range pages {
			var ok bool
			if x[i], ok = p.features[f]; !ok {
				x[i] = -math.MaxFloat64
			}
		}
		if !stat.Constant(x) {
			out = append(out, rankedFeature{f, stat.Ranks(x)})
		}
	}
	return out
}

// bestFeature finds the feature with the AUC that is farthest from 0.5, and that distance.
func bestFeature(features []rankedFeature, checks []bool) (best float64, name string) {
	n := 0.0
	for _, check := range checks {
		if check {
			n++
		}
	}
	for _, f := range features {
		sum := 0.0
		for i, check := range checks {
			if check {
				sum += f.ranks[i]
			}
		}
		auc := (sum - n*(n+1)/2) / (n * (float64(len(checks)) - n))
		if d := math.Abs(auc - 0.5); d > best || d == best && f.name < name {
			best, name = d, f.name
		}
	}
	return best, name
}

// walk has four annotators take turns in a campaign with many checks, and returns what each page and what is
// around it shows.
func walk(t *testing.T, settings ...string) []seenPage {
	t.Helper()
	const annotators, each = 4, 24
	s := newSite(t, storetest.Segments(0), storetest.Annotators(annotators), storetest.Set(append([]string{"redundancy=2", "check_rate=0.3", "repeat_after=3"}, settings...)...))
	r := rand.New(rand.NewPCG(5, 6))
	s.Systems = []string{"Aquila", "Boreas", "Corvus"}
	var lines []campaign.Segment
	for n := range 80 {
		seg := storetest.Segment(n+1, n+1, s.Systems)
		seg.DocID, seg.SegmentID = fmt.Sprintf("doc-%04d", n+1), fmt.Sprintf("seg-%04d", n+1)
		lines = append(lines, seg)
	}
	storetest.Must(s.db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(lines...), intake.ImportOptions{File: "walk.jsonl"}))(t)
	visitors := make([]*visitor, annotators)
	last := make([]map[string]float64, annotators)
	for i := range visitors {
		visitors[i] = s.signedIn(s.Annotators[i])
	}
	var pages []seenPage
	for n := range annotators * each {
		i := r.IntN(annotators)
		f := s.seen(t, visitors[i], i, n)
		if f.features == nil {
			continue
		}
		own := map[string]float64{}
		for k, x := range f.features {
			own[k] = x
			if before, ok := last[i][k]; ok {
				own["change of "+k] = x - before
			}
		}
		last[i] = f.features
		pages = append(pages, seenPage{f.check, own})
	}
	return pages
}

var (
	number     = regexp.MustCompile(`\d+(\.\d+)?`)
	element    = regexp.MustCompile(`<([a-z]+)`)
	importedID = regexp.MustCompile(`(doc|seg)-\d{4}`)
	blinded    = regexp.MustCompile(`[0-9a-f]{32}|[A-Za-z0-9_-]{16}|[A-Z0-9]{8}-|"(csrf|token)":"[^"]*"`)
)

// seen asks for the next page of an annotator and for all that belongs to it, submits it, and looks at the
// lists. It returns no features if there is no work.
func (s *sampleSite) seen(t *testing.T, v *visitor, i, n int) (p seenPage) {
	t.Helper()
	base := "/campaigns/" + s.Campaign.Slug
	next := v.post(base+"/next", nil)
	path := next.location()
	if !strings.Contains(path, "/assignments/") {
		return p
	}
	id := path[strings.LastIndex(path, "/")+1:]
	c := storetest.CampaignOf(t, s.Store, s.Campaign.Slug, id)
	w := storetest.Must(s.db.Work.LoadWork(t.Context(), c, id, s.Annotators[i].ID))(t)
	p = seenPage{check: c.Side == campaign.Checks, features: map[string]float64{"length of the id": float64(len(id))}}
	texts := []string{w.Source}
	for _, card := range w.Cards {
		texts = append(texts, card.Text)
	}
	for _, near := range slices.Concat(w.Before, w.After) {
		texts = append(append(texts, near.Source), near.Translations...)
	}
	add := func(name string, a answer) answer {
		if found := importedID.FindString(a.body + fmt.Sprint(a.header)); found != "" {
			t.Errorf("%s has the id %s", name, found)
		}
		addFeatures(p.features, name, a, texts)
		return a
	}
	add("next", next)
	add("page", v.get(path))
	add("thread", v.get(path+"/thread"))
	add("document", v.get(path+"/document"))
	add("document of a card", v.get(path+"/document?card="+w.Cards[0].ID))
	revisions := storetest.Revisions(w)
	for k, card := range w.Cards {
		// What is sent does not depend on the page, so that answers differ only by what the server does.
		a := v.json(http.MethodPut, path+"/cards/"+card.ID, map[string]any{"revision": card.Revision, "save_id": fmt.Sprint(n, "-", k), "scores": map[string]float64{"sqm": 2}, "seconds": 3})
		if a.status != http.StatusOK {
			t.Fatalf("saving answers %d: %s", a.status, a.body)
		}
		add(fmt.Sprint("save ", k), a)
		revisions[card.ID] = card.Revision + 1
	}
	s.db.Clock.Advance(time.Second)
	add("refused skip", v.json(http.MethodPost, path+"/skip", map[string]any{"reason": ""}))
	add("refused problem", v.json(http.MethodPost, path+"/problem", map[string]any{"text": ""}))
	if n%5 == 0 {
		add("ask", v.json(http.MethodPost, path+"/thread", map[string]any{"token": fmt.Sprint(n), "text": "why?"}))
	}
	add("submit", v.json(http.MethodPost, path+"/submit", map[string]any{"cards": revisions}))
	add("take back", v.json(http.MethodPost, path+"/take-back", map[string]any{}))
	if a := add("submit again", v.json(http.MethodPost, path+"/submit", map[string]any{"cards": revisions})); a.status != http.StatusOK {
		t.Fatalf("submitting answers %d: %s", a.status, a.body)
	}
	add("page, submitted", v.get(path))
	for _, list := range []string{"/finished", "/finished?show=all"} {
		a := v.get(base + list)
		if found := importedID.FindString(a.body); found != "" {
			t.Errorf("%s has the id %s", list, found)
		}
		// Where the page stands in the list, and how many stand there.
		p.features["place in "+list] = float64(strings.Index(a.body, id)) / float64(len(a.body))
		p.features["size of "+list] = float64(strings.Count(a.body, "/assignments/"))
	}
	add("numbers", v.get(base+"/numbers"))
	add("my work", v.get("/work"))
	return p
}

// addFeatures adds the features of a response without its texts and random ids.
func addFeatures(f map[string]float64, name string, a answer, texts []string) {
	f[name+": status"] = float64(a.status)
	for header, values := range a.header {
		switch header {
		case "Set-Cookie", "Date":
			continue
		case "Etag": // a hash of the texts
			f[name+": length of "+header] = float64(len(strings.Join(values, " ")))
			continue
		case "Content-Length":
			n, _ := strconv.ParseFloat(values[0], 64)
			f[name+": "+header+" without the texts"] = n - float64(len(a.body)-len(withoutTexts(a.body, texts)))
			continue
		}
		text := blinded.ReplaceAllString(strings.Join(values, " "), "#")
		f[name+": length of "+header] = float64(len(text))
		for k, x := range number.FindAllString(text, 20) {
			f[fmt.Sprint(name, ": number ", k, " of ", header)], _ = strconv.ParseFloat(x, 64)
		}
	}
	body := blinded.ReplaceAllString(withoutTexts(a.body, texts), "#")
	f[name+": length"] = float64(len(body))
	for _, m := range element.FindAllStringSubmatch(body, -1) {
		f[name+": <"+m[1]+">"]++
	}
	if i := strings.Index(body, "<main"); i >= 0 {
		body = body[i:]
	}
	for k, x := range number.FindAllString(body, 150) {
		f[fmt.Sprint(name, ": number ", k)], _ = strconv.ParseFloat(x, 64)
	}
}

// withoutTexts removes the texts of a page from the body of an answer.
func withoutTexts(body string, texts []string) string {
	for _, text := range texts {
		if text == "" {
			continue
		}
		quoted := strconv.Quote(text)
		for _, form := range []string{quoted[1 : len(quoted)-1], text} {
			body = strings.ReplaceAll(body, form, "")
		}
	}
	return body
}
