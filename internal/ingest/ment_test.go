package ingest

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

func TestMENT(t *testing.T) {
	rating := func(login string, score float64) campaign.Rating {
		return campaign.Rating{Annotator: login, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": score}}}
	}
	data := "\n" + `{"qid":7,"category":"SNS","data_source":"web","src_lang":"Zh","trans_lang":"En","src":" a\r\n","ref":"R","trans_0":"x","avg_trans_0_score":2.3333333333333335,"trans_1":"","avg_trans_1_score":0,"avg_score":[],"trans_a":1,"avg_trans_1":1}
{"src":"b","ref":null,"trans_1":"y","trans_0":"x","trans_0_annotators":["G","A",7],"trans_0_scores":[0,1,0.0],"avg_trans_0_score":0.33,"trans_1_annotators":[],"trans_1_scores":[],"avg_trans_1_score":4.0}
{"qid":"q","src":"c","ref":"","trans_0":"x","trans_1":"y","avg_trans_0_score":null,"trans_0_scores":null,"adjudicated":false}
{"qid":"r","src":"d","trans_0":"x","trans_1":"y","avg_trans_0_score":1,"trans_0_annotators":["A"],"trans_0_scores":[4],"adjudicated":true}`
	text := func(system, text string) campaign.Translation {
		return campaign.Translation{System: system, Text: text}
	}
	scored := func(system, text string, score float64) campaign.Translation {
		return campaign.Translation{System: system, Text: text, HumanScores: []campaign.HumanScore{{Name: "ment", Score: score}}}
	}
	diff(t, segments(t, "ment", data, Options{}), []campaign.SegmentLine{
		{Line: 2, Segment: campaign.Segment{
			DocID: "7", SegmentID: "7", Domain: "SNS", DataSource: "web", SourceLang: "Zh", TargetLang: "En", Source: " a\r\n",
			References:   []campaign.Reference{{Name: "ref", Text: "R"}},
			Translations: []campaign.Translation{scored("system_0", "x", 7.0/3), scored("system_1", "", 0)},
		}},
		{Line: 3, Segment: campaign.Segment{
			DocID: "3", SegmentID: "3", SourceLang: "Zh", TargetLang: "En", Source: "b",
			Translations: []campaign.Translation{
				{System: "system_0", Text: "x", Ratings: []campaign.Rating{rating("7", 0), rating("A", 1), rating("G", 0)}},
				scored("system_1", "y", 4),
			},
		}},
		{Line: 4, Segment: campaign.Segment{
			DocID: "q", SegmentID: "q", SourceLang: "Zh", TargetLang: "En", Source: "c",
			Translations: []campaign.Translation{text("system_0", "x"), text("system_1", "y")},
		}},
		{Line: 5, Segment: campaign.Segment{
			DocID: "r", SegmentID: "r", SourceLang: "Zh", TargetLang: "En", Source: "d",
			Translations: []campaign.Translation{{System: "system_0", Text: "x", Ratings: []campaign.Rating{rating("A", 4)}}, text("system_1", "y")},
		}},
	})
}

// Systems are in byte order: system_10 before system_2.
func TestMENTManySystems(t *testing.T) {
	data := `{"src":"a","trans_0":"0","trans_1":"1","trans_2":"2","trans_3":"3","trans_4":"4","trans_5":"5","trans_6":"6","trans_7":"7","trans_8":"8","trans_9":"9","trans_10":"10"}`
	var got []string
	for _, tr := range segments(t, "ment", data+"\n"+data, Options{})[1].Segment.Translations {
		got = append(got, strings.TrimPrefix(tr.System, "system_")+"="+tr.Text)
	}
	if want := "0=0 1=1 10=10 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// The averages printed in the MENT paper, Fig. 11-13, have two decimals.
func TestMENTAverageSlack(t *testing.T) {
	tests := []struct {
		scores, average string
		ok              bool
	}{
		{"0,1,0", "0.33", true}, {"4,4,3", "3.67", true}, {"4,2,2", "2.67", true}, {"2,4,2,4", "3.0", true}, {"0,3,1,2", "1.5", true},
		{"2,3", "2.5", true}, {"1,0,0,0,0,0,0,0", "0.12", true}, {"1,0,0,0,0,0,0,0", "0.13", true}, {"0,1,0", "0.3333333333333333", true},
		{"0,1,0", "0.34", false}, {"0,1,0", "0.3", false}, {"2,3", "2", false},
	}
	for _, tt := range tests {
		logins := `"A","B","C","D","E","F","G","H"`
		n := strings.Count(tt.scores, ",") + 1
		data := `{"src":"a","trans_0":"x","trans_0_annotators":[` + logins[:4*n-1] + `],"trans_0_scores":[` + tt.scores + `],"avg_trans_0_score":` + tt.average + `}`
		_, problems, _ := collect(Segments("ment", strings.NewReader(data), Options{}))
		if (len(problems) == 0) != tt.ok {
			t.Errorf("mean of %s = %s: got %v", tt.scores, tt.average, problems)
		}
	}
}

func TestMENTRefused(t *testing.T) {
	line := func(rest string) string { return `{"src":"s","trans_0":"x","trans_1":"y",` + rest + `}` }
	rated := func(annotators, scores string) string {
		return line(`"trans_1_annotators":` + annotators + `,"trans_1_scores":` + scores)
	}
	for _, tt := range []refusal{
		refuse("an empty file", "\n", "the file has no segments; check that it is the right file, and that it was saved with its content"),
		refuse("nothing required", `{}`,
			"1: src: missing; give the source text",
			"1: trans_0: missing; give one translation by every system, trans_0, trans_1 and so on",
		),
		refuse("src is empty", `{"src":‸"","trans_0":"x"}`, "‸ src: empty; give the source text"),
		refuse("ref is a list", line(`"ref":‸["r"]`), "‸ ref: must be a text in double quotes, not an array"),
		refuse("qid is empty", line(`"qid":‸""`), "‸ qid: the id is empty"),
		refuse("qid is true", line(`"qid":‸true`), "‸ qid: must be a text in double quotes or a number, not true or false"),
		refuse("category has a control character", line(`"category":‸"a\u001b"`), `‸ category: "a\x1b" has a control character in the name; remove it`),
		refuse("adjudicated is a text", line(`"adjudicated":‸"yes"`), "‸ adjudicated: must be true or false, not a text"),
		refuse("a key twice", line(`‸"trans_0":"z"`), "‸ trans_0: given twice; keep one"),
		refuse("a translation is a number", line(`"trans_2":‸1`), "‸ trans_2: must be a text in double quotes, not a number"),
		refuse("U+0000 in a translation", line(`"trans_2":"‸\u0000"`), `‸ trans_2: \u0000 is not a character of a text; remove it`),

		refuse("a gap", line(`"trans_3":‸"z","avg_trans_3_score":‸1`),
			"‸ trans_3: the line has no trans_2; number the translations from trans_0 without gaps",
			"‸ avg_trans_3_score: the line has no trans_3 for this field; add the translation, or leave the field out",
		),
		refuse("a gap by null", line(`"trans_2":null,"trans_3":‸"z"`), "‸ trans_3: the line has no trans_2; number the translations from trans_0 without gaps"),
		refuse("numbered from 1", `{"src":"s","trans_1":‸"x"}`,
			"‸ trans_1: the line has no trans_0; number the translations from trans_0 without gaps",
		),
		refuse("a leading zero", line(`"trans_02":‸"z"`), "‸ trans_02: the line has no trans_2; number the translations from trans_0 without gaps"),
		refuse("a number that is no number", line(`"trans_99999999999999999999":‸"z"`), "‸ trans_99999999999999999999: the line has no trans_2; number the translations from trans_0 without gaps"),
		refuse("scores without a translation", line(`"trans_2_scores":‸[1]`), "‸ trans_2_scores: the line has no trans_2 for this field; add the translation, or leave the field out"),
		refuse("only averages", `{"src":"s","avg_trans_0_score":1}`, "1: trans_0: missing; give one translation by every system, trans_0, trans_1 and so on"),

		refuse("one translation less than in the first line", line(`"trans_2":"z"`)+"\n"+line(`"qid":1`), `2: trans_2: no translation by "system_2"; give one by every system, "" if it is empty`),
		refuse("one more", line(`"qid":1`)+"\n"+line(`"trans_2":‸"z"`), `‸ trans_2: there is no system "system_2"; those of line 1 are "system_0", "system_1"`),
		refuse("a campaign with other systems", `{"src":"s","trans_0":‸"x"}`,
			`1: Aster: no translation by "Aster"; give one by every system, "" if it is empty`,
			`‸ trans_0: there is no system "system_0"; the campaign's systems are "Aster"`,
		).under(Options{Systems: []string{"Aster"}}),

		refuse("average too high", line(`"avg_trans_0_score":‸4.01`), "‸ avg_trans_0_score: must be a number from 0 to 4, not 4.01"),
		refuse("average too low", line(`"avg_trans_0_score":‸-1e-9`), "‸ avg_trans_0_score: must be a number from 0 to 4, not -1e-9"),
		refuse("average too large for a number", line(`"avg_trans_0_score":‸1e999`), `‸ avg_trans_0_score: "1e999" is too large for a number; correct it`),
		refuse("average is NaN", line(`"avg_trans_0_score":‸NaN`), "‸ avg_trans_0_score: not JSON: there is no NaN; write null or leave the key out"),
		refuse("average is a text", line(`"avg_trans_0_score":‸"NaN"`), "‸ avg_trans_0_score: must be a number, not a text"),
		refuse("average of other scores", line(`"trans_0_annotators":["A","B"],"trans_0_scores":[1,2],"avg_trans_0_score":‸1.51`), "‸ avg_trans_0_score: is 1.51, but the mean of trans_0_scores is 1.5; correct one of them"),

		refuse("annotators without scores", line(`"trans_1_annotators":["A"]`), "1: trans_1_scores: 0 scores for 1 annotators in trans_1_annotators; give one score by each"),
		refuse("scores without annotators", line(`"trans_1_scores":‸[1,2]`), "‸ trans_1_scores: 2 scores for 0 annotators in trans_1_annotators; give one score by each"),
		refuse("more scores than annotators", rated(`["A"]`, `‸[1,2]`), "‸ trans_1_scores: 2 scores for 1 annotators in trans_1_annotators; give one score by each"),
		refuse("scores is a number", rated(`["A"]`, `‸1`), "‸ trans_1_scores: must be an array with one value for each annotator, not a number"),
		refuse("annotators is a text", rated(`‸"A"`, `[1]`), "‸ trans_1_annotators: must be an array with one value for each annotator, not a text"),
		refuse("a score is too high", rated(`["A","B"]`, `[4,‸5]`), "‸ trans_1_scores: must be a whole number from 0 to 4, not 5"),
		refuse("a score is not whole", rated(`["A","B"]`, `[‸2.5,4]`), "‸ trans_1_scores: must be a whole number from 0 to 4, not 2.5"),
		refuse("a score is null", rated(`["A","B"]`, `[‸null,4]`), "‸ trans_1_scores: must be a number, not null"),
		refuse("an annotator twice", rated(`["A",‸"A"]`, `[1,2]`), `‸ trans_1_annotators: "A" is given twice; an annotator has one score for a translation`),
		refuse("an annotator is null", rated(`[‸null]`, `[1]`), "‸ trans_1_annotators: must be a text in double quotes, not null"),
		refuse("an annotator is empty", rated(`[‸""]`, `[1]`), `‸ trans_1_annotators: "" can't be an annotator; use 1 to 100 letters, digits or any of . _ @ + -, starting with a letter or digit`),
		refuse("too many scores", rated(`[]`, `[`+strings.Repeat("1,", maxMembers)+`‸1]`), "‸ trans_1_scores: there are more than 1000 values; check that the line is one segment"),

		refuse("both directions", line(`"src_lang":"zh","trans_lang":"en"`)+"\n"+line(`"src_lang":‸"en","trans_lang":"zh"`)+"\n"+line(`"src_lang":"zh","trans_lang":"en"`), "‸ src_lang: the file has several language pairs: beside 2 lines of zh-en it has 1 line of en-zh, the first here; import one pair at a time by naming it, zh-en or en-zh (--language-pair zh-en on the command line)"),
	} {
		tt.Run(t, refuseSegments("ment"))
	}
}
