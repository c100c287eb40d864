package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/testenv"
)

// TestTED imports the MQM table of the TED talks. It comes out again row for row,
// but for one mark without an end, which gets one; and the scores are those that
// were published with it.
func TestTED(t *testing.T) {
	file := testenv.Data(t, "mqm-ted-ende/mqm_ted_ende.tsv")
	var expected struct {
		Systems map[string]float64 `json:"system_scores"`
	}
	if err := json.Unmarshal([]byte(strings.Join(textLines(t, testenv.Data(t, "mqm-ted-ende/expected.json")), "\n")), &expected); err != nil {
		t.Fatal(err)
	}
	segments := textLines(t, testenv.Data(t, "mqm-ted-ende/expected_seg_scores.tsv"))[1:]
	averages := textLines(t, testenv.Data(t, "mqm-ted-ende/mqm_ted_ende.avg_seg_scores.tsv"))[1:]
	t.Chdir(t.TempDir())
	succeed(t, "campaign", "create", "ted", "--protocol", "mqm", "--source-lang", "en", "--target-lang", "de", "--set", "source_error=severity")
	succeed(t, "import", "ted", "--format", "mqm-tsv", file)

	got := strings.Split(strings.TrimSuffix(succeed(t, "export", "ted", "--format", "mqm-tsv"), "\n"), "\n")
	want := textLines(t, file)
	want[6443] = strings.Replace(want[6443], "<v>?\t", "<v>?</v>\t", 1)
	if len(got) != 8436 || !slices.Equal(got, want) {
		t.Errorf("%d rows came out of %d, and not the same", len(got), len(want))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("line %d is\n%s\nwant\n%s", i+1, got[i], want[i])
			}
		}
	}

	succeed(t, "export", "ted", "--format", "mtme", "--out", "mtme")
	systems := scoreFile(t, filepath.Join("mtme", "human-scores", "en-de.mqm.sys.score"))
	for system, x := range expected.Systems {
		if len(systems[system]) != 1 || !sameScore(systems[system][0], x) {
			t.Errorf("system %s: got %v, want %v", system, systems[system], x)
		}
	}
	// The table has 529 segments, in the order of their seg_id, in both lists.
	place := map[string]int{}
	for _, line := range want[1:] {
		if id := strings.Split(line, "\t")[3]; !has(place, id) {
			place[id] = len(place)
		}
	}
	scores := scoreFile(t, filepath.Join("mtme", "human-scores", "en-de.mqm.seg.score"))
	check := func(system, id, text string) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !has(place, id) || !sameScore(scores[system][place[id]], x) {
			t.Errorf("%s, segment %s: want %s", system, id, text)
		}
	}
	for _, line := range segments {
		cells := strings.Split(line, "\t")
		check(cells[0], cells[1], cells[2])
	}
	rated := 0
	for _, line := range averages {
		// The published list names the reference ref-A.
		if cells := strings.Fields(strings.Replace(line, "ref-A", "ref", 1)); cells[1] != "None" {
			check(cells[0], cells[2], cells[1])
			rated++
		}
	}
	if rated != 7406 || len(segments) != rated || len(place) != 529 || len(expected.Systems) != 14 {
		t.Errorf("%d and %d scores of %d segments and %d systems", rated, len(segments), len(place), len(expected.Systems))
	}
}

func has(m map[string]int, key string) bool {
	_, ok := m[key]
	return ok
}
