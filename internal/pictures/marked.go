package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/sample"
	"annotate/internal/store"
)

// The slugs of the campaigns whose ratings have error spans.
const (
	markedESA  = "marked-esa"
	markedMQM  = "marked-mqm"
	markedRATE = "marked-rate"
)

// A given is one rating of the pictures. Its spans name the words they cover,
// and their places are looked for.
type given struct {
	segment, system, annotator string
	round                      int
	scores                     map[string]float64
	comment                    string
	spans                      []protocol.ErrorSpan
}

// mark is a span of the translation over the first place that has these words.
func mark(words, severity, category string) protocol.ErrorSpan {
	kind, sub, _ := strings.Cut(category, "/")
	return protocol.ErrorSpan{Side: protocol.Target, Text: words, Severity: severity, Category: kind, Subcategory: sub}
}

// inSource is a span of the source.
func inSource(words, severity, category string) protocol.ErrorSpan {
	s := mark(words, severity, category)
	s.Side = protocol.Source
	return s
}

// gapAfter is a span without words, behind the first place that has these words.
func gapAfter(words, severity, category, subcategory string) protocol.ErrorSpan {
	return protocol.ErrorSpan{Side: protocol.Target, Text: words, Start: -1, Severity: severity, Category: category, Subcategory: subcategory}
}

func with(s protocol.ErrorSpan, id, link, comment string) protocol.ErrorSpan {
	s.ID, s.Link, s.Comment = id, link, comment
	return s
}

// place turns the words of a span into its offsets.
func place(s protocol.ErrorSpan, t protocol.Texts) (protocol.ErrorSpan, error) {
	text := t.Translation
	if s.Side == protocol.Source {
		text = t.Source
	}
	before, _, ok := strings.Cut(text, s.Text)
	if !ok {
		return s, fmt.Errorf("no %q in %q", s.Text, text)
	}
	gap := s.Start < 0
	s.Start = codepoint.Len(before)
	s.End = s.Start + codepoint.Len(s.Text)
	if gap {
		s.Start, s.Text = s.End, ""
	}
	return s, nil
}

// markedCampaigns makes a campaign for each protocol that marks errors.
func markedCampaigns(ctx context.Context, st *store.Store) {
	for _, c := range []struct {
		slug, title, protocol, source, target string
		segments                              []campaign.Segment
		ratings                               []given
	}{
		{markedESA, "Harbour notices", "esa", "en", "de", esaSegments, esaRatings},
		{markedMQM, "Group chat, Chinese to English", "mqm", "zh", "en", mqmSegments, mqmRatings},
		{markedRATE, "Letters, English to Arabic", "rate", "en", "ar", rateSegments, rateRatings},
	} {
		markedCampaign(ctx, st, c.slug, c.title, c.protocol, c.source, c.target, c.segments, c.ratings)
	}
}

func markedCampaign(ctx context.Context, st *store.Store, slug, title, protocolID, source, target string, segments []campaign.Segment, ratings []given) {
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	p, _ := protocol.Lookup(protocolID)
	settings := must(campaign.DefaultSettings(p).WithPairs([]string{"redundancy=2"}))
	c := must(st.Accounts.CreateCampaign(ctx, campaign.Campaign{
		Slug: slug, Title: title, Protocol: protocolID, SourceLang: source, TargetLang: target, Settings: settings,
	}, lead.ID))
	check(st.Accounts.AddMember(ctx, c.ID, sample.Researcher, campaign.Researcher, lead.ID))
	texts := map[[2]string]protocol.Texts{}
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		for i, seg := range segments {
			seg.SourceLang, seg.TargetLang = source, target
			for _, t := range seg.Translations {
				texts[[2]string{seg.SegmentID, t.System}] = protocol.Texts{Source: seg.Source, Translation: t.Text}
			}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: seg}, nil) {
				return
			}
		}
	}
	must(st.Intake.ImportSegments(ctx, c.ID, lines, intake.ImportOptions{File: slug + ".jsonl"}))
	must(st.Intake.ImportRatings(ctx, c.ID, ratingLines(ratings, texts), intake.ImportOptions{File: slug + ".ratings.jsonl"}))
}

func ratingLines(ratings []given, texts map[[2]string]protocol.Texts) iter.Seq2[campaign.NumberedRating, error] {
	return func(yield func(campaign.NumberedRating, error) bool) {
		for i, g := range ratings {
			line := campaign.NumberedRating{Line: i + 1, Rating: campaign.RatingLine{DocID: g.segment, SegmentID: g.segment, System: g.system}}
			line.Rating.Rating = campaign.Rating{Annotator: g.annotator, Round: max(g.round, 1), Seconds: 60, SubmittedAt: now.AddDate(0, 0, -1)}
			line.Rating.Scores, line.Rating.Comment = g.scores, g.comment
			for _, s := range g.spans {
				s, err := place(s, texts[[2]string{g.segment, g.system}])
				if err != nil {
					yield(line, fmt.Errorf("rating %d: %w", i+1, err))
					return
				}
				line.Rating.Spans = append(line.Rating.Spans, s)
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

func segment(id, source string, translations ...string) campaign.Segment {
	seg := campaign.Segment{DocID: id, SegmentID: id, Domain: "sample", Source: source}
	for i, text := range translations {
		seg.Translations = append(seg.Translations, campaign.Translation{System: []string{"Aster", "Birch", "Cedar"}[i], Text: text})
	}
	return seg
}

func score(x float64) map[string]float64 { return map[string]float64{"score": x} }

func both(accuracy, fluency float64) map[string]float64 {
	return map[string]float64{"accuracy": accuracy, "fluency": fluency}
}

var esaSegments = []campaign.Segment{
	segment("ferry", "The late ferry leaves at a quarter to nine, unless the harbour master has closed the outer gate.\n\nPassengers with bicycles board first; please fold the trailers.",
		"Die späte Fähre legt um Viertel nach neun ab, außer der Hafenmeister hat das äußere Gitter geschlossen.\n\nPassagiere mit Fahrrad steigen als Erstes ein bitte die Anhänger falten.",
		"Die letzte Fähre fährt um 20.45 Uhr, sofern der Hafenmeister das Außentor nicht geschlossen hat.\n\nFahrgäste mit Rädern gehen zuerst an Bord; bitte klappen Sie die Anhänger zusammen.",
		""),
	segment("step", "Mind the step.", "Vorsicht, Stufe.", "Beachten Sie den Schritt.", "Achtung Stufe!"),
}

var esaRatings = []given{
	{segment: "ferry", system: "Aster", annotator: "mara", scores: score(46), comment: "The time is wrong, which is all that matters in a notice like this.", spans: []protocol.ErrorSpan{
		mark("Viertel nach neun", "major", ""), mark("Gitter", "minor", ""), mark("steigen als Erstes ein bitte die Anhänger falten", "minor", ""),
		gapAfter("als Erstes ein", "minor", "", "missing punctuation"), mark("falten", "minor", "")}},
	{segment: "ferry", system: "Aster", annotator: "jonas", scores: score(58), spans: []protocol.ErrorSpan{
		mark("legt um Viertel nach neun ab", "major", ""), mark("das äußere Gitter geschlossen", "major", ""), with(mark("Gitter", "minor", ""), "", "", "a gate, not a fence"),
		gapAfter("als Erstes ein", "minor", "", "missing punctuation"), inSource("trailers", "minor", "")}},
	{segment: "ferry", system: "Aster", annotator: "samir", scores: score(40), spans: []protocol.ErrorSpan{
		mark("nach", "major", ""), mark("äußere Gitter geschlossen.\n\nPassagiere mit Fahrrad", "minor", ""), mark("falten", "annoying", "Taste")}},
	{segment: "ferry", system: "Birch", annotator: "mara", scores: score(96)},
	{segment: "ferry", system: "Birch", annotator: "jonas", scores: score(90), spans: []protocol.ErrorSpan{mark("letzte", "minor", "")}},
	{segment: "ferry", system: "Birch", annotator: "samir", scores: score(93)},
	{segment: "ferry", system: "Cedar", annotator: "mara", scores: score(0), comment: "Nothing there."},
	{segment: "ferry", system: "Cedar", annotator: "jonas", scores: score(0), spans: []protocol.ErrorSpan{inSource("The late ferry leaves at a quarter to nine, unless the harbour master has closed the outer gate.\n\nPassengers with bicycles board first; please fold the trailers.", "major", "")}},
}

var mqmSegments = []campaign.Segment{
	segment("chat", "他昨晚又放鸽子，群里都在刷「服了」😂👩🏽‍🚀——结果今天早上发了个红包，大家立刻原谅他了。",
		"He released pigeons again last night and the group was all brushing “convinced” 😂👩🏽‍🚀. This morning he sent a red packet, everyone forgive him immediately",
		"He stood us up again last night and the whole group was spamming “I give up” 😂👩🏽‍🚀 – but this morning he dropped a red envelope and all was forgiven.",
		"😂"),
	segment("verse", "晚来天欲雪，能饮一杯无？", "It looks like snow this evening; will you drink a cup with me?", "Late comes the sky wants snow, can drink a cup none?", "Evening snow. Drink?"),
}

var mqmRatings = []given{
	{segment: "chat", system: "Aster", annotator: "mara", spans: []protocol.ErrorSpan{
		with(mark("released pigeons", "major", "Accuracy/Mistranslation"), "", "", "an idiom: to stand somebody up"),
		mark("was all brushing “convinced” 😂👩🏽‍🚀", "major", "Style/Awkward"), mark("brushing", "major", "Accuracy/Mistranslation"),
		mark("“convinced”", "minor", "Terminology/Inappropriate for context"), mark("😂👩🏽‍🚀", "neutral", "Other"),
		inSource("结果", "minor", "Accuracy/Omission"), mark("everyone forgive", "minor", "Fluency/Grammar"), gapAfter("immediately", "minor", "Fluency", "Punctuation")}},
	{segment: "chat", system: "Aster", annotator: "jonas", spans: []protocol.ErrorSpan{
		mark("released pigeons again", "critical", "Accuracy/Mistranslation"), mark("brushing “convinced”", "major", "Accuracy/Mistranslation"),
		mark("forgive", "minor", "Fluency/Grammar"), inSource("——结果", "minor", "Accuracy/Omission")}},
	{segment: "chat", system: "Birch", annotator: "mara", spans: []protocol.ErrorSpan{mark("dropped", "neutral", "Fluency/Register")}},
	{segment: "chat", system: "Birch", annotator: "jonas", comment: "Very good."},
	{segment: "chat", system: "Cedar", annotator: "mara", spans: []protocol.ErrorSpan{mark("😂", "major", "Non-translation")}},
	{segment: "chat", system: "Cedar", annotator: "jonas", spans: []protocol.ErrorSpan{mark("😂", "major", "Non-translation")}},
	{segment: "verse", system: "Birch", annotator: "mara", round: 1, spans: []protocol.ErrorSpan{mark("Late comes the sky wants snow", "major", "Accuracy/Mistranslation"), mark("none", "major", "Accuracy/Mistranslation")}},
	{segment: "verse", system: "Birch", annotator: "jonas", round: 1, spans: []protocol.ErrorSpan{mark("none", "minor", "Fluency/Grammar")}},
	{segment: "verse", system: "Birch", annotator: "mara", round: 2, spans: []protocol.ErrorSpan{mark("can drink a cup none", "major", "Accuracy/Mistranslation")}},
	{segment: "verse", system: "Birch", annotator: "jonas", round: 2, spans: []protocol.ErrorSpan{mark("Late comes the sky wants snow, can drink", "major", "Style/Awkward"), mark("none", "major", "Accuracy/Mistranslation")}},
}

var rateSegments = []campaign.Segment{
	segment("letter", "Dear Salma, the lemons arrived bruised but fragrant; I made marmalade on Tuesday and, being alone, ate half of it with a spoon (version 2.0 follows).",
		"عزيزتي سلمى، وصل الليمون مكدوماً لكن عطراً، وصنعت المربى يوم الخميس وكوني وحيدة أكلت نصفه بملعقة (النسخة 2.0 تتبع).",
		"عزيزتي سلمى، وصلت حبّات الليمون مرضوضة لكنها عطرة؛ أعددتُ المربّى يوم الثلاثاء، ولأنني كنت وحدي أكلتُ نصفه بالملعقة (والنسخة 2.0 في الطريق).",
		"العزيزة سلمى، الليمون وصل."),
}

var rateRatings = []given{
	{segment: "letter", system: "Aster", annotator: "mara", scores: both(62, 55), comment: "The weekday is wrong.", spans: []protocol.ErrorSpan{
		mark("مكدوماً لكن عطراً", "3", "Style"), mark("مكدوماً", "4", "Mistranslation"), with(mark("المربى", "1", "Fluency"), "a", "b", ""),
		mark("يوم الخميس", "5", "Mistranslation"), with(mark("نصفه", "2", "Inconsistency"), "b", "", "marmalade is feminine here"), gapAfter("الخميس", "2", "Grammar", "missing punctuation"), mark("النسخة 2.0 تتبع", "3", "Fluency")}},
	{segment: "letter", system: "Aster", annotator: "samir", scores: both(70, 60), spans: []protocol.ErrorSpan{
		mark("وصل الليمون مكدوماً", "4", "Mistranslation"), mark("الخميس", "5", "Mistranslation"), mark("وكوني وحيدة", "2", "Style"), inSource("follows", "1", "Undertranslation")}},
	{segment: "letter", system: "Birch", annotator: "mara", scores: both(98, 97)},
	{segment: "letter", system: "Birch", annotator: "samir", scores: both(95, 99)},
	{segment: "letter", system: "Cedar", annotator: "mara", scores: both(20, 80), spans: []protocol.ErrorSpan{
		inSource("I made marmalade on Tuesday and, being alone, ate half of it with a spoon (version 2.0 follows)", "5", "Omission"), inSource("bruised but fragrant", "4", "Omission"), mark("العزيزة", "2", "Style")}},
	{segment: "letter", system: "Cedar", annotator: "samir", scores: both(15, 85), spans: []protocol.ErrorSpan{inSource("; I made marmalade on Tuesday and, being alone, ate half of it with a spoon (version 2.0 follows)", "5", "Omission")}},
}
