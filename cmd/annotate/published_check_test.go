package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// command returns the output of a command.
func (p *published) command(args ...string) string {
	p.t.Helper()
	var out, said bytes.Buffer
	environ := []string{"ANNOTATE_DATABASE_DRIVER=sqlite", "ANNOTATE_DATABASE_DSN=" + p.db.Config.DSN}
	if err := run(p.t.Context(), args, environ, strings.NewReader(""), &out, &said); err != nil {
		p.t.Fatalf("%v: %v\n%s", args, err, said.String())
	}
	return out.String()
}

// check compares everything that is published with the table of ratings.
func (p *published) check(when string) {
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
		doc := p.page("/campaigns/sample" + path)
		if got := tile(doc, "Failed in round 1"); !strings.Contains(got, fmt.Sprintf("%d of %d judged", want.failed, want.judged)) {
			t.Errorf("%s: page %q says %q, want %d of %d", when, path, got, want.failed, want.judged)
		}
		p.checkHeatmap(when, doc, "segment-level-title", want.segment)
		p.checkHeatmap(when, doc, "system-level-title", want.system)
	}
	overview := p.page("/campaigns/sample").Find(".legend").Text()
	for status, n := range want.statuses {
		word := map[string]string{"reannotate": "second look"}[status]
		if word = cmp.Or(word, status); !strings.Contains(overview, fmt.Sprint(n, " ", word)) {
			t.Errorf("%s: the overview lacks %d %s: %q", when, n, word, overview)
		}
	}
	p.checkPeople(when, tb)
	for _, id := range tb.segments {
		status, round, complete, passes := tb.state(id, p.threshold)
		n, _ := strconv.Atoi(id[1:])
		main := p.page("/campaigns/sample/segments/" + p.RowID(t, fmt.Sprint("d", (n+2)/3), id)).Find("main")
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

// tile returns the text of a number on a page.
func tile(doc *goquery.Document, label string) (text string) {
	doc.Find(".tile").Each(func(_ int, s *goquery.Selection) {
		if strings.Contains(s.Text(), label) {
			text = strings.Join(strings.Fields(s.Text()), " ")
		}
	})
	return text
}

// checkCommand checks the output of annotate agreement.
func (p *published) checkCommand(when string, tb *ratingTable, want expectation, share float64) {
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

// checkHeatmap checks a heatmap of a page: r with two digits, and the number of shared
// segments.
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
func (p *published) checkPeople(when string, tb *ratingTable) {
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
	p.page("/campaigns/sample/annotators").Find("tbody tr[data-key]").Each(func(_ int, row *goquery.Selection) {
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
