package e2e

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/sample"
)

// rated imports what two annotators gave to the systems of segments, by segment.
func (w *world) rated(given map[string][2][3]float64) {
	w.t.Helper()
	lines := func(yield func(campaign.RatingLine, error) bool) {
		n := 0
		for _, id := range []string{"s1", "s2", "s3", "s4", "s5", "s6"} {
			both, ok := given[id]
			if !ok {
				continue
			}
			for a, scores := range both {
				for i, system := range []string{"Aster", "Birch", "Cedar"} {
					n++
					line := campaign.RatingLine{SegmentID: id, System: system, Rating: campaign.Rating{
						Annotator: []string{"first", "second"}[a], Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": scores[i]}}}}
					if !yield(line, nil) {
						return
					}
				}
			}
		}
	}
	if _, err := w.st.Intake.ImportRatings(context.Background(), w.c.ID, lines, intake.ImportOptions{File: "r.jsonl"}); err != nil {
		w.t.Fatal(err)
	}
}

// TestLeadDecides: a lead asks for another look and a further annotator, adjudicates with
// scores entered, decides on several segments at once and changes the threshold; the
// export holds what follows.
func TestLeadDecides(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	var segments []campaign.Segment
	for i := range 6 {
		id := "s" + strconv.Itoa(i+1)
		segments = append(segments, segment("d1", id, "第"+strconv.Itoa(i+1)+"句", texts(id)))
	}
	w.importSegments(segments...)
	up, down, half := [3]float64{4, 2, 0}, [3]float64{0, 2, 4}, [3]float64{4, 0, 2}
	for _, login := range []string{"first", "second"} { // who can sign in, and so look again
		w.invite(login, campaign.Annotator)
	}
	w.rated(map[string][2][3]float64{"s1": {up, up}, "s2": {up, down}, "s3": {up, down}, "s4": {up, down}, "s5": {up, half}, "s6": {up, down}})
	w.invite("third", campaign.Annotator)
	status := func() string {
		t.Helper()
		list, _, err := w.st.Desk.Segments(t.Context(), w.c.ID, desk.SegmentFilter{Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, s := range list {
			out = append(out, string(s.Status))
		}
		return strings.Join(out, " ")
	}
	if got := status(); got != "agreed reannotate reannotate reannotate reannotate reannotate" {
		t.Fatalf("the segments are %s", got)
	}

	lead := window(t, b)
	home := w.url + "/campaigns/" + w.slug
	run(t, lead, "sign in", Look(1280, 900, false), signInWith(t, w.invite("lead", campaign.Lead)))
	flash := func(want string) {
		t.Helper()
		run(t, lead, "wait for: "+want, Until(fmt.Sprintf(`document.querySelector('.notice-success')?.textContent.includes(%q)`, want)))
	}
	open := func(act string) {
		t.Helper()
		run(t, lead, "unfold "+act, chromedp.Focus("#act-"+act+" > summary"), Key("Enter"), Until(`document.querySelector('#act-`+act+`').open`))
	}
	row := func(id string) string {
		t.Helper()
		found, err := w.st.Records.SegmentRowID(t.Context(), w.c.ID, "d1", id)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}

	run(t, lead, "open the agreed segment", chromedp.Navigate(home+"/segments/"+row("s1")), Visible("h1"))
	open("look")
	run(t, lead, "ask without a reason", chromedp.Focus("#look-reason"), Key("Enter"))
	if ask[bool](t, lead, `document.querySelector('#look-reason').checkValidity()`) {
		t.Error("an empty reason is let through")
	}
	run(t, lead, "ask for another look", leaves(chromedp.SendKeys("#look-reason", "looks odd\r")))
	flash("The annotators are asked for another look.")
	if ask[bool](t, lead, `document.querySelector('.crumbs').getBoundingClientRect().top < document.querySelector('.notice').getBoundingClientRect().bottom`) {
		t.Error("the links lie over what was said")
	}
	open("further")
	run(t, lead, "ask a further annotator", chromedp.SetValue("#further-login", "third"), leaves(chromedp.SendKeys("#further-reason", "a third view\r")))
	flash("Segment given to third.")

	// The queue: the lowest r first; the place in it goes along.
	run(t, lead, "open the queue", chromedp.Navigate(home+"/queue?sort=lowest"), Until(`document.querySelector('[data-live]')?.dataset.ready === 'live'`))
	if got := ask[string](t, lead, `[...document.querySelectorAll('tbody th a')].map((a) => a.textContent).join(' ')`); got != "s2 s3 s4 s6 s5 s1" {
		t.Errorf("the queue holds %s", got)
	}
	run(t, lead, "open its first segment", chromedp.Focus("tbody th a"), leaves(Key("Enter")), Until(`document.querySelector('h1').textContent === 's2'`))
	open("adjudicate")
	run(t, lead, "enter a score off the scale", chromedp.SendKeys("#adjudicate-score-1", "5"), leaves(chromedp.SendKeys("#adjudicate-reason", "by the guide\r")),
		Until(`document.querySelector('#adjudicate-score-1-error') !== null`))
	if got := ask[string](t, lead, `document.querySelector('#adjudicate-reason').value`); got != "by the guide" {
		t.Errorf("the reason typed has become %q", got)
	}
	run(t, lead, "enter another", chromedp.SetValue("#adjudicate-score-1", "3.5"), chromedp.Focus("#adjudicate-reason"), leaves(Key("Enter")))
	flash("The segment is adjudicated.")
	run(t, lead, "go on in the queue", chromedp.Focus("a[rel=next]"), leaves(Key("Enter")), Until(`document.querySelector('h1').textContent === 's3'`))
	run(t, lead, "back to the queue", chromedp.Focus(".crumbs a"), leaves(Key("Enter")), Until(`document.querySelector('[data-live]')?.dataset.ready === 'live'`))

	choose := func(do, reason string, ids ...string) {
		t.Helper()
		for _, id := range ids {
			run(t, lead, "choose "+id, chromedp.Focus(`input[name=segment][value="`+row(id)+`"]`), Key(" "))
		}
		words := "1 segment"
		if len(ids) > 1 {
			words = strconv.Itoa(len(ids)) + " segments"
		}
		run(t, lead, "what is chosen", Until(`document.querySelector('[data-chosen]').textContent === '`+words+`'`))
		run(t, lead, do, chromedp.Focus(`input[name=do][value=`+do+`]`), Key(" "), leaves(chromedp.SendKeys("#reason", reason+"\r")))
	}
	choose("discard", "beyond repair", "s3")
	flash("1 segment was discarded.")
	run(t, lead, "wait for the page", Until(`document.querySelector('[data-live]')?.dataset.ready === 'live'`))
	choose("accept", "near enough", "s4", "s6")
	flash("2 segments were adjudicated by the mean.")

	// r of s5 is 0.5.
	run(t, lead, "change the threshold", chromedp.Navigate(home+"/settings"), chromedp.SetValue("#threshold", "0.4"), chromedp.Focus("#threshold"), leaves(Key("Enter")),
		Until(`document.querySelector('.preview') !== null`))
	if got := ask[string](t, lead, `document.querySelector('.preview').textContent`); !strings.Contains(got, "1 second look would be withdrawn; what annotators have begun is kept as drafts.") {
		t.Errorf("the preview says %s", got)
	}
	if got := status(); got != "reannotate adjudicated discarded adjudicated reannotate adjudicated" {
		t.Errorf("before the change is confirmed: %s", got)
	}
	run(t, lead, "confirm", chromedp.Focus(".preview .btn-main"), leaves(Key("Enter")))
	flash("The settings were saved.")
	if got := status(); got != "reannotate adjudicated discarded adjudicated agreed adjudicated" {
		t.Errorf("afterwards: %s", got)
	}

	// Gold by system of s2, s4, s5 and s6, in the order of import.
	var gold []string
	for line := range strings.Lines(w.exported("ment")) {
		for _, score := range []string{`"avg_trans_0_score":3.5`, `"avg_trans_0_score":2`, `"avg_trans_0_score":4`} {
			if strings.Contains(strings.ReplaceAll(line, " ", ""), score) {
				gold = append(gold, strings.TrimPrefix(score, `"avg_trans_0_score":`))
			}
		}
	}
	if !slices.Equal(gold, []string{"3.5", "2", "4", "2"}) {
		t.Errorf("gold of the first system is %v:\n%s", gold, w.exported("ment"))
	}
	run(t, lead, "look at the log", chromedp.Navigate(home+"/audit?text=beyond"), Visible("tbody"))
	if got := ask[int](t, lead, `document.querySelectorAll('tbody tr').length`); got != 1 {
		t.Errorf("the log finds %d lines of the discarding", got)
	}
}

// decisionPages are those on which a lead decides, with every act unfolded, what was
// refused, and what a change of settings would do.
func decisionPages(i *inspector) {
	lead, own := sample.Lead, "/campaigns/"+sample.ChineseEnglish
	unfold := do(`document.querySelectorAll('details').forEach((d) => { d.open = true; })`)
	for slug, id := range map[string]string{sample.ChineseEnglish: i.h.segment(sample.ChineseEnglish, "poem-millet", "s11"), sample.MQM: i.h.anySegment(sample.MQM)} {
		i.visit(lead, "/campaigns/"+slug+"/segments/"+id, slug+", every act", unfold)
	}
	waits := own + "/segments/" + i.h.segment(sample.ChineseEnglish, "story-ferry", "s14") + "?in=queue&at=0"
	i.visit(lead, waits, "a second look, every act", unfold)
	i.visit(lead, waits, "an adjudication that is refused", send("score-1", "9", "reason", ""))
	i.visit(lead, own+"/queue", "a decision in the queue that is refused", send("reason", ""))
	i.visit(lead, own+"/queue?show=failed&sort=lowest", "the queue, rows chosen", do(`document.querySelector('[data-all]').click()`))
	i.visit(sample.Researcher, own+"/queue?show=failed", "")
	i.visit(lead, own+"/settings", "a change that is previewed", send("threshold", "0.95"))
	i.visit(lead, own+"/segments?annotator="+sample.Annotator+"&sort=changed", "")
	i.visit(lead, own+"/audit?text=nowhere", "")
}
