package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/sample"
	"annotate/internal/store"
)

// A script is the texts of a chain from a language to another one: Chinese to Arabic, and Arabic to Chinese. The first sentence is settled at every
// stage, the second waits for its review, the third for its reference, and a fourth one is raw.
type script struct {
	slug, from, to string
	raw            [3]string
	cleaned        [2]string
	candidates     [2][2]string
	written        [2]string
	term           struct{ source, reference, word, means, counterpart string }
	translations   [2]string
}

var scripts = []script{
	{
		slug: "zh-ar", from: "zh", to: "ar",
		raw:          [3]string{"这瓜保熟吗？#吃瓜", "他俩的事早就黄了，你别再添油加醋 🙄", "佛系青年又躺平了：不是不想努力，是卷不动。#打工人 #emo"},
		cleaned:      [2]string{"这瓜保熟吗？", "他俩的事早就黄了，你别再添油加醋。"},
		candidates:   [2][2]string{{"هل هذا البطيخ ناضج؟", "هل هذه الإشاعة مؤكدة؟"}, {"اصفرّت علاقتهما منذ زمن، فلا تضف إليها الزيت والخل.", "انتهى ما بينهما منذ زمن (2023)، فلا تزد الطين بلّة!"}},
		written:      [2]string{"هل هذه الإشاعة مؤكدة؟", "انتهى ما بينهما منذ زمن، فلا تزد الطين بلّة."},
		term:         struct{ source, reference, word, means, counterpart string }{"清明节那天，全家人去扫墓。", "في عيد تشينغمينغ زارت العائلة كلها القبور.", "清明节", "A day in April on which families tend the graves of their dead.", "عيد تشينغمينغ"},
		translations: [2]string{"في عيد تشينغمينغ ذهبت العائلة كلها لتنظيف القبور.", "في يوم السطوع كنست العائلة القبر."},
	},
	{
		slug: "ar-zh", from: "ar", to: "zh",
		raw:          [3]string{"اللي استحوا ماتوا… #يوميات", "رجع بخُفَّي حُنين، و«الصفقة» طارت!", "يا جماعة الخير، الجوّ اليوم نار والكهرباء طايرة من الساعة 3:30 🔥"},
		cleaned:      [2]string{"اللي استحوا ماتوا…", "رجع بخُفَّي حُنين، و«الصفقة» طارت!"},
		candidates:   [2][2]string{{"害羞的人都死了……", "要脸的人早就没了……"}, {"他带着侯奈因的一双鞋回来，“交易”飞了！", "他两手空空地回来，“生意”黄了！"}},
		written:      [2]string{"要脸的人早就没了……", "他两手空空地回来，“生意”泡汤了！"},
		term:         struct{ source, reference, word, means, counterpart string }{"أعدّت جدتي المسخّن في أول أيام رمضان.", "斋月第一天，奶奶做了穆萨汗烤鸡饼。", "المسخّن", "A Palestinian dish: flat bread with chicken, onions and sumac.", "穆萨汗烤鸡饼"},
		translations: [2]string{"斋月第一天，奶奶做了穆萨汗。", "斋月的头一天，我奶奶准备了加热的东西。"},
	},
}

// foreign adds two chains whose texts are Chinese and Arabic. Jonas annotates in each of their campaigns.
func foreign(ctx context.Context, st *store.Store) {
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	for _, s := range scripts {
		stage := func(id string) campaign.Campaign {
			p, _ := protocol.Lookup(id)
			c := must(st.Accounts.CreateCampaign(ctx, campaign.Campaign{
				Slug: s.slug + "-" + id, Title: fmt.Sprintf("%s, %s to %s", p.Name, s.from, s.to), Protocol: id, SourceLang: s.from, TargetLang: s.to,
				Settings: campaign.DefaultSettings(p),
			}, lead.ID))
			check(st.Accounts.AddMember(ctx, c.ID, "jonas", campaign.Annotator, lead.ID))
			return c
		}
		segments := func(c campaign.Campaign, all ...campaign.Segment) {
			must(st.Intake.ImportSegments(ctx, c.ID, lines(all, func(n int, g campaign.Segment) campaign.SegmentLine { return campaign.SegmentLine{Line: n, Segment: g} }), intake.ImportOptions{}))
		}
		rate := func(c campaign.Campaign, id string, raters int, system string, r protocol.Rating) {
			var all []campaign.RatingLine
			for _, login := range []string{"samir", "lin"}[:raters] {
				all = append(all, campaign.RatingLine{DocID: "posts", SegmentID: id, System: system, Rating: campaign.Rating{Annotator: login, Round: 1, Rating: r}})
			}
			must(st.Intake.ImportRatings(ctx, c.ID, lines(all, func(n int, r campaign.RatingLine) campaign.RatingLine {
				r.Line = n
				return r
			}), intake.ImportOptions{}))
		}
		follow := func(next, prev campaign.Campaign, where, carry string) {
			check(st.Intake.Follow(ctx, next.ID, prev.ID, must(campaign.NewFollow(prev.Rules, strings.Fields(where), strings.Fields(carry))), lead.ID))
			must(st.Intake.TakeOver(ctx, next.ID, lead.ID))
		}
		inspect, reference, review, rating := stage("inspect"), stage("reference"), stage("review"), stage("sqm")
		for i, raw := range append(s.raw[:], s.raw[2]+" "+s.raw[1]) {
			g := campaign.Segment{DocID: "posts", SegmentID: fmt.Sprint("p", i+1), Domain: "social", Source: raw, Translations: campaign.ItselfOnly()}
			for k, text := range s.candidates[min(i, 1)] {
				g.Candidates = append(g.Candidates, campaign.CandidateText{Name: fmt.Sprint("c", k+1), Text: text})
			}
			segments(inspect, g)
		}
		for i, text := range append(s.cleaned[:], s.raw[2]) {
			rate(inspect, fmt.Sprint("p", i+1), 2, "", protocol.Rating{Scores: map[string]float64{"difficulty": float64(3 + i)},
				Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "phenomena": {Several: []string{"slang", "idiom"}}, "cleaned": {Text: text}}})
		}
		follow(reference, inspect, "keep=yes difficulty>=3", "source answers candidates")
		for i, text := range s.written {
			rate(reference, fmt.Sprint("p", i+1), 1, "", protocol.Rating{Answers: map[string]protocol.Answer{"best": {Text: "c2"}, "edited": {Text: text}}})
		}
		follow(review, reference, "", "reference")
		rate(review, "p1", 1, "", protocol.Rating{Answers: map[string]protocol.Answer{"verdict": {Text: "accept"}}})
		follow(rating, review, "verdict=accept,edit", "reference")
		segments(rating, campaign.Segment{DocID: "posts", SegmentID: "p1", Source: s.cleaned[0], Translations: []campaign.Translation{{System: "Aster", Text: s.candidates[0][0]}, {System: "Birch", Text: s.candidates[0][1]}}})

		terms, culture := stage("terms"), stage("culture")
		marked := []protocol.ErrorSpan{
			spanOf("1", protocol.Source, s.term.source, s.term.word), spanOf("2", protocol.Reference, s.term.reference, s.term.counterpart),
		}
		marked[0].Link, marked[0].Answers = "2", map[string]string{campaign.Explication: s.term.means}
		for i := range 2 {
			g := campaign.Segment{DocID: "posts", SegmentID: fmt.Sprint("t", i+1), Source: s.term.source, References: []campaign.Reference{{Name: campaign.MainReference, Text: s.term.reference}}, Translations: campaign.ItselfOnly()}
			segments(terms, g)
		}
		rate(terms, "t1", 2, "", protocol.Rating{Spans: marked})
		follow(culture, terms, "", "terms reference")
		segments(culture, campaign.Segment{DocID: "posts", SegmentID: "t1", Source: s.term.source, Translations: []campaign.Translation{{System: "Aster", Text: s.translations[0]}, {System: "Birch", Text: s.translations[1]}}})
	}
}

// spanOf marks words of a text as a social term.
func spanOf(id string, side protocol.Side, text, words string) protocol.ErrorSpan {
	before, _, _ := strings.Cut(text, words)
	start := utf8.RuneCountInString(before)
	return protocol.ErrorSpan{ID: id, Side: side, Start: start, End: start + utf8.RuneCountInString(words), Text: words, Category: "Social"}
}

// lines yields the lines of a file.
func lines[T, L any](all []T, line func(int, T) L) iter.Seq2[L, error] {
	return func(yield func(L, error) bool) {
		for i, x := range all {
			if !yield(line(i+1, x), nil) {
				return
			}
		}
	}
}

// foreignPages are the pages of these chains.
func foreignPages() (out []picture) {
	for _, s := range scripts {
		at := "/campaigns/" + s.slug + "-"
		for _, id := range []string{"inspect", "reference", "review", "terms", "culture"} {
			out = append(out, picture{name: "annotate-" + s.slug + "-" + id, login: "jonas", path: at + id + "/assignments/NEXT"})
		}
		out = append(out,
			picture{name: "chain-" + s.slug + "-lineage", login: sample.Lead, path: at + "sqm/segments", before: follow("tbody a[href*='/segments/']")},
			picture{name: "chain-" + s.slug + "-report", login: sample.Lead, path: at + "sqm/report"})
	}
	return out
}
