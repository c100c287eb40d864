package report_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/store"
	"annotate/internal/transfer"
)

func sprint(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

// A plainRating is a row of the format csv, with human scores by their names.
type plainRating struct {
	segment, domain, system, who, status string
	round                                int
	scores                               map[string]float64
	spans                                []protocol.ErrorSpan
	seconds                              float64
}

type plainSegment struct {
	id, doc, domain, status string
	source                  string
	characters              int
	translations            map[string]string
}

// A plainJudgement is a line of the format judgements.
type plainJudgement struct {
	Judge     string `json:"judge"`
	SegmentID string `json:"segment_id"`
	System    string `json:"system"`
	Status    string `json:"status"`
	Spans     []struct {
		protocol.ErrorSpan
		Start *int `json:"start"` // nil if the words are in neither text
	} `json:"spans"`
}

// placed returns the spans with a place.
func (j plainJudgement) placed() (out []protocol.ErrorSpan) {
	for _, s := range j.Spans {
		if s.Start != nil {
			s.ErrorSpan.Start = *s.Start
			out = append(out, s.ErrorSpan)
		}
	}
	return out
}

// plainData is a campaign as its exports have it.
type plainData struct {
	t           *testing.T
	rules       *protocol.Protocol
	segments    []plainSegment
	ratings     []plainRating
	judgements  []plainJudgement
	entered     map[string]map[string]float64 // by segment: what the lead decided, by system
	alpha       float64
	alphaBounds plainBounded
	chinese     bool          // the sources
	forGold     []plainRating // what gold returns; nil until it is asked for
}

func readPlain(t *testing.T, st *store.Store, c campaign.Campaign) *plainData {
	t.Helper()
	d := &plainData{t: t, rules: c.Rules, chinese: c.SourceLang == "zh", entered: map[string]map[string]float64{}}
	d.readCSV(export(t, st, c, "csv"))
	d.readSegments(export(t, st, c, "jsonl"))
	for in := json.NewDecoder(export(t, st, c, "judgements")); in.More(); {
		var j plainJudgement
		if err := in.Decode(&j); err != nil {
			t.Fatal(err)
		}
		d.judgements = append(d.judgements, j)
	}
	if strings.HasSuffix(c.Slug, "demo-zh-en") {
		var lead struct {
			SegmentID string             `json:"segment_id"`
			Scores    map[string]float64 `json:"scores"`
		}
		text, err := os.ReadFile("../sample/data/zh-en.adjudication.json")
		if err == nil {
			err = json.Unmarshal(text, &lead)
		}
		if err != nil {
			t.Fatal(err)
		}
		d.entered[lead.SegmentID] = lead.Scores
	}
	return d
}

func export(t *testing.T, st *store.Store, c campaign.Campaign, format string) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	if _, err := transfer.Export(t.Context(), st, c, format, &out); err != nil {
		t.Fatal(err)
	}
	return &out
}

func (d *plainData) readCSV(in *bytes.Buffer) {
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, row := range rows[1:] {
		cell := func(name string) string { return row[slices.Index(rows[0], name)] }
		number := func(text string) float64 {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				d.t.Fatal(err)
			}
			return v
		}
		r := plainRating{segment: cell("segment_id"), domain: cell("domain"), system: cell("system"), who: cell("annotator"), status: cell("status"),
			round: int(number(cell("round"))), seconds: number(cell("seconds")), scores: map[string]float64{}}
		if text := cell("spans"); text != "" {
			if err := json.Unmarshal([]byte(text), &r.spans); err != nil {
				d.t.Fatal(err)
			}
		}
		for _, h := range d.rules.HumanScores() {
			v := number(cell(h.Score))
			if h.Name == "mqm" || h.Name == "rate" || h.Name == "rate-mqm" { // WMT's sign
				v = 0 - v
			}
			r.scores[h.Name] = v
		}
		d.ratings = append(d.ratings, r)
	}
}

func (d *plainData) readSegments(in *bytes.Buffer) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var s struct {
			DocID        string            `json:"doc_id"`
			SegmentID    string            `json:"segment_id"`
			Domain       string            `json:"domain"`
			Source       string            `json:"source"`
			Translations map[string]string `json:"translations"`
		}
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			d.t.Fatal(err)
		}
		status := "pending" // what nobody has rated is
		for _, r := range d.ratings {
			if r.segment == s.SegmentID {
				status = r.status
			}
		}
		d.segments = append(d.segments, plainSegment{s.SegmentID, s.DocID, s.Domain, status, s.Source, len([]rune(s.Source)), s.Translations})
	}
}

func inGold(status string) bool {
	return slices.Contains([]string{"agreed", "below_threshold", "adjudicated", "ungated"}, status)
}

// where gives the ratings that pass.
func where(ratings []plainRating, pass func(plainRating) bool) (out []plainRating) {
	for _, r := range ratings {
		if pass(r) {
			out = append(out, r)
		}
	}
	return out
}

// lastRound is the highest round in which at least so many rated a segment.
func (d *plainData) lastRound(segment string, annotators ...string) (last int) {
	for round := 1; round < 9; round++ {
		met := map[string]bool{}
		for _, r := range d.ratings {
			if r.segment == segment && r.round == round {
				met[r.who] = true
			}
		}
		both := true
		for _, who := range annotators {
			both = both && met[who]
		}
		if both && len(met) > 0 && (len(annotators) > 0 || len(met) > 1) {
			last = round
		}
	}
	return last
}

// gold are the ratings that gold is formed from. Where a lead entered the only score, and no
// errors are marked, nothing is left that they could form.
func (d *plainData) gold() []plainRating {
	if d.forGold != nil {
		return d.forGold
	}
	d.forGold = where(d.ratings, func(r plainRating) bool {
		later := slices.ContainsFunc(d.ratings, func(o plainRating) bool { return o.segment == r.segment && o.round > r.round })
		_, entered := d.entered[r.segment][r.system]
		return inGold(r.status) && !later && !(entered && d.rules.Spans == nil && len(d.rules.HumanScores()) == 1)
	})
	return d.forGold
}

// goldScore is the gold of a translation; false without.
func (d *plainData) goldScore(human, segment, system string) (float64, bool) {
	if v, ok := d.entered[segment][system]; ok && human == d.rules.HumanScores()[0].Name {
		return v, true
	}
	var given []float64
	for _, r := range d.gold() {
		if r.segment == segment && r.system == system {
			given = append(given, r.scores[human])
		}
	}
	return stat.Mean(given), len(given) > 0
}

// distinct are the different values of something about ratings, in byte order.
func distinct[T any](all []T, of func(T) string) (out []string) {
	for _, x := range all {
		if !slices.Contains(out, of(x)) {
			out = append(out, of(x))
		}
	}
	slices.Sort(out)
	return out
}

func (d *plainData) systems() (out []string) {
	for _, s := range d.segments {
		for name := range s.translations {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

func (d *plainData) annotators() []string {
	return distinct(d.ratings, func(r plainRating) string { return r.who })
}

func (d *plainData) judges() []string {
	return distinct(d.judgements, func(j plainJudgement) string { return j.Judge })
}

func (d *plainData) domains() []string {
	return distinct(d.segments, func(s plainSegment) string { return s.domain })
}

// goldDomains are the domains that have gold: only these have tables of systems and of metrics.
func (d *plainData) goldDomains() []string {
	return distinct(where(d.ratings, func(r plainRating) bool { return inGold(r.status) }), func(r plainRating) string { return r.domain })
}

func seconds(ratings []plainRating) (out []float64) {
	for _, r := range ratings {
		if r.seconds > 0 {
			out = append(out, r.seconds)
		}
	}
	return out
}

// label is what the report calls a human score.
func (d *plainData) label(human string) string {
	labels := map[string]string{"sqm": "SQM score", "esa": "ESA score", "mqm": "MQM", "rate": "RATE", "rate-mqm": "RATE MQM", "rate-accuracy": "Accuracy", "rate-fluency": "Fluency", "rate-esa": "RATE ESA"}
	if human == "mqm" && d.gate() == "esa" {
		return "MQM from spans"
	}
	if labels[human] == "" {
		panic(fmt.Sprintf("no label for %s", human))
	}
	return labels[human]
}
