package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/work"
)

// heavy is a segment with many translations, or a long one, and how many marks
// each translation has.
type heavy struct {
	name         string
	translations int
	words        int // of a translation
	spans        int // of a translation
	source       string
}

var heavies = []heavy{
	{"20 translations with 200 spans", 20, 60, 10, strings.Repeat("这波操作真绝了，全群都看呆了。", 8)},
	{"10,000 characters with 200 spans", 1, 1667, 200, strings.Repeat("这波操作真绝了，全群都看呆了。", 300)},
}

// segment is the heavy one; texts differ so that each is found again.
func (h heavy) segment() campaign.Segment {
	s := campaign.Segment{DocID: "d", SegmentID: "s", Domain: "test", Source: h.source}
	for i := range h.translations {
		var b strings.Builder
		for j := range h.words {
			fmt.Fprintf(&b, "%s ", []string{"ferry", "the 🛥", "leaves", "quarter", "unless"}[(i+j*7)%5])
		}
		s.Translations = append(s.Translations, campaign.Translation{System: fmt.Sprintf("S%02d", i), Text: fmt.Sprintf("%s%d", b.String(), i)})
	}
	return s
}

// marks are stretches all over a text, some of which overlap or lie in others.
func (h heavy) marks(text string) []protocol.ErrorSpan {
	n := codepoint.Len(text)
	var spans []protocol.ErrorSpan
	step := n / h.spans
	for i := range h.spans {
		start := i * step
		end := min(n, start+[]int{5, step + 8, 12, 3}[i%4])
		words, _ := codepoint.Slice(text, start, end)
		spans = append(spans, protocol.ErrorSpan{ID: fmt.Sprintf("s%d", i+1), Side: protocol.Target, Start: start, End: end, Text: words, Severity: []string{"minor", "major"}[i%2]})
	}
	return spans
}

// BenchmarkKeyToMark measures how long it takes from a key going down until the page
// that it changed is painted, on heavy pages. It says in ms the median and the 95th
// percentile of the key that marks a word (mark), changes the severity (severity),
// goes to the next mark (next) and moves the caret (caret); and as cpu those of the
// time that the browser's main thread itself worked for it on script, style and
// layout, which does not grow when others use the machine.
func BenchmarkKeyToMark(b *testing.B) {
	path := Find()
	if path == "" {
		b.Skip("no Chromium found")
	}
	for _, h := range heavies {
		b.Run(h.name, func(b *testing.B) {
			ctx, end, err := Start(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			defer end()
			w := newWorldOf(b, "esa", "zh", "en")
			w.importSegments(h.segment())
			m := newMarker(b, ctx, w, "ann")
			m.fill(h)
			run(b, m.ctx, "a wide window", Look(1440, 900, false))
			m.reload()
			ask[bool](b, m.ctx, `(() => {
				window.took = [];
				const channel = new MessageChannel();
				let from = 0;
				channel.port1.onmessage = () => { window.took.push(performance.now() - from); window.painted = true; };
				addEventListener('keydown', (e) => {
					if (['Control', 'Shift'].includes(e.key)) return;
					from = e.timeStamp;
					window.painted = false;
					// After the frame in which the change is painted.
					requestAnimationFrame(() => channel.port2.postMessage(0));
				}, true);
				return true;
			})()`)
			took, work := map[string][]float64{}, map[string][]float64{}
			key := func(what, name string) {
				before := m.work()
				run(b, m.ctx, what, Key(name), Until(`window.painted`))
				worked := m.work() - before
				if ms := ask[float64](b, m.ctx, `window.took.at(-1)`); what != "" {
					took[what] = append(took[what], ms)
					work[what] = append(work[what], worked)
				}
			}
			key("", "Home")
			b.ResetTimer()
			for i := range b.N {
				key("caret", "Ctrl+ArrowRight")
				key("mark", "Enter")
				key("severity", []string{"M", "m"}[i%2])
				key("next", ".")
				key("", "Escape")
				if i%20 == 19 { // the number of marks stays about the same
					for range 40 {
						key("", "Ctrl+z")
					}
				}
			}
			b.StopTimer()
			for _, what := range []string{"caret", "mark", "severity", "next"} {
				all := slices.Sorted(slices.Values(took[what]))
				b.ReportMetric(all[len(all)/2], what+"-p50-ms")
				b.ReportMetric(all[len(all)*95/100], what+"-p95-ms")
				all = slices.Sorted(slices.Values(work[what]))
				b.ReportMetric(all[len(all)/2], what+"-cpu-p50-ms")
				b.ReportMetric(all[len(all)*95/100], what+"-cpu-p95-ms")
			}
		})
	}
}

// work is how long the main thread of the window has worked on script, style and
// layout, in ms of its own time.
func (m *marker) work() float64 {
	m.w.t.Helper()
	sum := 0.0
	run(m.w.t, m.ctx, "ask for the work", chromedp.Func(func(ctx context.Context, tg *chromedp.Target) error {
		if _, err := cdp.Call(ctx, tg, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
			return err
		}
		got, err := cdp.Call(ctx, tg, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, x := range got.Metrics {
			switch x.Name {
			case "ScriptDuration", "LayoutDuration", "RecalcStyleDuration":
				sum += 1000 * x.Value
			}
		}
		return nil
	}))
	return sum
}

// fill gives all translations of the segment on the page their marks.
func (m *marker) fill(h heavy) {
	t := m.w.t
	t.Helper()
	ctx := context.Background()
	u, err := m.w.st.Accounts.UserByLogin(ctx, m.login)
	if err != nil {
		t.Fatal(err)
	}
	id := m.assignment()
	page, err := m.w.st.Work.LoadWork(ctx, m.w.c, id, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range page.Cards {
		save := work.CardSave{AssignmentID: id, CardID: c.ID, Revision: c.Revision, SaveID: fmt.Sprint("fill", i), Rating: protocol.Rating{Spans: h.marks(c.Text)}}
		if _, err := m.w.st.Work.SaveCard(ctx, m.w.c, u.ID, save); err != nil {
			t.Fatal(err)
		}
	}
}
