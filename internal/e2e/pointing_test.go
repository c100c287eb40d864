package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/testenv"
)

// Words of each script that texts to point at are made of: letters that join, stand
// above each other or are written without blanks between words.
var scripts = map[string][]string{
	"ar": {"السيد", "عَنِ", "يعتذر", "التأخير", "وسيرسل", "المبلغ", "اللغة", "الإلٰه", "Smith", "2026", "كتابٌ", "لا"},
	"he": {"שלום", "עוֹלָם", "הספינה", "הישנה", "ישנה", "ליד", "הגשר", "WMT", "42", "החדש"},
	"th": {"ร้าน", "น้ำ", "เรือ", "ข้ามฟาก", "เก่า", "หลับ", "อยู่", "ใกล้", "สะพาน", "ใหม่", "ที่", "กรุงเทพ"},
	"hi": {"नमस्ते", "पुरानी", "नाव", "क्षितिज", "स्त्री", "पुल", "के", "पास", "विद्यार्थी", "सोती", "है", "श्रृंखला"},
	"zh": {"这波", "操作", "真", "绝了", "全群", "都", "看呆", "渡船", "在", "新桥", "旁边", "睡觉", "𠮷野家"},
	"ja": {"古い", "フェリー", "は", "新しい", "橋", "の", "そばで", "眠って", "いる", "東京タワー", "か\u3099"},
	"en": {"The", "ferry", "sleeps", "near", "the", "new", "bridge", "naïve", "e\u0301toile", "x", "🛥️", "👩🏽‍🚀", "👨‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇩🇪", "3.50", "don't"},
}

// hostile makes a text of about so many code points in a script. Lines end in all
// three ways; the text ends with its number, so that no two are alike.
func hostile(random *rand.Rand, script string, number, length int) string {
	words, blank := scripts[script], " "
	if script == "zh" || script == "ja" || script == "th" {
		blank = ""
	}
	var b strings.Builder
	for n := 0; n < length; {
		word := words[random.IntN(len(words))]
		switch random.IntN(24) {
		case 0:
			word += []string{"\n", "\r\n", "\r\n\r\n"}[random.IntN(3)]
		case 1:
			word += ", "
		case 2:
			word = "“" + word + "” "
		case 3:
			word += " 👍🏽 "
		default:
			word += blank
		}
		b.WriteString(word)
		n += codepoint.Len(word)
	}
	return b.String() + fmt.Sprint(number)
}

// A pointingPage is a page of hostile texts, and how it is pointed at.
type pointingPage struct {
	protocol string
	lang     string // of the translations
	scripts  []string
	width    int64
	pointer  string // mouse, pen or touch
	suggest  bool   // errors are suggested
	options  string // that the annotator has chosen, such as "spaces=on text-size=130"
}

// pointingPages go through protocols, scripts, widths and pointers.
var pointingPages = []pointingPage{
	{"mqm", "ar", []string{"ar", "he"}, 1440, "mouse", false, ""},
	{"esa", "zh", []string{"zh", "ja"}, 390, "touch", false, "text-size=130 fold-done=on"},
	{"rate", "th", []string{"th", "hi"}, 1024, "pen", false, "side-by-side=on spaces=on"},
	{"esa", "en", []string{"en", "hi", "zh"}, 1440, "mouse", true, "spaces=on text-size=115 text-width=narrow words=off"},
	{"mqm", "hi", []string{"hi", "en"}, 390, "mouse", false, ""},
	{"rate", "he", []string{"he", "ar"}, 390, "touch", false, "spaces=on"},
	{"mqm", "ja", []string{"ja", "th"}, 1024, "mouse", true, "fold-done=on"},
	{"esa", "ar", []string{"ar", "en"}, 1024, "touch", true, "side-by-side=on"},
	{"rate", "zh", []string{"zh", "en"}, 1440, "mouse", false, "words=off"},
	{"mqm", "th", []string{"th", "zh"}, 1440, "pen", true, "side-by-side=on text-size=150 words=off"},
	{"esa", "he", []string{"he", "en"}, 390, "mouse", false, "words=off"},
	{"rate", "en", []string{"en", "th", "ar"}, 1024, "mouse", true, ""},
}

// A pointing is somebody who marks by pointing, and what the marks should be.
type pointing struct {
	marker
	how     pointingPage
	random  *rand.Rand
	id      string
	want    [][]protocol.ErrorSpan // by card, in the order in which they were made
	log     [][]string             // how each was made
	made    int
	covered int // points that something lay over, so that others were taken
	noPlace int
	wheels  int    // number of times that a wheel was turned
	did     string // before the mark that is being made
}

// newPointing opens a page of so many hostile texts, one of 3,000 characters.
func newPointing(t testing.TB, b context.Context, page pointingPage, texts int, seed uint64) *pointing {
	t.Helper()
	p := &pointing{how: page, random: rand.New(rand.NewPCG(seed, seed)), want: make([][]protocol.ErrorSpan, texts), log: make([][]string, texts)}
	var settings []string
	if page.protocol == "mqm" {
		settings = append(settings, "max_errors=0")
	}
	w := newWorldOf(t, page.protocol, "en", page.lang, settings...)
	s := campaign.Segment{DocID: "d", SegmentID: "s1", Domain: "test", Source: hostile(p.random, "en", 0, 160)}
	for i := range texts {
		length := 20 + p.random.IntN(200)
		switch i {
		case 0:
			length = 3000
		case 1, 2:
			length = 700
		}
		system := fmt.Sprintf("Aster%d", i)
		s.Translations = append(s.Translations, campaign.Translation{System: system, Text: hostile(p.random, page.scripts[i%len(page.scripts)], i, length)})
	}
	s.Translations[0].System = "Aster"
	w.importSegments(s)
	if page.suggest {
		var marks []protocol.ErrorSpan
		for i := range 8 {
			at := i * 40
			words, _ := codepoint.Slice(s.Translations[0].Text, at, at+7)
			marks = append(marks, protocol.ErrorSpan{Side: protocol.Target, Start: at, End: at + 7, Text: words, Severity: w.c.Rules.Spans.Severities[0].ID})
		}
		w.suggest("m", marks...)
	}
	p.marker = *newMarker(t, b, w, "ann")
	p.id = p.assignment()
	look := []chromedp.Action[chromedp.Void]{Look(page.width, 900, false)}
	if page.pointer == "touch" {
		look = append(look, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 1})
			return err
		}))
	}
	run(t, p.ctx, "the window", look...)
	p.opt(page.options)
	p.reload()
	script, err := os.ReadFile(filepath.Join("testdata", "pointing.js"))
	if err != nil {
		t.Fatal(err)
	}
	ask[bool](t, p.ctx, string(script))
	return p
}

// A gesture is what the page says of a stretch that can be pointed at.
type gesture struct {
	Card    int
	Side    protocol.Side
	From    int
	To      int
	Covered int
	Words   [2][2]int // that each click is on
	At      [2][2]float64
	What    string
}

// mouse sends one event of a mouse or pen.
func (p *pointing) mouse(kind input.DispatchMouseEventType, at [2]float64, down bool) chromedp.Action[chromedp.Void] {
	e := input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1]}
	if kind != chromedp.MouseMoved {
		e.Button, e.ClickCount = input.MouseButtonLeft, 1
	} else if down {
		e.Button = input.MouseButtonLeft
	}
	if down {
		e.Buttons = 1
	}
	if p.how.pointer == "pen" {
		e.PointerType = "pen"
		if down {
			e.Force = 0.5
		}
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchMouseEvent, e)
		return err
	})
}

// between is a place on the way from one to another.
func between(a, b [2]float64, f float64) [2]float64 {
	return [2]float64{a[0] + (b[0]-a[0])*f, a[1] + (b[1]-a[1])*f}
}

// drag goes to a place, down, along, and up.
func (p *pointing) drag(from, to [2]float64) {
	steps := []chromedp.Action[chromedp.Void]{p.mouse(chromedp.MouseMoved, from, false), p.mouse(chromedp.MousePressed, from, true)}
	for _, f := range []float64{0.6, 1} {
		steps = append(steps, p.mouse(chromedp.MouseMoved, between(from, to, f), true))
	}
	run(p.w.t, p.ctx, "drag", append(steps, p.mouse(chromedp.MouseReleased, to, false))...)
}

func (p *pointing) click(at [2]float64) {
	run(p.w.t, p.ctx, "click", p.mouse(chromedp.MouseMoved, at, false), p.mouse(chromedp.MousePressed, at, true), p.mouse(chromedp.MouseReleased, at, false))
}

// touch sends one event of a finger; it is lifted where there is no place.
func (p *pointing) touch(kind input.DispatchTouchEventType, at ...[2]float64) {
	points := []*input.TouchPoint{} // none is not null
	for _, a := range at {
		points = append(points, &input.TouchPoint{X: a[0], Y: a[1]})
	}
	run(p.w.t, p.ctx, "touch", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
		return err
	}))
}

// mark makes one mark, by a way that is drawn, and remembers what it should be.
func (p *pointing) mark() {
	t := p.w.t
	t.Helper()
	way := "drag"
	switch n := p.random.Float64(); {
	case p.how.pointer == "touch" && n < 0.35:
		way = "press" // and draw on
	case p.how.pointer == "touch" || n < 0.4:
		way = "clicks"
	}
	var rolls []string
	for range 40 {
		rolls = append(rolls, fmt.Sprintf("%.4f", 0.9999*p.random.Float64()))
	}
	g := wait[*gesture](p, fmt.Sprintf("plan(%q, %t, %s)", way, p.how.width < 760, strings.Join(rolls, ",")))
	if g == nil {
		p.noPlace++
		p.press("Escape")
		return
	}
	p.covered += g.Covered
	how := fmt.Sprintf("%s %d, mark %d by %s over %q (card %d, %s %d to %d, from %.0f to %.0f) after %s", p.how.protocol, p.how.width, p.made, p.how.pointer+" "+way, g.What, g.Card, g.Side, g.From, g.To, g.At[0], g.At[1], p.did)
	p.did = way
	taps := way == "clicks" && p.how.pointer == "touch"
	switch {
	case way == "drag":
		p.drag(g.At[0], g.At[1])
	case way == "press":
		p.touch(input.DispatchTouchEventTypeTouchStart, g.At[0])
		if !wait[bool](p, "pressed()") {
			t.Errorf("%s: the long press begins nothing", how)
		}
		p.touch(input.DispatchTouchEventTypeTouchMove, between(g.At[0], g.At[1], 0.5))
		p.touch(input.DispatchTouchEventTypeTouchMove, g.At[1])
		p.touch(input.DispatchTouchEventTypeTouchEnd)
	default:
		tap := p.click
		if taps {
			tap = func(at [2]float64) {
				p.touch(input.DispatchTouchEventTypeTouchStart, at)
				p.touch(input.DispatchTouchEventTypeTouchEnd)
			}
		}
		tap(g.At[0])
		first := wait[struct {
			Rested, Began bool
			Second        *[2]float64
			Over          string // what lies over the place of the second click
		}](p, fmt.Sprintf("first(%t)", taps))
		if first.Rested {
			p.meant(g.Card, g.Side, g.Words[0], how)
			return
		}
		if !first.Began {
			t.Errorf("%s: the first click begins nothing", how)
			return
		}
		if first.Second == nil {
			t.Errorf("%s: after the first click something lies over the place of the second: %s", how, first.Over)
			p.press("Escape")
			return
		}
		tap(*first.Second)
	}
	done := wait[struct {
		Rested bool
		Moved  []string
	}](p, fmt.Sprintf("done(%t)", taps))
	if done.Rested { // the second of two taps
		g.From, g.To = g.Words[1][0], g.Words[1][1]
	}
	p.made++
	for _, m := range done.Moved {
		t.Errorf("%s: %s", how, m)
	}
	p.meant(g.Card, g.Side, [2]int{g.From, g.To}, how)
}

// meant remembers a mark that should be there; what is marked already is picked.
func (p *pointing) meant(card int, side protocol.Side, at [2]int, how string) {
	span := protocol.ErrorSpan{Side: side, Start: at[0], End: at[1]}
	if !slices.ContainsFunc(p.want[card], span.Equal) {
		p.want[card], p.log[card] = append(p.want[card], span), append(p.log[card], how)
	}
}

// wait asks the script on the page something that it may have to wait for.
func wait[T any](p *pointing, what string) T {
	p.w.t.Helper()
	var out T
	if err := json.Unmarshal(ask[json.RawMessage](p.w.t, p.ctx, "window.pointing."+what, chromedp.EvalAwaitPromise), &out); err != nil {
		p.w.t.Fatal(err)
	}
	return out
}

// meanwhile does what people do between two marks, and leaves lists and comments open.
func (p *pointing) meanwhile() {
	t := p.w.t
	t.Helper()
	acts := []string{"Escape", "j", "k", "n", "hover", "wheel"}
	if p.how.protocol != "esa" {
		acts = append(acts, "c")
	}
	if severity := map[string]string{"esa": "M", "mqm": "M", "rate": "2"}[p.how.protocol]; !p.how.suggest {
		acts = append(acts, severity)
	}
	act := acts[p.random.IntN(len(acts))]
	p.did += ", " + act
	switch act {
	case "hover":
		at := [2]float64{float64(p.how.width) * p.random.Float64(), 450}
		run(t, p.ctx, "hover", p.mouse(chromedp.MouseMoved, at, false))
	case "wheel":
		run(t, p.ctx, "wheel", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: float64(p.how.width) * 0.7, Y: 600, DeltaX: 0.01, DeltaY: 500 - 1000*p.random.Float64()})
			return err
		}))
		p.wheels++
		wait[bool](p, fmt.Sprintf("turned(%d)", p.wheels))
	default:
		p.press(act)
	}
}

// check holds what the server has against what was meant, card by card, and what the
// page draws against what the server has.
func (p *pointing) check() {
	t := p.w.t
	t.Helper()
	p.saved()
	drawn := ask[[]map[string]string](t, p.ctx, "window.pointing.drawn()")
	for i, card := range p.ratings(p.id) {
		for _, s := range card.Rating.Spans {
			if s.Side == protocol.Target && drawn[i][s.ID] != s.Text {
				t.Errorf("card %d draws %q over %q", i, drawn[i][s.ID], s.Text)
			}
		}
		p.compare(i, card.Rating.Spans)
	}
}

// compare holds the stored spans of a card against those that were meant.
func (p *pointing) compare(card int, stored []protocol.ErrorSpan) {
	t := p.w.t
	t.Helper()
	var got []protocol.ErrorSpan
	for _, s := range stored {
		got = append(got, protocol.ErrorSpan{Side: s.Side, Start: s.Start, End: s.End})
	}
	for k, s := range p.want[card] {
		if !slices.ContainsFunc(got, s.Equal) {
			t.Errorf("lost: %s", p.log[card][k])
		}
	}
	for _, s := range got {
		if !slices.ContainsFunc(p.want[card], s.Equal) {
			t.Errorf("not meant: card %d, %s %d to %d", card, s.Side, s.Start, s.End)
		}
	}
	p.want[card], p.log[card] = got, make([]string, len(got)) // each thing is said once
}

// finish judges all that is marked, submits the page, and holds what was submitted
// against what was meant.
func (p *pointing) finish() {
	t := p.w.t
	t.Helper()
	p.press("Escape Escape")
	if missing := wait[string](p, "judge()"); missing != "Every card is finished" {
		t.Fatalf("after all cards are judged the page says: %s", missing)
	}
	p.saved() // a busy machine may refuse one of many saves at first
	p.submit()
	ctx := context.Background()
	u, err := p.w.st.Accounts.UserByLogin(ctx, p.login)
	if err != nil {
		t.Fatal(err)
	}
	work, err := p.w.st.Work.LoadWork(ctx, p.w.c, p.id, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	if work.SubmittedAt.IsZero() || work.Changed {
		t.Fatalf("submitted at %v, changed since: %t", work.SubmittedAt, work.Changed)
	}
	for i, card := range work.Cards {
		p.compare(i, card.Rating.Spans)
		for _, s := range card.Rating.Spans {
			if s.Severity == "" {
				t.Errorf("submitted without a severity: card %d, %+v", i, s)
			}
		}
	}
}

// page makes so many marks, checks them every now and then, and submits the page.
func (p *pointing) page(n int) {
	p.w.t.Helper()
	for p.made < n && p.noPlace < n {
		if p.made > 0 && p.random.IntN(3) == 0 {
			p.meanwhile()
		}
		p.mark()
		if p.made%20 == 0 {
			p.check()
		}
	}
	p.check()
	p.finish()
	p.w.t.Logf("%+v: %d marks; %d points were covered, %d times no place was found", p.how, p.made, p.covered, p.noPlace)
}

// TestSoakPointing marks by mouse, pen and finger, at places read from the page as it
// stands, in cards in any order, with tools open, on page after page, each with other texts: what is
// submitted are the words that were pointed at, and no text moves while somebody points.
func TestSoakPointing(t *testing.T) {
	end := time.Now().Add(testenv.SoakTime(t))
	b := browser(t)
	for n := 0; time.Now().Before(end); n++ {
		page := pointingPages[n%len(pointingPages)]
		t.Run(fmt.Sprintf("%d %s %s %d %s", n, page.protocol, page.lang, page.width, page.pointer), func(t *testing.T) {
			newPointing(t, b, page, 20, uint64(1000+n)).page(100)
		})
	}
}
