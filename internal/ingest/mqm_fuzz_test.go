package ingest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

func FuzzMQM(f *testing.F) {
	row := func(cells ...string) string { return strings.Join(cells, "\t") + "\n" }
	for _, seed := range []string{
		olderHeader + row("A", "d:en-de", "1", "7", "r", "a 🙂", "x <v>y</v>", "Accuracy/Mistranslation", "Major", "c") + row("B", "d", "1", "7", "r", "a 🙂", "x", "No-error", "No-error"),
		"#" + newerHeader + row("A", "d", "1", "0", "r", "<v>s</v>", "t", "source issue", "minor", `{"note":"n","timestamp":1695000000500}`) + row("A", "d", "2", "0", "", "s", "t", "", "", `{}`) + row("A", "d", "2", "0", "r", "s", "t", "Found", "HOTW-test"),
		"\ufeff# by hand\r\n" + row("A", "d", "1", "1", "r", `"a ""b"""`, "<v>a<v>b</v></v>c<v>", "Non-translation!", "Neutral\r"),
		row("A", "d", "1", "1", "r", "s", "t</v>", "Other", "") + row("A", "d", "1", "1", "q", "s2", "t", "non_translation", "Grave"),
		olderHeader + row("A", "d", "1", "1", "r", "<v>s</v>", "<v></v>t", "Accuracy/Omission", "4.0", "") + row("A", "d", "1", "1", "r", "s", "t", "A/", "Minor", "") + row("A", "d", "2", "2", "r", "s", "t", "/x", "Minor", ""),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, id := range []string{"mqm", "esa"} {
			checkMQM(t, data, builtin(t, id), Options{})
		}
		checkMQM(t, data, builtin(t, "mqm"), Options{SourceLang: "en", TargetLang: "de", Select: true, MaxLine: 200, Systems: []string{"A", "B"}})
	})
}

func checkMQM(t *testing.T, data []byte, p *protocol.Protocol, opt Options) {
	t.Helper()
	any, last, problems := false, 0, 0
	seen := map[[2]string]bool{}
	for line, err := range MQM(bytes.NewReader(data), p, opt, &Notes{}) {
		any = true
		if err != nil {
			problems++
			checkProblem(t, data, err)
			continue
		}
		if line.Line <= last {
			t.Fatalf("line %d after line %d", line.Line, last)
		}
		last = line.Line
		s := line.Segment
		checkID(t, maxID, s.DocID, s.SegmentID)
		checkText(t, s.Source)
		if key := [2]string{s.DocID, s.SegmentID}; strings.TrimSpace(s.Source) == "" || len(s.Translations) == 0 || seen[key] {
			t.Fatalf("let through: %+v", s)
		} else {
			seen[key] = true
		}
		if !slices.IsSortedFunc(s.Translations, func(a, b campaign.Translation) int { return strings.Compare(a.System, b.System) }) {
			t.Fatalf("out of order: %+v", s.Translations)
		}
		for _, tr := range s.Translations {
			checkID(t, maxSystem, tr.System)
			checkText(t, tr.Text)
			for i, r := range tr.Ratings {
				checkSpans(t, p, r.Spans)
				checkText(t, r.Comment)
				if r.Round != 1 || campaign.CheckLogin(r.Annotator) != nil || r.NoErrors != (len(r.Spans) == 0) || i > 0 && r.Annotator <= tr.Ratings[i-1].Annotator {
					t.Fatalf("let through: %+v", tr.Ratings)
				}
				for _, span := range r.Spans {
					placed, bad := protocol.Texts{Source: s.Source, Translation: tr.Text}.Place(span)
					if bad != nil || placed != span {
						t.Fatalf("%v: %+v", bad, span)
					}
				}
			}
		}
	}
	if !any && !bytes.Contains(bytes.ToLower(data), []byte("test")) {
		t.Fatal("nothing came out, and nothing was said")
	}
}
