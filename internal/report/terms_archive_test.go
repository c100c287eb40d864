package report_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/metaeval"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// TestTermsFromArchive imports the invented campaign of [culture], and computes every number about its terms, and the correlations of its
// metrics, a second time from the data files of its archive alone.
func TestTermsFromArchive(t *testing.T) {
	db := storetest.Open(t)
	c := imported(t, db.Store)
	r := stored(t, db.Store, c.Slug)
	files := memoryTree{}
	archive := transfer.Archive{Campaign: c, Report: r, State: func(ctx context.Context) (string, error) { return evaluation.ReportState(ctx, db.Store, c, nil) }}
	storetest.Check(t, archive.Write(t.Context(), db.Store, files))

	// Which segments are in gold, with the share of terms that each translation renders.
	place, share := map[string]int{}, map[string]float64{}
	rows := storetest.Must(csv.NewReader(files["data/gold.csv"]).ReadAll())(t)
	for _, row := range rows[1:] {
		if _, ok := place[row[1]]; !ok {
			place[row[1]] = len(place)
		}
		share[row[1]+row[3]] = storetest.Must(strconv.ParseFloat(row[slices.Index(rows[0], "share")], 64))(t)
	}
	context := map[string]int{}
	systems := map[string]bool{}
	for x := range linesOf[struct {
		SegmentID    string `json:"segment_id"`
		Source       string
		Translations map[string]string
	}](t, files, "segments") {
		context[x.SegmentID] = len([]rune(x.Source))
		for name := range x.Translations {
			systems[name] = true
		}
	}
	type line struct {
		SegmentID string `json:"segment_id"`
		protocol.ErrorSpan
	}
	var marked []line
	lengths := map[string]int{}
	for x := range linesOf[line](t, files, "terms") {
		marked = append(marked, x)
		lengths[x.SegmentID+x.ID] = x.End - x.Start
	}
	var terms []plainTerm
	for _, x := range marked {
		if x.Side != protocol.Reference {
			terms = append(terms, plainTerm{x.Category, x.End - x.Start, lengths[x.SegmentID+x.Link], context[x.SegmentID], x.SegmentID})
		}
	}
	var judged []judgedTerm
	people := map[string]map[string]bool{}
	for range 2 { // first the people of each segment
		judged = nil
		for x := range linesOf[struct {
			SegmentID         string `json:"segment_id"`
			System, Annotator string
			Spans             []protocol.ErrorSpan
		}](t, files, "ratings") {
			if people[x.SegmentID] == nil {
				people[x.SegmentID] = map[string]bool{}
			}
			people[x.SegmentID][x.Annotator] = true
			at, ok := place[x.SegmentID]
			if !ok {
				at = -1
			}
			for _, s := range x.Spans {
				judged = append(judged, judgedTerm{at, x.System, x.SegmentID + " " + s.ID, s.Category, x.Annotator, len(people[x.SegmentID]), s.Answers["rendered"], s.Answers["error"]})
			}
		}
	}
	byMetric := map[string]*metaeval.Scores{}
	for x := range linesOf[struct {
		Metric, System string
		SegmentID      string `json:"segment_id"`
		Score          float64
		LowerIsBetter  bool `json:"lower_is_better"`
	}](t, files, "metric-scores") {
		at, ok := place[x.SegmentID]
		if !ok {
			continue
		}
		m := byMetric[x.Metric]
		if m == nil {
			m = &metaeval.Scores{Name: x.Metric, LowerIsBetter: x.LowerIsBetter, Segment: map[string][]float64{}}
			for name := range systems {
				m.Segment[name] = make([]float64, len(place))
			}
			byMetric[x.Metric] = m
		}
		m.Segment[x.System][at] = x.Score
	}
	var scores []metaeval.Scores
	check := newChecker(t, r)
	for _, m := range byMetric {
		scores = append(scores, *m)
		var human, automatic []float64
		for id, at := range place {
			for name := range systems {
				x := m.Segment[name][at]
				if m.LowerIsBetter {
					x = -x
				}
				human, automatic = append(human, share[id+name]), append(automatic, x)
			}
		}
		name := m.Name
		if m.LowerIsBetter {
			name += " (−)"
		}
		check.want("metrics", name, "Segment level|r", plainPearson(human, automatic))
		check.want("metrics", name, "Segment level|ρ", plainPearson(plainRanks(human), plainRanks(automatic)))
	}
	if len(place) != 180 || len(scores) != 2 || len(judged) < 2000 {
		t.Fatalf("the archive has %d segments in gold, %d metrics and %d answers", len(place), len(scores), len(judged))
	}
	importedOnly(check, byMetric)
	checkTerms(check, c.Rules, terms, judged, scores)
}

// importedOnly removes the drops of metrics that are built in: the archive has their texts, not their scores.
func importedOnly(c *checker, metrics map[string]*metaeval.Scores) {
	for _, id := range []string{"terms-drop", "figure terms-drop", "terms-drop-intervals"} {
		table := c.tables[id]
		table.Rows = slices.Clone(table.Rows)
		for i := len(table.Columns) - 1; i >= 0; i-- {
			if g := table.Columns[i].Group; len(g) > 0 && metrics[g[0]] == nil {
				table.Columns = slices.Delete(slices.Clone(table.Columns), i, i+1)
				for k := range table.Rows {
					table.Rows[k].Cells = slices.Delete(slices.Clone(table.Rows[k].Cells), i, i+1)
				}
			}
		}
		c.tables[id] = table
	}
}

// imported stores the invented campaign of [culture] by importing files. Its segments that are not in gold are discarded by a lead.
func imported(t *testing.T, st *store.Store) campaign.Campaign {
	t.Helper()
	in, _, _ := culture(t)
	evaluated, _ := in.Metrics(t.Context())
	c := storetest.Must(st.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: "culture", Title: "Culture", Protocol: "culture", Settings: campaign.DefaultSettings(in.Campaign.Rules)}, ""))(t)
	var segments, terms, ratings, scores bytes.Buffer
	write := func(to *bytes.Buffer, line map[string]any) { storetest.Check(t, json.NewEncoder(to).Encode(line)) }
	span := func(s protocol.ErrorSpan, more map[string]any) map[string]any {
		line := map[string]any{"id": s.ID, "side": s.Side, "start": s.Start, "end": s.End, "category": s.Category}
		if s.Link != "" {
			line["link"] = s.Link
		}
		for key, x := range more {
			line[key] = x
		}
		return line
	}
	var discarded []string
	place := 0
	for s, err := range in.Segments {
		storetest.Check(t, err)
		translations := map[string]string{}
		for _, tr := range s.Translations {
			translations[tr.System] = tr.Text
			for _, r := range tr.Ratings {
				var spans []map[string]any
				for _, x := range r.Spans {
					spans = append(spans, span(x, map[string]any{"answers": x.Answers, "text": strings.Repeat("茶", x.End-x.Start)}))
				}
				write(&ratings, map[string]any{"doc_id": s.DocID, "segment_id": s.SegmentID, "system": tr.System, "annotator": r.Annotator, "spans": spans, "seconds": r.Seconds})
			}
			if !s.Status.InGold() {
				continue
			}
			for _, m := range evaluated[0].SegmentScores {
				write(&scores, map[string]any{"metric": m.Name, "doc_id": s.DocID, "segment_id": s.SegmentID, "system": tr.System, "score": m.Segment[tr.System][place], "lower_is_better": m.LowerIsBetter})
			}
		}
		write(&segments, map[string]any{"doc_id": s.DocID, "segment_id": s.SegmentID, "source": s.Source, "source_lang": "zh", "target_lang": "en", "reference": strings.Repeat("r", 40), "translations": translations})
		for _, x := range s.Terms {
			write(&terms, span(x, map[string]any{"doc_id": s.DocID, "segment_id": s.SegmentID}))
		}
		if s.Status.InGold() {
			place++
		} else {
			discarded = append(discarded, s.SegmentID)
		}
	}
	for _, file := range []struct {
		format string
		text   *bytes.Buffer
	}{{"jsonl", &segments}, {"terms", &terms}, {"ratings", &ratings}, {"scores", &scores}} {
		c = storetest.Must(st.Records.Campaign(t.Context(), c.Slug))(t)
		_, err := transfer.Import(t.Context(), st, c, transfer.Request{Format: file.format, Files: []transfer.File{{Name: file.format + ".jsonl", Reader: file.text}}})
		storetest.Check(t, err)
	}
	var rows []string
	for s, err := range st.Records.AllSegments(t.Context(), c) {
		storetest.Check(t, err)
		if slices.Contains(discarded, s.SegmentID) {
			rows = append(rows, storetest.Must(st.Records.SegmentRowID(t.Context(), c.ID, s.DocID, s.SegmentID))(t))
		}
	}
	storetest.Check(t, st.Rounds.Discard(t.Context(), c.ID, rows, "left out", ""))
	return storetest.Must(st.Records.Campaign(t.Context(), c.Slug))(t)
}

// A memoryTree holds the files of an archive.
type memoryTree map[string]*bytes.Buffer

func (m memoryTree) Create(path string) (io.Writer, error) {
	m[path] = &bytes.Buffer{}
	return m[path], nil
}

func (m memoryTree) Apart(path string) (transfer.TreeFile, error) {
	m[path] = &bytes.Buffer{}
	return memoryFile{m[path]}, nil
}

type memoryFile struct{ *bytes.Buffer }

func (memoryFile) Keep() error { return nil }
func (memoryFile) Discard()    {}

// linesOf yields the JSON lines of a data file.
func linesOf[T any](t *testing.T, files memoryTree, name string) func(func(T) bool) {
	return func(yield func(T) bool) {
		file := files["data/"+name+".jsonl"]
		if file == nil {
			t.Fatalf("the archive has no %s", name)
		}
		scanner := bufio.NewScanner(bytes.NewReader(file.Bytes()))
		for scanner.Scan() {
			var x T
			if err := json.Unmarshal(scanner.Bytes(), &x); err != nil {
				t.Fatal(fmt.Errorf("%s: %w", name, err))
			}
			if !yield(x) {
				return
			}
		}
	}
}

// plainPearson is Pearson's r by its definition.
func plainPearson(x, y []float64) float64 {
	var xx, yy, xy float64
	mx, my := stat.Mean(x), stat.Mean(y)
	for i := range x {
		xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}

// plainRanks are the numbers of smaller values, plus half the number of equal ones.
func plainRanks(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, a := range x {
		for _, b := range x {
			switch {
			case b < a:
				out[i]++
			case b == a:
				out[i] += 0.5
			}
		}
	}
	return out
}
