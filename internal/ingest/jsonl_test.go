package ingest

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
)

func TestJSONL(t *testing.T) {
	const text = " two  spaces, e\u0301, 🙂, \u200fעברית\u200f,\u2028\u00a0 " // kept as it is
	data := "\ufeff" + `{"doc_id":"d","segment_id":"s1","domain":"news","data_source":"web","source_lang":"zh","target_lang":"en",` +
		`"source":"line\r\nbreak","references":{"b":"B","a":"A"},"reference":"R","context":"c","note":"n",` +
		`"translations":{"Cedar":"","Aster":"` + text + `","Birch":"\ud83d\ude42"},"unknown":{"x":[1,{"x":null,"x":2}]},"\ud800":1}` + "\r\n" +
		"\r\n   \n" +
		`{"translations":{"Aster":"1","Birch":"2","Cedar":"3"},"source":"x","segment_id":12,"doc_id":1e3,"domain":null,"reference":null,"references":{"a":null},"context":null,"note":"","source_lang":null,"target_lang":""}` + "\n" +
		`{"segment_id":"` + strings.Repeat("é", maxID/2) + `","source":"x","translations":{"Aster":"1","Birch":"2","Cedar":"3"},"source_lang":"ZH"}`
	got := segments(t, "jsonl", data, Options{})
	long := strings.Repeat("é", maxID/2)
	short := []campaign.Translation{{System: "Aster", Text: "1"}, {System: "Birch", Text: "2"}, {System: "Cedar", Text: "3"}}
	diff(t, got, []campaign.SegmentLine{
		{Line: 1, Segment: campaign.Segment{
			DocID: "d", SegmentID: "s1", Domain: "news", DataSource: "web", SourceLang: "zh", TargetLang: "en",
			Source: "line\r\nbreak", Context: "c", Note: "n",
			References:   []campaign.Reference{{Name: "a", Text: "A"}, {Name: "b", Text: "B"}, {Name: "ref", Text: "R"}},
			Translations: []campaign.Translation{{System: "Aster", Text: text}, {System: "Birch", Text: "🙂"}, {System: "Cedar"}},
		}},
		{Line: 4, Segment: campaign.Segment{
			DocID: "1e3", SegmentID: "12", SourceLang: "zh", TargetLang: "en", Source: "x", Translations: short,
		}},
		{Line: 5, Segment: campaign.Segment{
			DocID: long, SegmentID: long, SourceLang: "zh", TargetLang: "en", Source: "x", Translations: short,
		}},
	})
}

func TestJSONLLanguages(t *testing.T) {
	line := func(source, target string) string {
		return `{"segment_id":"s","source_lang":"` + source + `","target_lang":"` + target + `","source":"x","translations":{"A":"t"}}` + "\n"
	}
	pairs := func(data string, opt Options) string {
		var out []string
		for _, s := range segments(t, "jsonl", data, opt) {
			out = append(out, s.Segment.SourceLang+">"+s.Segment.TargetLang)
		}
		return strings.Join(out, " ")
	}
	tests := []struct {
		name, data string
		opt        Options
		want       string
	}{
		{"none named", line("", ""), Options{}, ">"},
		{"those of the campaign", line("", ""), Options{SourceLang: "zh", TargetLang: "en"}, "zh>en"},
		{"the campaign's spelling", line("ZH", "en_us"), Options{SourceLang: "zh", TargetLang: "en-US"}, "zh>en-US"},
		{"the first spelling", line("ZH", "En") + line("zh", "en"), Options{}, "ZH>En ZH>En"},
		{"one after the other", line("", "") + line("zh", "") + line("", "en") + line("", ""), Options{}, "> zh> zh>en zh>en"},
		{"the campaign has one of them", line("zh", "en"), Options{SourceLang: "zh"}, "zh>en"},
		{"others left out", line("en", "zh") + line("zh", "en") + line("zh", "fr") + line("", "") + line("en", ""), Options{SourceLang: "zh", TargetLang: "en", Select: true}, "zh>en zh>en"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := pairs(tt.data, tt.opt); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// In a line that is left out, only JSON and languages are checked.
func TestLeftOutLines(t *testing.T) {
	opt := Options{SourceLang: "zh", TargetLang: "en", Select: true, Systems: []string{"A"}}
	got := segments(t, "jsonl", `{"source_lang":"en","target_lang":"zh","translations":{"B":1}}
{"segment_id":"s","source":"x","translations":{"A":"t"}}`, opt)
	if len(got) != 1 || got[0].Line != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestJSONLRefused(t *testing.T) {
	const good = `{"segment_id":"s","source":"x","translations":{"A":"t"}}`
	// part is a line with one more member, or with one that is different.
	part := func(member string) string {
		return `{` + member + `,"segment_id":"s","source":"x","translations":{"A":"t"}}`
	}
	source := func(v string) string { return `{"segment_id":"s","translations":{"A":"t"},"source":` + v + `}` }
	id := func(v string) string { return `{"source":"x","translations":{"A":"t"},"segment_id":` + v + `}` }
	translations := func(v string) string { return `{"segment_id":"s","source":"x","translations":` + v + `}` }
	ab := Options{Systems: []string{"Birch", "Aster"}}

	tests := []refusal{
		refuse("an empty file", "", "the file has no segments; check that it is the right file, and that it was saved with its content"),
		refuse("nothing but blank lines", "\n \t\r\n", "the file has no segments; check that it is the right file, and that it was saved with its content"),
		refuse("nothing but a byte order mark", "\ufeff", "the file has no segments; check that it is the right file, and that it was saved with its content"),
		refuse("nothing of the selected pair", part(`"source_lang":"en","target_lang":"zh"`), "the file has no segments of zh-en; it has 1 of en-zh and perhaps of other pairs").under(Options{SourceLang: "zh", TargetLang: "en", Select: true}),

		refuse("not JSON", good+"\n‸hello\n"+good, "‸ not JSON: expected a value, not 'h'"),
		refuse("columns count code points", `{"segment_id":"🙂é中" ‸"source"`, `‸ not JSON: expected a comma or } after the value, not '"'`),
		refuse("columns leave out the byte order mark", "\ufeff‸x", "‸ not JSON: expected a value, not 'x'"),
		refuse("cut off", `{"segment_id":"s","source":"x‸`, `‸ source: not JSON: the line ends in the middle of a text; write a line break as \n, and each object on one line`),
		refuse("cut off after a backslash", `{"source":"x\‸`, `‸ source: not JSON: the line ends in the middle of a text; write a line break as \n, and each object on one line`),
		refuse("printed over several lines", "{\n  \"segment_id\": 1,\n}",
			"format: the file has JSON objects that go over several lines, and jsonl is a text file with one JSON object a line; write each object on one line (jq -c . does it)",
		),
		refuse("two objects on a line", good+` ‸{}`, "‸ not JSON: more text after the end of the object; write one JSON object a line"),
		refuse("an array", `[`+good+`]`, "format: the file is one JSON array, and jsonl is a text file with one JSON object a line; write each object in it on a line of its own, without brackets and commas around them (jq -c '.[]' does it)"),
		refuse("a text", ` ‸"x"`, "‸ must be an object, not a text; write one JSON object a line"),
		refuse("a number", `‸1`, "‸ must be an object, not a number; write one JSON object a line"),
		refuse("null", `‸null`, "‸ must be an object, not null; write one JSON object a line"),
		refuse("true", `‸true`, "‸ must be an object, not true or false; write one JSON object a line"),
		refuse("NaN", `{"a":‸NaN}`, "‸ a: not JSON: there is no NaN; write null or leave the key out"),
		refuse("minus infinity", `{"a":-‸Infinity}`, "‸ a: not JSON: there is no -Infinity; write null or leave the key out"),
		refuse("a leading zero", `{"segment_id":‸007}`, "‸ segment_id: not JSON: a number has no leading zero; write it in double quotes if it is a name"),
		refuse("no such escape", `{"source":"C:‸\dir"}`, `‸ source: not JSON: there is no escape \d; write a backslash as \\`),
		refuse("half an escape", `{"source":"‸\u12"}`, `‸ source: not JSON: \u needs four hexadecimal digits`),
		refuse("a raw tab", "{\"source\":\"é‸\tx\"}", `‸ source: not JSON: control character U+0009 in a text; write it as \u0009`),
		refuse("a raw U+0000", "{\"translations\":{\"A\":\"é‸\x00\"}}", `‸ translations.A: not JSON: a text has the character U+0000, which cannot be stored; remove it`),
		refuse("a raw U+0000 between values", "{‸\x00}", `‸ not JSON: expected a key in double quotes, not '\x00'`),
		refuse("nested too deeply", `{"x":`+strings.Repeat("[", 199)+`‸[`, "‸ x: not JSON: more than 200 levels of nesting"),
		refuse("a line too long", good+"\n"+part(`"note":"`+strings.Repeat("x", 100)+`"`)+"\n"+good, "2: the line is longer than 100 bytes, the most that is read; shorten or divide its texts").under(Options{MaxLine: 100}),

		refuse("invalid UTF-8", "{\"segment_id\":\"🙂é‸\xff\"}", "‸ byte 0xFF is not UTF-8; save the file as UTF-8"),
		refuse("Latin-1", "{\"source\":\"caf‸\xe9\"}", "‸ byte 0xE9 is not UTF-8; the file may be Latin-1 or Windows-1252; save the file as UTF-8"),
		refuse("a character cut off", "{\"source\":\"‸\xe4\xb8\"}", "‸ byte 0xE4 is not UTF-8; save the file as UTF-8"),
		refuse("a surrogate in UTF-8", "{\"source\":\"‸\xed\xa0\x80\"}", "‸ byte 0xED is not UTF-8; save the file as UTF-8"),
		refuse("U+FFFD is a character", source(`"�"`)),

		refuse("nothing required", `{}`,
			"1: segment_id: missing; give the id of the segment",
			"1: source: missing; give the source text",
			`1: translations: missing; give {"system": "text"} with every system`,
		),
		refuse("null is missing", `{"segment_id":null,"source":null,"translations":null}`,
			"1: segment_id: missing; give the id of the segment",
			"1: source: missing; give the source text",
			`1: translations: missing; give {"system": "text"} with every system`,
		),
		refuse("keys have one spelling", `{"Segment_ID":"s","source":"x","translations":{"A":"t"}}`, "1: segment_id: missing; give the id of the segment"),
		refuse("source is a number", source(`‸5`), "‸ source: must be a text in double quotes, not a number"),
		refuse("source is an object", source(`‸{}`), "‸ source: must be a text in double quotes, not an object"),
		refuse("source is empty", source(`‸""`), "‸ source: empty; give the source text"),
		refuse("source is white space", source(`‸" \n\u3000"`), "‸ source: empty; give the source text"),
		refuse("segment_id is a list", id(`‸["s"]`), "‸ segment_id: must be a text in double quotes or a number, not an array"),
		refuse("segment_id is empty", id(`‸""`), "‸ segment_id: the id is empty"),
		refuse("segment_id is too long", id(`‸"`+strings.Repeat("é", 250)+`x"`), "‸ segment_id: the id has 501 bytes; at most 500 are allowed"),
		refuse("a control character in segment_id", id(`‸"a\nb"`), `‸ segment_id: "a\nb" has a control character in the id; remove it`),
		refuse("U+0085 in segment_id", id(`‸"a\u0085b"`), `‸ segment_id: "a\u0085b" has a control character in the id; remove it`),
		refuse("doc_id is empty", part(`"doc_id":‸""`), "‸ doc_id: the id is empty"),
		refuse("doc_id is false", part(`"doc_id":‸false`), "‸ doc_id: must be a text in double quotes or a number, not true or false"),
		refuse("domain is a number", part(`"domain":‸1`), "‸ domain: must be a text in double quotes, not a number"),
		refuse("a control character in domain", part(`"domain":‸"a\tb"`), `‸ domain: "a\tb" has a control character in the name; remove it`),
		refuse("data_source is a number", part(`"data_source":‸1`), "‸ data_source: must be a text in double quotes, not a number"),
		refuse("context and note are numbers", part(`"context":‸1,"note":‸2`), "‸ context: must be a text in double quotes, not a number", "‸ note: must be a text in double quotes, not a number"),
		refuse("reference is a list", part(`"reference":‸["r"]`), "‸ reference: must be a text in double quotes, not an array"),
		refuse("references is a text", part(`"references":‸"r"`), `‸ references: must be an object such as {"name": …}, not a text`),
		refuse("a reference is a number", part(`"references":{"a":‸1}`), "‸ references.a: must be a text in double quotes, not a number"),
		refuse("a reference without a name", part(`"references":{‸"":"r"}`), "‸ references: the name is empty"),
		refuse("a reference twice", part(`"references":{"a":"r",‸"a":"r"}`), "‸ references.a: given twice; keep one"),
		refuse("reference and references.ref", part(`"references":{"ref":"r"},"reference":‸"s"`), "‸ reference: differs from references.ref, which is a text of the same reference; keep one of them"),
		refuse("reference and references.ref, the same", part(`"references":{"ref":"r"},"reference":"r"`)),

		refuse("U+0000 in source", source(`"é‸\u0000"`), `‸ source: \u0000 is not a character of a text; remove it`),
		refuse("U+0000 in an id", id(`"‸\u0000"`), `‸ segment_id: \u0000 is not a character of a text; remove it`),
		refuse("U+0000 in a translation", translations(`{"A":"‸\u0000"}`), `‸ translations.A: \u0000 is not a character of a text; remove it`),
		refuse("U+0000 in a system", translations(`{"A‸\u0000":"t"}`), `‸ translations: \u0000 is not a character of a text; remove it`),
		refuse("U+0000 in other texts", part(`"domain":"‸\u0000","data_source":"‸\u0000","context":"‸\u0000","note":"‸\u0000","reference":"‸\u0000"`),
			`‸ domain: \u0000 is not a character of a text; remove it`, `‸ data_source: \u0000 is not a character of a text; remove it`, `‸ context: \u0000 is not a character of a text; remove it`, `‸ note: \u0000 is not a character of a text; remove it`, `‸ reference: \u0000 is not a character of a text; remove it`,
		),
		refuse("half of a surrogate pair", source(`"x‸\ud800y"`), `‸ source: \ud800 is half of a surrogate pair, not a character; write the character itself, or both halves`),
		refuse("half of a surrogate pair in a translation", translations(`{"A":"‸\uDC00"}`), `‸ translations.A: \udc00 is half of a surrogate pair, not a character; write the character itself, or both halves`),
		refuse("half of a surrogate pair in a system", translations(`{"‸\udfff":"t"}`), `‸ translations: \udfff is half of a surrogate pair, not a character; write the character itself, or both halves`),

		refuse("a key twice", part(`"note":"a",‸"note":"a"`), "‸ note: given twice; keep one"),
		refuse("a key twice, once null", part(`"note":null,‸"note":"a"`), "‸ note: given twice; keep one"),
		refuse("a key twice, once escaped", part(`"note":"a",‸"n\u006fte":"b"`), "‸ note: given twice; keep one"),
		refuse("a system twice", translations(`{"A":"t","B":"u",‸"A":"v"}`), "‸ translations.A: given twice; keep one"),
		refuse("a system three times, once escaped", translations(`{"A":"t",‸"\u0041":"t",‸"A":"t"}`), "‸ translations.A: given twice; keep one", "‸ translations.A: given twice; keep one"),

		refuse("translations is a list", translations(`‸["t"]`), `‸ translations: must be an object such as {"name": …}, not an array`),
		refuse("no translations", translations(`‸{}`), "‸ translations: empty; give one translation by every system"),
		refuse("a translation is a number", translations(`{"A":‸1}`), `‸ translations.A: must be a text in double quotes, not a number; an empty translation is ""`),
		refuse("all translations are null", translations(`‸{"A":null,"B":null}`), "‸ translations: no translation by any system; leave the line out"),
		refuse("a name that has none twice", translations(`{"A":"","B":null,‸"B":null}`), "‸ translations.B: given twice; keep one"),
		refuse("null of a system that is not there", translations(`{"Birch":"t","Aster":"t",‸"Cedar":null}`), `‸ translations.Cedar: there is no system "Cedar"; the campaign's systems are "Aster", "Birch"`).under(ab),
		refuse("a system without a name", translations(`{‸"":"t"}`), "‸ translations: the name is empty"),
		refuse("a long name of a system", translations(`{‸"`+strings.Repeat("x", 201)+`":"t"}`), "‸ translations: the name has 201 bytes; at most 200 are allowed"),
		refuse("a control character in a system", translations(`{‸"a\u007f":"t"}`), `‸ translations: "a\x7f" has a control character in the name; remove it`),
		refuse("a system is missing", translations(`‸{"Birch":"t"}`), `‸ translations: no translation by "Aster"; give one by every system, "" if it is empty, null if there is none`).under(ab),
		refuse("an unknown system", translations(`{"Birch":"t","Aster":"t",‸"Cedar":"t"}`), `‸ translations.Cedar: there is no system "Cedar"; the campaign's systems are "Aster", "Birch"`).under(ab),
		refuse("other systems", translations(`‸{‸"aster":"t"}`),
			`‸ translations: no translation by "Aster", "Birch"; give one by every system, "" if it is empty, null if there is none`,
			`‸ translations.aster: there is no system "aster"; the campaign's systems are "Aster", "Birch"`,
		).under(ab),
		refuse("the systems of the first line", "\n"+good+"\n"+translations(`‸{‸"B":"t"}`)+"\n"+good,
			`‸ translations: no translation by "A"; give one by every system, "" if it is empty, null if there is none`,
			`‸ translations.B: there is no system "B"; those of line 2 are "A"`,
		),
		refuse("a bad first line does not bind", translations(`{"A":"t","B":"u",‸"B":"u"}`)+"\n"+good, "‸ translations.B: given twice; keep one"),

		refuse("another pair than the campaign's", part(`"source_lang":‸"en","target_lang":"zh"`), "‸ source_lang: the language pair of the campaign is zh-en, and the file has 1 line of en-zh; choose a file of its language pair, or a campaign of en-zh").under(Options{SourceLang: "zh", TargetLang: "en"}),
		refuse("another target", part(`"source_lang":"zh","target_lang":‸"fr"`), "‸ target_lang: the language pair of the campaign is zh-en, and the file has 1 line of zh-fr; choose a file of its language pair, or a campaign of zh-fr").under(Options{SourceLang: "zh", TargetLang: "en"}),
		refuse("another target, and no source", part(`"target_lang":‸"fr"`), "‸ target_lang: the language pair of the campaign is zh-en, and the file has 1 line of zh-fr; choose a file of its language pair, or a campaign of zh-fr").under(Options{SourceLang: "zh", TargetLang: "en"}),
		refuse("another pair beside the campaign's", part(`"source_lang":"zh","target_lang":"en"`)+"\n"+strings.Repeat(part(`"source_lang":"en","target_lang":"zh"`)+"\n", 3)+part(`"source_lang":"fr"`), "2:16: source_lang: the language pair of the campaign is zh-en, and beside 1 line of it the file has 3 lines of en-zh and 1 line of fr-en, the first here; name the language pair zh-en to leave these out (--language-pair zh-en on the command line)").under(Options{SourceLang: "zh", TargetLang: "en"}),
		refuse("a second pair in the file", "\n"+part(`"source_lang":"zh","target_lang":"en"`)+"\n"+part(`"source_lang":‸"en","target_lang":"zh"`), "‸ source_lang: the file has several language pairs: beside 1 line of zh-en it has 1 line of en-zh, the first here; import one pair at a time by naming it, zh-en or en-zh (--language-pair zh-en on the command line)"),
		refuse("no language tag", part(`"source_lang":‸"Chinese!"`), `‸ source_lang: "Chinese!" is not a language tag; use a language tag such as en, zh or pt-BR`),
		refuse("languages are numbers", part(`"source_lang":‸1,"target_lang":‸2`), "‸ source_lang: must be a text in double quotes, not a number", "‸ target_lang: must be a text in double quotes, not a number"),
		refuse("no language tag in a line that would be left out", part(`"source_lang":‸"?"`), `‸ source_lang: "?" is not a language tag; use a language tag such as en, zh or pt-BR`).under(Options{SourceLang: "zh", TargetLang: "en", Select: true}),

		refuse("several problems in a line, and one in another", `{"doc_id":‸"","source":‸"","translations":{"A":‸1}}`+"\n"+good+"\n{‸]",
			"1: segment_id: missing; give the id of the segment",
			"‸ doc_id: the id is empty",
			"‸ source: empty; give the source text",
			`‸ translations.A: must be a text in double quotes, not a number; an empty translation is ""`,
			"‸ not JSON: expected a key in double quotes, not ']'",
		),
	}
	for _, tt := range tests {
		tt.Run(t, refuseSegments("jsonl"))
	}
}

// One line has a limited number of problems, and further ones cost no time.
func TestManyProblemsInALine(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"segment_id":"s","source":"x","translations":{"A":"t"`)
	for range 900 {
		b.WriteString(`,"A":1`)
	}
	b.WriteString("}}")
	_, problems, _ := collect(Segments("jsonl", strings.NewReader(b.String()), Options{}))
	if len(problems) != maxProblems {
		t.Errorf("got %d problems, want %d", len(problems), maxProblems)
	}
	many := strings.Repeat(`"A":1,`, 1_000_000)
	_, problems, _ = collect(Segments("jsonl", strings.NewReader(`{"segment_id":"s","source":"x","translations":{`+many+`"A":1}}`), Options{}))
	if len(problems) != 1 || problems[0].Msg != "there are more than 1000 names, the most that is read; check that each of them is meant" {
		t.Errorf("got %v", problems)
	}
}

// Long values are cut in messages.
func TestLongValueInMessage(t *testing.T) {
	_, problems, _ := collect(Segments("jsonl", strings.NewReader(`{"source_lang":"`+strings.Repeat("é", 100_000)+`"}`), Options{}))
	if len(problems) != 1 || len(problems[0].Msg) > 250 {
		t.Errorf("got %v", problems)
	}
}
