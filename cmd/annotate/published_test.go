package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/server"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// Ten annotators rate 30 segments through what a browser sends; two of them judge
// the other way round. The lead sets these two aside, the others fill up, and the
// threshold goes up, down and back. Every figure on the pages, in the report and its
// archive and of annotate agreement is each time the one that follows from the table
// of ratings, recomputed here.
func TestPublishedFiguresFollowFromRatings(t *testing.T) {
	p := newPublished(t)
	p.rate(7)
	lead := p.signIn(p.Lead)
	for _, login := range []string{"ann3", "ann8"} {
		page := "/campaigns/sample/annotators/" + login
		if got := lead.send("POST", page+"/set-aside", "application/x-www-form-urlencoded", url.Values{"reason": {"judged the other way round"}}.Encode()); got.status != http.StatusSeeOther {
			t.Fatalf("setting %s aside: %d", login, got.status)
		}
	}
	p.check(lead, "with two set aside")
	p.rate(40)
	p.check(lead, "filled up")
	for _, threshold := range []float64{0.95, 0.2, 0.7} {
		p.Change(t, fmt.Sprint("threshold=", threshold))
		p.threshold = threshold
		p.check(lead, fmt.Sprint("at threshold ", threshold))
	}
}

type published struct {
	*storetest.Sample
	t         *testing.T
	db        *storetest.DB
	url       string
	people    []*browsing
	threshold float64
}

func newPublished(t *testing.T) *published {
	db := storetest.Open(t)
	srv, err := server.New(server.Config{Now: db.Clock.Now}, db.Store)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv.Handler())
	t.Cleanup(ts.Close)
	p := &published{t: t, db: db, url: ts.URL, threshold: 0.7, Sample: storetest.Campaign(t, db.Store,
		storetest.Segments(30), storetest.PerDocument(3), storetest.Systems(4), storetest.Annotators(10), storetest.Set("redundancy=2"))}
	for _, u := range p.Annotators {
		p.people = append(p.people, p.signIn(u))
	}
	return p
}

// A browsing is a signed-in browser without scripts.
type browsing struct {
	p      *published
	client *http.Client
}

func (p *published) signIn(u store.User) *browsing {
	p.t.Helper()
	token, err := p.db.NewLink(p.t.Context(), u.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	b := &browsing{p, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	b.send("POST", server.LinkPath(token), "application/x-www-form-urlencoded", "")
	return b
}

type received struct {
	status         int
	body, location string
}

func (b *browsing) send(method, path, contentType, body string) received {
	b.p.t.Helper()
	req, err := http.NewRequestWithContext(b.p.t.Context(), method, b.p.url+path, strings.NewReader(body))
	if err != nil {
		b.p.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.p.t.Fatal(err)
	}
	return received{res.StatusCode, string(text), res.Header.Get("Location")}
}

// page is a page as a document.
func (b *browsing) page(path string) *goquery.Document {
	b.p.t.Helper()
	got := b.send("GET", path, "", "")
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(got.body))
	if err != nil || got.status != http.StatusOK {
		b.p.t.Fatalf("%s: %d, %v", path, got.status, err)
	}
	return doc
}

// rate has everybody in turn take what they are given next, so many times.
func (p *published) rate(times int) {
	p.t.Helper()
	for range times {
		idle := true
		for i, b := range p.people {
			if at := b.send("POST", "/campaigns/sample/next", "application/x-www-form-urlencoded", "").location; strings.Contains(at, "/assignments/") {
				b.rate(i, at)
				idle = false
			}
		}
		if idle {
			return
		}
	}
}

var (
	publishedCard = regexp.MustCompile(`Translation (\d+) of segment (\d+)\.`)
	publishedID   = regexp.MustCompile(`{"id":"([\w-]{16})","revision":(\d+)`)
)

// rate gives scores to the cards of a page and submits them.
func (b *browsing) rate(i int, path string) {
	t := b.p.t
	t.Helper()
	page := b.send("GET", path, "", "").body
	cards, ids := publishedCard.FindAllStringSubmatch(page, -1), publishedID.FindAllStringSubmatch(page, -1)
	if len(cards) != 4 || len(ids) != 4 {
		t.Fatalf("%s has %d texts and %d cards", path, len(cards), len(ids))
	}
	revisions := map[string]int{}
	for k, card := range cards {
		system, _ := strconv.Atoi(card[1])
		n, _ := strconv.Atoi(card[2])
		before, _ := strconv.Atoi(ids[k][2])
		saved := b.send("PUT", path+"/cards/"+ids[k][1], "application/json", fmt.Sprintf(`{"revision":%d,"save_id":"x%d","scores":{"sqm":%d},"seconds":1}`, before, before, opinion(i, n, system)))
		if saved.status != http.StatusOK {
			t.Fatalf("save: %d %s", saved.status, saved.body)
		}
		var answer struct{ Revision int }
		if err := json.Unmarshal([]byte(saved.body), &answer); err != nil {
			t.Fatal(err)
		}
		revisions[ids[k][1]] = answer.Revision
	}
	body, _ := json.Marshal(map[string]any{"cards": revisions})
	if done := b.send("POST", path+"/submit", "application/json", string(body)); done.status != http.StatusOK {
		t.Fatalf("submit: %d %s", done.status, done.body)
	}
}

// opinion is what annotator i thinks of a system's translation of segment n. The
// third and the eighth judge the other way round; of some segments half of the others
// think otherwise than the rest, of all systems or of two.
func opinion(i, n, system int) int {
	x := (3*n + 2*system) % 5
	if (i+n+system)%4 == 0 {
		x = min(4, x+1)
	}
	switch {
	case i == 2 || i == 7 || n%6 == 0 && i%2 == 0:
		x = 4 - x
	case n%3 == 1 && i%3 == 0 && system <= 2:
		x = min(4, x+2)
	}
	return x
}

// A table is the table of ratings: score by segment, round, annotator and system.
type table struct {
	segments []string // in their order
	score    map[string]map[int]map[string]map[string]float64
	status   map[string]string
}

// pearson is the plain formula; NaN where a side is constant.
func pearson(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx, sy, sxx, syy, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	vx, vy := n*sxx-sx*sx, n*syy-sy*sy
	if vx == 0 || vy == 0 || n < 3 {
		return math.NaN()
	}
	return (n*sxy - sx*sy) / math.Sqrt(vx*vy)
}

func (tb *table) vector(segment string, round int, login string) (out []float64) {
	given := tb.score[segment][round][login]
	for _, system := range slices.Sorted(maps.Keys(given)) {
		out = append(out, given[system])
	}
	return out
}

// passes judges a round by the words of the manual.
func (tb *table) passes(segment string, round int, threshold float64) bool {
	logins := slices.Sorted(maps.Keys(tb.score[segment][round]))
	for i, a := range logins {
		for _, b := range logins[:i] {
			x, y := tb.vector(segment, round, a), tb.vector(segment, round, b)
			r, far := pearson(x, y), 0.0
			for k := range x {
				far += math.Abs(x[k]-y[k]) / float64(len(x))
			}
			if math.IsNaN(r) && far > 0.5 || r < threshold-1e-12 {
				return false
			}
		}
	}
	return true
}

// state is what the ratings of a segment say: its status and round, whether round 1
// is complete, and whether it passes.
func (tb *table) state(segment string, threshold float64) (status string, round int, complete, passes bool) {
	first, second := tb.score[segment][1], tb.score[segment][2]
	if len(first) < 2 {
		return "pending", 1, false, false
	}
	if tb.passes(segment, 1, threshold) {
		return "agreed", 1, true, true
	}
	waits := false
	for login := range first {
		waits = waits || second[login] == nil
	}
	switch {
	case len(second) >= 2 && !tb.passes(segment, 2, threshold):
		return "discarded", 2, true, false
	case waits || len(second) < 2:
		return "reannotate", 2, true, false
	}
	return "agreed", 2, true, false
}

// counting is the rounds that are wanted: all below the one that the segment is in.
func (tb *table) counting(segment string, threshold float64) []int {
	if _, round, _, _ := tb.state(segment, threshold); round == 2 {
		return []int{2, 1}
	}
	return []int{1}
}

// readTable reads the table of ratings, and gold as its rounds have it.
func (p *published) readTable(text string) *table {
	p.t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		p.t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	tb := &table{score: map[string]map[int]map[string]map[string]float64{}, status: map[string]string{}}
	for n := range p.Segments {
		id := fmt.Sprint("s", n+1)
		tb.segments, tb.score[id] = append(tb.segments, id), map[int]map[string]map[string]float64{}
	}
	for _, row := range rows[1:] {
		id, login, system := row[column["segment_id"]], row[column["annotator"]], row[column["system"]]
		round, _ := strconv.Atoi(row[column["round"]])
		score, err := strconv.ParseFloat(row[column["sqm"]], 64)
		if err != nil {
			p.t.Fatal(err)
		}
		if tb.score[id][round] == nil {
			tb.score[id][round] = map[string]map[string]float64{}
		}
		if tb.score[id][round][login] == nil {
			tb.score[id][round][login] = map[string]float64{}
		}
		tb.score[id][round][login][system] = score
		tb.status[id] = row[column["status"]]
	}
	return tb
}

// An expectation is what the table of ratings says of all segments.
type expectation struct {
	statuses       map[string]int
	judged, failed int // of segments whose round 1 is complete
	segment        map[[2]string]cell
	system         map[[2]string]cell
	gold           map[string]float64 // by segment and system
}

type cell struct {
	r      float64
	shared int
}

func (tb *table) expect(threshold float64) expectation {
	out := expectation{statuses: map[string]int{}, segment: map[[2]string]cell{}, system: map[[2]string]cell{}, gold: map[string]float64{}}
	rs := map[[2]string][]float64{}
	sums := map[[2]string][2]map[string]float64{}
	shared := map[[2]string]int{}
	for _, id := range tb.segments {
		status, round, complete, passes := tb.state(id, threshold)
		out.statuses[status]++
		if complete {
			out.judged++
		}
		if complete && !passes {
			out.failed++
		}
		if status == "agreed" {
			n := float64(len(tb.score[id][round]))
			for _, given := range tb.score[id][round] {
				for system, x := range given {
					out.gold[id+" "+system] += x / n
				}
			}
		}
		done := map[[2]string]bool{}
		for _, round := range tb.counting(id, threshold) {
			for a, x := range tb.score[id][round] {
				for b, y := range tb.score[id][round] {
					pair := [2]string{a, b}
					if a >= b || done[pair] {
						continue
					}
					done[pair] = true
					shared[pair]++
					if sums[pair][0] == nil {
						sums[pair] = [2]map[string]float64{{}, {}}
					}
					for system := range x {
						sums[pair][0][system] += x[system]
						sums[pair][1][system] += y[system]
					}
					if r := pearson(tb.vector(id, round, a), tb.vector(id, round, b)); !math.IsNaN(r) {
						rs[pair] = append(rs[pair], r)
					}
				}
			}
		}
	}
	for pair, n := range shared {
		mean := math.NaN()
		if len(rs[pair]) > 0 {
			mean = 0
			for _, r := range rs[pair] {
				mean += r / float64(len(rs[pair]))
			}
		}
		out.segment[pair] = cell{mean, n}
		var x, y []float64
		for _, system := range slices.Sorted(maps.Keys(sums[pair][0])) {
			x, y = append(x, sums[pair][0][system]), append(y, sums[pair][1][system])
		}
		out.system[pair] = cell{pearson(x, y), n}
	}
	return out
}

// command is what a command of the program writes.
func (p *published) command(args ...string) string {
	p.t.Helper()
	var out, said bytes.Buffer
	environ := []string{"ANNOTATE_DATABASE_DRIVER=sqlite", "ANNOTATE_DATABASE_DSN=" + p.db.Config.DSN}
	if err := run(p.t.Context(), args, environ, strings.NewReader(""), &out, &said); err != nil {
		p.t.Fatalf("%v: %v\n%s", args, err, said.String())
	}
	return out.String()
}

func near(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9 }

// check holds everything that is published against the table of ratings.
func (p *published) check(lead *browsing, when string) {
	t := p.t
	t.Helper()
	p.db.Clock.Advance(3600e9)
	dir := filepath.Join(t.TempDir(), "archive")
	p.command("report", "sample", "--out", dir)
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tb := p.readTable(read("data/ratings.csv"))
	want := tb.expect(p.threshold)
	share := float64(want.failed) / float64(want.judged)
	t.Logf("%s: %v, %d of %d fail in round 1", when, want.statuses, want.failed, want.judged)
	for _, id := range tb.segments {
		if status, _, _, _ := tb.state(id, p.threshold); tb.status[id] != "" && tb.status[id] != status {
			t.Errorf("%s: %s is %s in the table, and %s by its ratings", when, id, tb.status[id], status)
		}
		for _, round := range tb.score[id] {
			if round["ann3"] != nil || round["ann8"] != nil {
				t.Errorf("%s: the table has ratings of somebody set aside", when)
			}
		}
	}
	p.checkCommand(when, tb, want, share)

	// The pages.
	for _, path := range []string{"", "/agreement"} {
		doc := lead.page("/campaigns/sample" + path)
		if got := tile(doc, "Failed in round 1"); !strings.Contains(got, fmt.Sprintf("%d of %d judged", want.failed, want.judged)) {
			t.Errorf("%s: page %q says %q, want %d of %d", when, path, got, want.failed, want.judged)
		}
		p.checkHeatmap(when, doc, "segment-level-title", want.segment)
		p.checkHeatmap(when, doc, "system-level-title", want.system)
	}
	overview := lead.page("/campaigns/sample").Find(".legend").Text()
	for status, n := range want.statuses {
		word := map[string]string{"reannotate": "second look"}[status]
		if word = cmp.Or(word, status); !strings.Contains(overview, fmt.Sprint(n, " ", word)) {
			t.Errorf("%s: the overview lacks %d %s: %q", when, n, word, overview)
		}
	}
	p.checkPeople(when, lead, tb)
	for _, id := range tb.segments {
		status, round, complete, passes := tb.state(id, p.threshold)
		n, _ := strconv.Atoi(id[1:])
		main := lead.page("/campaigns/sample/segments/" + p.RowID(t, fmt.Sprint("d", (n+2)/3), id)).Find("main")
		main.Find("details:contains('Judged before')").Remove() // it says that it does not hold any more
		text := main.Text()
		if got := strings.Contains(text, "did not agree, sent back"); got != (complete && !passes) {
			t.Errorf("%s: the page of %s, %s in round %d, says that round 1 did not agree: %v", when, id, status, round, got)
		}
	}

	// The report and its archive.
	gate := read("tables/gate.csv")
	if line := fmt.Sprintf("\"Failed in round 1, of those judged\",%d,%d,", want.failed, want.judged); !strings.Contains(gate, line) {
		t.Errorf("%s: the report has\n%swant %s", when, gate, line)
	}
	for _, row := range must(csv.NewReader(strings.NewReader(read("tables/statuses.csv"))).ReadAll())(t)[1:] {
		if row[2] != strconv.Itoa(want.statuses[row[0]]) {
			t.Errorf("%s: the report has %q, want %d", when, row, want.statuses[row[0]])
		}
	}
	for name, cells := range map[string]map[[2]string]cell{"iaa-segment": want.segment, "iaa-system": want.system} {
		for _, row := range must(csv.NewReader(strings.NewReader(read("figures/" + name + ".csv"))).ReadAll())(t)[1:] {
			c := cells[[2]string{row[0], row[1]}]
			if r, err := strconv.ParseFloat(row[2], 64); row[3] != strconv.Itoa(c.shared) || err == nil && !near(r, c.r) || err != nil && c.shared > 0 && !math.IsNaN(c.r) {
				t.Errorf("%s: %s has %q, want %v", when, name, row, c)
			}
		}
	}
	gold := must(csv.NewReader(strings.NewReader(read("data/gold.csv"))).ReadAll())(t)
	at := func(name string) int { return slices.Index(gold[0], name) }
	for _, row := range gold[1:] {
		key := row[at("segment_id")] + " " + row[at("system")]
		if x, err := strconv.ParseFloat(row[at("sqm")], 64); err != nil || !near(x, want.gold[key]) {
			t.Errorf("%s: gold of %s is %q, want %v", when, key, row, want.gold[key])
		}
		delete(want.gold, key)
	}
	if len(want.gold) > 0 {
		t.Errorf("%s: gold lacks %v", when, want.gold)
	}
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// tile is the text of a figure of a page.
func tile(doc *goquery.Document, label string) (text string) {
	doc.Find(".tile").Each(func(_ int, s *goquery.Selection) {
		if strings.Contains(s.Text(), label) {
			text = strings.Join(strings.Fields(s.Text()), " ")
		}
	})
	return text
}

// checkCommand is about annotate agreement.
func (p *published) checkCommand(when string, tb *table, want expectation, share float64) {
	t := p.t
	t.Helper()
	type jsonCell struct {
		A, B   string
		R      *float64
		Shared int
	}
	var got struct {
		Segments []struct {
			SegmentID string `json:"segment_id"`
			Round     int
			Status    string
			Pairs     []struct {
				A, B   string
				R      *float64
				Passed bool
			}
		}
		SystemLevel  []jsonCell `json:"system_level"`
		SegmentLevel []jsonCell `json:"segment_level"`
		Summary      map[string]float64
	}
	if err := json.Unmarshal([]byte(p.command("agreement", "sample", "--format", "json")), &got); err != nil {
		t.Fatal(err)
	}
	if int(got.Summary["segments"]) != len(tb.segments) || !near(got.Summary["first_round_fail_rate"], share) {
		t.Errorf("%s: annotate agreement sums up %v, want a share of %v", when, got.Summary, share)
	}
	for status, n := range got.Summary {
		if status != "segments" && status != "first_round_fail_rate" && int(n) != want.statuses[status] {
			t.Errorf("%s: annotate agreement has %v %s, want %d", when, n, status, want.statuses[status])
		}
	}
	for _, s := range got.Segments {
		status, round, _, _ := tb.state(s.SegmentID, p.threshold)
		if status == "reannotate" {
			round = 1 // the last complete one
		}
		if s.Status != status || s.Round != round {
			t.Errorf("%s: annotate agreement has %s as %s in round %d, want %s in %d", when, s.SegmentID, s.Status, s.Round, status, round)
		}
		for _, pair := range s.Pairs {
			r := pearson(tb.vector(s.SegmentID, round, pair.A), tb.vector(s.SegmentID, round, pair.B))
			if pair.R == nil != math.IsNaN(r) || pair.R != nil && (!near(*pair.R, r) || pair.Passed != (r >= p.threshold-1e-12)) {
				t.Errorf("%s: annotate agreement has %+v in %s, want r %v", when, pair, s.SegmentID, r)
			}
		}
	}
	for name, level := range map[string]struct {
		got  []jsonCell
		want map[[2]string]cell
	}{"segment": {got.SegmentLevel, want.segment}, "system": {got.SystemLevel, want.system}} {
		seen := 0
		for _, c := range level.got {
			x := level.want[[2]string{c.A, c.B}]
			if c.Shared != x.shared || c.R != nil && !near(*c.R, x.r) || c.R == nil && c.Shared > 0 && !math.IsNaN(x.r) {
				t.Errorf("%s: annotate agreement has %+v at %s level, want %v", when, c, name, x)
			}
			if c.Shared > 0 {
				seen++
			}
		}
		if seen != len(level.want) {
			t.Errorf("%s: annotate agreement has %d pairs at %s level, want %d", when, seen, name, len(level.want))
		}
	}
}

// checkHeatmap is about a heatmap of a page: r to two digits and the shared segments.
func (p *published) checkHeatmap(when string, doc *goquery.Document, id string, want map[[2]string]cell) {
	t := p.t
	t.Helper()
	figure := doc.Find(`[aria-labelledby="` + id + `"]`)
	names := figure.Find("thead th").Map(func(_ int, s *goquery.Selection) string { return strings.TrimSpace(s.Text()) })
	if len(names) < 8 {
		t.Fatalf("%s: %s is about %q", when, id, names)
	}
	for i := range names {
		row := figure.Find("tbody tr").Eq(i)
		for j := range names {
			if names[i] >= names[j] {
				continue
			}
			text := strings.Join(strings.Fields(row.Find("td").Eq(j).Text()), " ")
			c, shown := want[[2]string{names[i], names[j]}], ""
			if c.shared > 0 {
				r := "–"
				if !math.IsNaN(c.r) {
					r = strings.Replace(fmt.Sprintf("%.2f", c.r), "-", "−", 1)
				}
				if r == "−0.00" {
					r = "0.00"
				}
				shown = fmt.Sprint(r, " ", c.shared)
			}
			if text != shown {
				t.Errorf("%s: %s shows %q for %s and %s, want %q", when, id, text, names[i], names[j], shown)
			}
		}
	}
}

// checkPeople is about the page of annotators: how many ratings each gave, and the
// mean of those in the latest round of each segment that counts.
func (p *published) checkPeople(when string, lead *browsing, tb *table) {
	t := p.t
	t.Helper()
	ratings, latest, sum := map[string]int{}, map[string]int{}, map[string]float64{}
	for _, id := range tb.segments {
		for _, given := range tb.score[id] {
			for login, scores := range given {
				ratings[login] += len(scores)
			}
		}
		done := map[string]bool{}
		for _, round := range tb.counting(id, p.threshold) {
			for login, scores := range tb.score[id][round] {
				if done[login] {
					continue
				}
				done[login] = true
				for _, x := range scores {
					latest[login]++
					sum[login] += x
				}
			}
		}
	}
	lead.page("/campaigns/sample/annotators").Find("tbody tr[data-key]").Each(func(_ int, row *goquery.Selection) {
		login := row.AttrOr("data-key", "")
		cells := row.Find("td").Map(func(_ int, s *goquery.Selection) string { return strings.TrimSpace(s.Text()) })
		if login == "ann3" || login == "ann8" {
			return
		}
		mean, err := strconv.ParseFloat(cells[5], 64)
		if cells[0] != strconv.Itoa(ratings[login]) || err != nil || math.Abs(mean-sum[login]/float64(latest[login])) > 0.0050001 {
			t.Errorf("%s: the page of annotators has %q for %s, want %d ratings, mean %.4f", when, cells[:8], login, ratings[login], sum[login]/float64(latest[login]))
		}
	})
}
