package e2e

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// TestCustomByKeyboard goes by a protocol of the campaign's own, from the first mark
// to the table that is exported: its severities, categories, gap, links and score.
func TestCustomByKeyboard(t *testing.T) {
	definition, err := os.ReadFile("../protocol/testdata/custom.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := protocol.Read(bytes.NewReader(definition))
	if err != nil {
		t.Fatal(err)
	}
	b := browser(t)
	const source = "Die alte Fähre 🛥️ schläft — heute."
	const first = "The old ferry 🛥️ sleeps today."
	const second = "Sleeping."
	w := newWorldBy(t, p, string(definition), "de", "en", "critical=yes")
	w.importSegments(two("s1", source, first, second))
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	m.toCard(first)
	if got := ask[string](t, m.ctx, `document.querySelector('.card[aria-current] .scale').textContent.replace(/\D/g, '')`); got != "1234567" {
		t.Errorf("the scale offers %s", got)
	}
	m.press("Enter 2 c 1 1")
	m.press("Ctrl+ArrowRight Enter 1 c 2 1 l 1")
	m.press("Home " + repeat(3, "Ctrl+ArrowRight") + "Shift+ArrowRight Enter 3 c 4 n")
	m.typeText("a boat in a subtitle")
	m.press("Escape End p")
	m.press("s " + repeat(4, "Ctrl+ArrowRight") + "Enter 1 c 3")
	m.saved()
	texts := protocol.Texts{Source: source, Translation: first}
	linked := at(first, "old", protocol.Target, "hitch", "Space/Line break")
	linked.Link = "1"
	wish := at(first, "🛥️", protocol.Target, "scandal", "Wish")
	wish.Comment = "a boat in a subtitle"
	gap := at(first, ".", protocol.Target, "hitch", "Space/no dash")
	gap.Start = gap.End
	want := []protocol.ErrorSpan{at(first, "The", protocol.Target, "break", "Sense/Wrong"), linked, wish, gap, at(source, "schläft", protocol.Source, "hitch", "Soundtrack")}
	wantSpans(t, "marked by keys", m.stored(id, first).Spans, texts, want...)

	m.press("Ctrl+Enter")
	run(t, m.ctx, "the score is asked for", Until(`document.querySelector('.card[aria-current] .card-lacks').textContent === 'Still needs a score'`))
	m.toCard(first)
	m.press("a ArrowRight ArrowRight Escape")
	m.toCard(second)
	m.press("a ArrowLeft Escape")
	m.saved()
	if m.submit() {
		t.Error("there was only one segment")
	}
	got := m.stored(id, first)
	wantSpans(t, "submitted", got.Spans, texts, want...)
	if got.Scores["ease"] != 3 || m.stored(id, second).Scores["ease"] != 7 {
		t.Errorf("scores %v and %v", got.Scores, m.stored(id, second).Scores)
	}

	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.download(w.invite("reader", campaign.Researcher), "/export/csv"), "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	burden, system := slices.Index(rows[0], "burden"), slices.Index(rows[0], "system")
	if burden < 0 || system < 0 {
		t.Fatalf("columns %v", rows[0])
	}
	for _, row := range rows[1:] {
		// 2 + 0.1 + 10 + 0.5 + 0 for an error of the soundtrack.
		if want := map[string]string{"Aster": "12.6", "Birch": "0"}[row[system]]; row[burden] != want {
			t.Errorf("the burden of %s is %s, want %s", row[system], row[burden], want)
		}
	}
}
