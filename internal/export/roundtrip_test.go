package export_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/spreadsheet"
	"annotate/internal/testenv"
)

// read collects the segments of a file in which nothing is wrong.
func read(t *testing.T, format string, r io.Reader, opt ingest.Options) (out []campaign.Segment) {
	t.Helper()
	for line, err := range ingest.Segments(format, r, opt) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, line.Segment)
	}
	return out
}

func values(segments []campaign.Segment) export.Source { return source(nil, segments...) }

func TestJSONLRoundTrip(t *testing.T) {
	for seed := range uint64(200) {
		g := newGenerator(seed)
		want := g.lacking(1+g.IntN(5), g.names(1+g.IntN(5)), seed%2 == 1)
		var file bytes.Buffer
		if err := export.JSONL(&file, values(want)); err != nil {
			t.Fatal(err)
		}
		checkLines(t, file.Bytes(), len(want))
		got := read(t, "jsonl", bytes.NewReader(file.Bytes()), ingest.Options{})
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got\n%+v\nwant\n%+v", seed, got, want)
		}
		var again bytes.Buffer
		if err := export.JSONL(&again, values(got)); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
			t.Fatalf("seed %d: the second export differs from the first (%v)", seed, err)
		}
	}
}

// checkLines holds the file against encoding/json: n objects, one a line.
func checkLines(t *testing.T, file []byte, n int) {
	t.Helper()
	lines := bytes.SplitAfter(file, []byte("\n"))
	if len(lines) != n+1 || len(lines[n]) > 0 {
		t.Fatalf("%d lines, want %d", len(lines)-1, n)
	}
	for _, line := range lines[:n] {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
	}
}

// lookup is a protocol that comes with the program, with the severities and
// categories that generator.span makes up.
func lookup(t testing.TB, id string) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatalf("no protocol %s", id)
	}
	own := protocol.Own{Severities: []string{"Own severity"}, Categories: []string{"Own category", "Own category/Own subcategory"}}
	return p.With(protocol.Options{Settings: map[string]string{"critical": "yes", "source_error": "zero"}, Own: own})
}

// TestRatingsRoundTrip: ratings of translations come back as they were under every protocol, spans
// over the same words. Package transfer tests those of segments.
func TestRatingsRoundTrip(t *testing.T) {
	logins := []string{"amir", "lin", "mara", "Ünal", "小林"}
	for _, id := range protocol.IDs() {
		p := lookup(t, id)
		if p.OfSegments() {
			continue
		}
		for seed := range uint64(100) {
			g := newGenerator(seed)
			segments := g.segments(1+g.IntN(4), g.names(1+g.IntN(4)))
			var want []campaign.RatingLine
			texts := map[string]protocol.Texts{}
			for i := range segments {
				s := &segments[i]
				for j := range s.Translations {
					tr := &s.Translations[j]
					texts[s.SegmentID+"\n"+tr.System] = protocol.Texts{Source: s.Source, Translation: tr.Text}
					for round := 1; round <= 1+g.IntN(2); round++ {
						for _, login := range logins[:1+g.IntN(len(logins))] {
							r := g.under(p, login, round, protocol.Texts{Source: s.Source, Translation: tr.Text})
							tr.Ratings = append(tr.Ratings, r)
							want = append(want, campaign.RatingLine{DocID: s.DocID, SegmentID: s.SegmentID, System: tr.System, Rating: r})
						}
					}
				}
			}
			var file bytes.Buffer
			if _, err := export.Ratings(&file, p, values(segments)); err != nil {
				t.Fatal(err)
			}
			checkLines(t, file.Bytes(), len(want))
			var got []campaign.RatingLine
			for line, err := range ingest.Ratings(bytes.NewReader(file.Bytes()), p, ingest.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range line.Rating.Spans {
					if _, bad := texts[line.SegmentID+"\n"+line.System].Place(s); bad != nil {
						t.Fatalf("%s, seed %d: %s: %s", id, seed, bad.Field, bad.Msg)
					}
				}
				line.Place = campaign.Place{}
				got = append(got, line)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, seed %d: got\n%+v\nwant\n%+v", id, seed, got, want)
			}
			checkTable(t, p, segments, want)
		}
	}
}

// checkTable: the table of format csv holds the same ratings, exact or safe for a
// spreadsheet. encoding/csv reads CRLF in a field as LF, so comments are compared that
// way.
func checkTable(t *testing.T, p *protocol.Protocol, segments []campaign.Segment, want []campaign.RatingLine) {
	t.Helper()
	checkCSV(t, p, segments, want, export.CSVOptions{Exact: true}, func(cell string) string { return cell })
	checkCSV(t, p, segments, want, export.CSVOptions{}, spreadsheet.Unescape)
}

func checkCSV(t *testing.T, p *protocol.Protocol, segments []campaign.Segment, want []campaign.RatingLine, opt export.CSVOptions, text func(cell string) string) {
	t.Helper()
	var table bytes.Buffer
	if _, err := export.CSV(&table, p, opt, values(segments)); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(rows) != len(want)+1 {
		t.Fatalf("%d rows, want %d, %v", len(rows), len(want)+1, err)
	}
	for i, r := range want {
		cells := map[string]string{}
		for j, name := range rows[0] {
			cells[name] = rows[i+1][j]
		}
		if text(cells["doc_id"]) != r.DocID || text(cells["segment_id"]) != r.SegmentID || text(cells["system"]) != r.System || text(cells["annotator"]) != r.Annotator ||
			text(cells["comment"]) != strings.ReplaceAll(r.Comment, "\r\n", "\n") {
			t.Fatalf("row %q, want %+v", rows[i+1], r)
		}
		spans := []protocol.ErrorSpan{}
		if err := json.Unmarshal([]byte(cells["spans"]), &spans); err != nil || !slices.EqualFunc(spans, r.Spans, protocol.ErrorSpan.Equal) {
			t.Fatalf("spans %s, want %+v (%v)", cells["spans"], r.Spans, err)
		}
		for _, v := range p.Values(r.Rating.Rating) {
			if x, err := strconv.ParseFloat(cells[v.Name], 64); err != nil || x != v.Score {
				t.Fatalf("%s is %q, want %v", v.Name, cells[v.Name], v.Score)
			}
		}
	}
}

// TestMQMRoundTrip: what the table can hold comes back: texts, but for tabs and
// line breaks, and errors over the same characters.
func TestMQMRoundTrip(t *testing.T) {
	logins := []string{"amir", "lin", "Ünal", "小林"}
	plain := strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace
	for _, id := range []string{"esa", "mqm"} {
		p := lookup(t, id)
		for seed := range uint64(200) {
			g := newGenerator(seed)
			systems := g.names(1 + g.IntN(4))
			segments := g.segments(1+g.IntN(4), systems)
			var want []campaign.Segment
			for i := range segments {
				s := &segments[i]
				s.Status, s.Round = campaign.Ungated, 1
				back := campaign.Segment{DocID: s.DocID, SegmentID: s.SegmentID, SourceLang: "zh", TargetLang: "pt-BR", Source: plain(s.Source)}
				for j := range s.Translations {
					tr := &s.Translations[j]
					tr.Text = g.text(20)
					there := campaign.Translation{System: tr.System, Text: plain(tr.Text)}
					for _, login := range logins[:1+g.IntN(len(logins))] {
						r := g.under(p, login, 1, protocol.Texts{Source: s.Source, Translation: tr.Text})
						tr.Ratings = append(tr.Ratings, r)
						r.Seconds, r.SubmittedAt, r.Scores, r.NoErrors = 0, time.Time{}, nil, len(r.Spans) == 0
						if r.Comment = plain(r.Comment); !r.NoErrors {
							r.Comment = ""
						}
						r.Spans = slices.Clone(r.Spans)
						for k := range r.Spans {
							span := &r.Spans[k]
							span.ID, span.Link, span.Text, span.Comment = "", "", plain(span.Text), plain(span.Comment)
						}
						there.Ratings = append(there.Ratings, r)
					}
					back.Translations = append(back.Translations, there)
				}
				want = append(want, back)
			}
			var file bytes.Buffer
			if _, err := export.MQM(&file, p, values(segments)); err != nil {
				t.Fatal(err)
			}
			var got []campaign.Segment
			for line, err := range ingest.MQM(bytes.NewReader(file.Bytes()), p, ingest.Options{SourceLang: "zh", TargetLang: "pt-BR"}, nil) {
				if err != nil {
					t.Fatalf("%s, seed %d: %v\n%s", id, seed, err, &file)
				}
				for _, tr := range line.Segment.Translations {
					for _, r := range tr.Ratings {
						for k, span := range r.Spans {
							placed, bad := protocol.Texts{Source: line.Segment.Source, Translation: tr.Text}.Place(span)
							if bad != nil {
								t.Fatalf("%s, seed %d: %s: %s", id, seed, bad.Field, bad.Msg)
							}
							r.Spans[k] = placed
						}
					}
				}
				got = append(got, line.Segment)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, seed %d: got\n%+v\nwant\n%+v\n%s", id, seed, got, want, &file)
			}
		}
	}
}

// What a ment file can hold comes back: with ratings the ratings of the last
// round, from the letters; without, the averages.
func TestMENTRoundTrip(t *testing.T) {
	logins := []string{"A", "B", "C"} // which are their own letters
	for seed := range uint64(200) {
		g := newGenerator(seed)
		averages := seed%2 == 0
		names := make([]string, 1+g.IntN(12))
		for i := range names {
			names[i] = fmt.Sprintf("system_%d", i)
		}
		slices.Sort(names)
		want := g.segments(1+g.IntN(4), names)
		full := slices.Clone(want)
		for i := range want {
			s := &want[i]
			s.DocID, s.Context, s.Note = s.SegmentID, "", ""
			s.References = nil
			if text := g.text(9); text != "" {
				s.References = []campaign.Reference{{Name: campaign.MainReference, Text: text}}
			}
			full[i] = *s
			full[i].Status, full[i].Round = campaign.Agreed, 2
			full[i].Translations = slices.Clone(s.Translations)
			for j := range s.Translations {
				tr, ft := &s.Translations[j], &full[i].Translations[j]
				if averages {
					tr.HumanScores = []campaign.HumanScore{{Name: campaign.HumanMENT, Score: g.Float64() * 4}}
					ft.HumanScores = tr.HumanScores
					continue
				}
				var scores []float64
				ft.Ratings = []campaign.Rating{g.rating("A", 1)}
				for _, login := range logins[:1+g.IntN(len(logins))] {
					r := rated(login, 1, float64(g.IntN(5)))
					tr.Ratings = append(tr.Ratings, r)
					r.Round, r.Comment = 2, "not in the file"
					ft.Ratings = append(ft.Ratings, r)
					scores = append(scores, r.Scores["sqm"])
				}
				mean, _ := campaign.Mean(scores)
				ft.Gold = &campaign.Gold{Score: mean}
			}
		}
		var file bytes.Buffer
		systems, _, err := export.MENT(&file, export.MENTOptions{Annotators: logins, Averages: averages}, values(full))
		if err != nil || !slices.Equal(systems, names) {
			t.Fatal(systems, err)
		}
		checkLines(t, file.Bytes(), len(want))
		got := read(t, "ment", &file, ingest.Options{})
		// trans_2 is the third system in byte order, so that with more than ten
		// the names move: system_10 goes out as trans_2 and comes in as system_2.
		for i := range got {
			for j := range got[i].Translations {
				var n int
				fmt.Sscanf(got[i].Translations[j].System, "system_%d", &n)
				got[i].Translations[j].System = systems[n]
			}
			slices.SortFunc(got[i].Translations, func(a, b campaign.Translation) int { return cmp.Compare(a.System, b.System) })
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got\n%+v\nwant\n%+v", seed, got, want)
		}
	}
}

// The published MENT data go in and come out with the same texts, byte for
// byte, and the same averages, digit for digit.
func TestRealMENT(t *testing.T) {
	file, err := os.ReadFile(testenv.Data(t, "ment", "MENT.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	original := bytes.Split(file, []byte("\n"))
	for _, pair := range [][2]string{{"zh", "en"}, {"en", "zh"}} {
		t.Run(pair[0]+"-"+pair[1], func(t *testing.T) {
			segments := read(t, "ment", bytes.NewReader(file), ingest.Options{SourceLang: pair[0], TargetLang: pair[1], Select: true})
			var out bytes.Buffer
			systems, _, err := export.MENT(&out, export.MENTOptions{Averages: true}, values(segments))
			if err != nil || len(systems) != 10 || systems[9] != "system_9" {
				t.Fatal(systems, err)
			}
			lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
			if len(lines) != len(segments) {
				t.Fatalf("%d lines for %d segments", len(lines), len(segments))
			}
			for i, line := range lines {
				var got, want map[string]json.RawMessage
				var n int
				if err := json.Unmarshal(line, &got); err != nil {
					t.Fatal(err)
				}
				fmt.Sscan(segments[i].SegmentID, &n)
				if err := json.Unmarshal(original[n-1], &want); err != nil {
					t.Fatal(err)
				}
				delete(got, "qid") // which the original lacks
				if len(got) != len(want) {
					t.Errorf("line %d: %d keys, want %d", n, len(got), len(want))
				}
				for key := range want {
					var a, b any
					json.Unmarshal(got[key], &a)
					json.Unmarshal(want[key], &b)
					if a != b || strings.HasSuffix(key, "_score") && !bytes.Equal(got[key], want[key]) {
						t.Errorf("line %d, %s: got %s, want %s", n, key, got[key], want[key])
					}
				}
			}

			// The same through jsonl, whose segments know no averages.
			out.Reset()
			if err := export.JSONL(&out, values(segments)); err != nil {
				t.Fatal(err)
			}
			again := read(t, "jsonl", &out, ingest.Options{})
			for i := range segments {
				for j := range segments[i].Translations {
					segments[i].Translations[j].HumanScores = nil
				}
			}
			if !reflect.DeepEqual(again, segments) {
				t.Error("jsonl does not give the same segments again")
			}
		})
	}
}
