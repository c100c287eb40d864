package mtme

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
)

// twoLines is a test set with two segments of one system, and further files.
func twoLines(more map[string]string) map[string]string {
	files := map[string]string{"sources/en-de.txt": "one\ntwo\n", "system-outputs/en-de/A.txt": "eins\nzwei\n"}
	for name, text := range more {
		files["human-scores/en-de."+name] = text
	}
	return files
}

// judged lists the ratings and human scores of a campaign.
func judged(segments []campaign.Segment) (out []string) {
	for _, s := range segments {
		for _, t := range s.Translations {
			for _, r := range t.Ratings {
				out = append(out, fmt.Sprintf("%s %s %v %d", s.SegmentID, r.Annotator, r.Scores, len(r.Spans)))
			}
			for _, h := range t.HumanScores {
				out = append(out, fmt.Sprintf("%s %s=%v", s.SegmentID, h.Name, h.Score))
			}
		}
	}
	return out
}

// TestEnteredScores finds the scores of ratings under protocols that ask for them.
func TestEnteredScores(t *testing.T) {
	const one, none, clean = `A	{"errors":[{"start":0,"end":1,"severity":"minor"}]}` + "\n", "A\tNone\n", `A	{"errors":[]}` + "\n"
	const rate = `A	{"errors":[{"start":0,"end":1,"severity":3,"category":"Style"}]}` + "\n"
	for name, tt := range map[string]struct {
		protocol string
		files    map[string]string
		want     []string
		note     string // the beginning of the only note; empty: there is none
	}{
		"one rater": {"esa", map[string]string{"esa.seg.rating": one + none, "esa.seg.score": "A 80\nA None\n"}, []string{"1 esa map[score:80] 1", "1 esa=80"}, ""},
		"two campaigns": {"esa", map[string]string{"esa-human1.seg.rating": one + clean, "esa-human1.seg.score": "A 80\nA 100\n", "esa-human2.seg.rating": none + one, "esa-human2.seg.score": "A None\nA 60\n", "esa.seg.score": "A 80\nA 80\n"},
			[]string{"1 esa-human1 map[score:80] 1", "1 esa=80", "1 esa-human1=80", "2 esa-human1 map[score:100] 0", "2 esa-human2 map[score:60] 1", "2 esa=80", "2 esa-human1=100", "2 esa-human2=60"}, ""},
		"two raters, a mean": {"esa", map[string]string{"esa.r1.seg.rating": one + clean, "esa.r2.seg.rating": clean + none, "esa.seg.score": "A 75\nA 90\n"},
			[]string{"1 esa=75", "2 r1 map[score:90] 0", "2 esa=90"}, "2 ratings without the scores that ESA asks for, left out with their errors; human scores remain, first at sources/en-de.txt:1"},
		"two raters, their scores": {"esa", map[string]string{"mqm.A.seg.rating": "A\t{\"errors\":[]}\tlin\n" + none, "mqm.B.seg.rating": one + one, "esa.A.seg.score": "A 70\nA None\n", "esa.B.seg.score": "A 80\nA 10\n", "esa.seg.score": "A 75\nA 10\n", "esa-z.seg.score": "A 1\nA 0\n", "mqm.seg.score": "A -0.5\nA -1\n"},
			[]string{"1 B map[score:80] 1", "1 lin map[score:70] 0", "1 esa=75", "1 mqm=-0.5", "2 B map[score:10] 1", "2 esa=10", "2 mqm=-1"}, ""},
		"not a whole number": {"esa", map[string]string{"esa.seg.rating": one + clean, "esa.seg.score": "A 80.5\nA 7\n"}, []string{"1 esa=80.5", "2 esa map[score:7] 0", "2 esa=7"}, "1 rating with scores that ESA does not allow"},
		"no scores":          {"esa", map[string]string{"esa.seg.rating": one + clean}, nil, "2 ratings without the scores that ESA asks for"},
		"several scores": {"rate", map[string]string{"rate.A.seg.rating": rate + none, "rate-mqm.A.seg.rating": rate + none, "rate-accuracy.A.seg.score": "A 80\nA None\n", "rate-fluency.A.seg.score": "A 70\nA None\n", "rate-esa.seg.score": "A 75\nA None\n"},
			[]string{"1 A map[accuracy:80 fluency:70] 1", "1 rate-esa=75"}, ""},
		"no spans":             {"sqm", map[string]string{"sqm.A.seg.score": "A 3\nA None\n", "sqm.B.seg.score": "A 4\nA 2\n", "sqm.seg.score": "A 3.5\nA 2\n"}, []string{"1 A map[sqm:3] 0", "1 B map[sqm:4] 0", "1 sqm=3.5", "2 B map[sqm:2] 0", "2 sqm=2"}, ""},
		"no score of sqm":      {"sqm", map[string]string{"sqm.A.seg.score": "A 3.5\nA 9\n", "mqm.seg.rating": one + one}, nil, "1 file with ratings of another kind than those of SQM left out"},
		"another kind":         {"mqm", map[string]string{"esa.seg.rating": one + one, "mqm.seg.rating": one + one}, []string{"1 mqm map[] 1", "2 mqm map[] 1"}, `1 file with ratings of another kind than those of MQM left out, first at human-scores/en-de.esa.seg.rating: "human-scores/en-de.esa.seg.rating"`},
		"the only kind":        {"mqm", map[string]string{"x.seg.rating": one + none}, []string{"1 x map[] 1"}, ""},
		"twice, and the same":  {"mqm", map[string]string{"mqm.merged.seg.rating": "A\t{\"errors\":[]}\tr1\n" + none, "mqm.r1.seg.rating": clean + none}, []string{"1 r1 map[] 0"}, ""},
		"twice, and different": {"mqm", map[string]string{"mqm.merged.seg.rating": "A\t{\"errors\":[]}\tr1\n" + none, "mqm.r1.seg.rating": one + none}, []string{"1 r1 map[] 0"}, "1 rating by an annotator whose rating of the same translation is in another file, of which the first counts"},
	} {
		got, notes, problems := readAll(inMemory(twoLines(tt.files)), lookup(t, tt.protocol), ingest.Options{})
		if len(problems) > 0 || !reflect.DeepEqual(judged(got), tt.want) {
			t.Errorf("%s: %q, problems %q, want %q", name, judged(got), problems, tt.want)
		}
		switch {
		case name == "no score of sqm": // has a second note
			if len(notes) != 2 || !strings.HasPrefix(notes[1], "2 scores of raters that are no ratings of SQM, left out, first at sources/en-de.txt:1") {
				t.Errorf("%s: notes %q", name, notes)
			}
		case tt.note == "" && len(notes) > 0, tt.note != "" && (len(notes) != 1 || !strings.HasPrefix(notes[0], tt.note)):
			t.Errorf("%s: notes %q, want %q", name, notes, tt.note)
		}
	}
	for want, names := range map[string][]string{"esa": {"mqm.A.seg.rating", "esa.A.seg.score"}, "mqm": {"mqm.merged.seg.rating", "wmt.z.seg.score"}, "": {"wmt.z.seg.score", "mqm.seg.score"}, "sqm": {"sqm.B.seg.score"}, "rate": {"rate.A.seg.rating", "rate-fluency.A.seg.score"}} {
		files := map[string]string{}
		for _, name := range names {
			files[name] = ""
		}
		if id, err := Format.Of(inMemory(twoLines(files)), ingest.Options{}); id != want || err != nil {
			t.Errorf("%v is of %q, %v; want %q", names, id, err, want)
		}
	}
}

// TestPairs chooses among test sets and language pairs.
func TestPairs(t *testing.T) {
	files := twoLines(nil)
	files["sources/en-cs_CZ.txt"], files["system-outputs/en-cs_CZ/B.jsonl"] = "one\n", `{"hypothesis": "jedna", "x": 1}`+"\n"
	files["sources/zh-en.txt"] = "without outputs\n"
	for _, tt := range []struct {
		opt           ingest.Options
		want, problem string
		notes         int
	}{
		{ingest.Options{}, "", "set.zip: there are several language pairs: en-cs_CZ and en-de; choose one (--language-pair en-cs_CZ on the command line)", 0},
		{ingest.Options{SourceLang: "en", TargetLang: "DE"}, "en-de A eins", "", 1},
		{ingest.Options{SourceLang: "en", TargetLang: "cs-CZ", Select: true}, "en-cs_CZ B jedna", "", 1},
		{ingest.Options{SourceLang: "zh", TargetLang: "en"}, "", "set.zip: there is no language pair zh-en; there are en-cs_CZ and en-de; give the folder that has it, or import into a campaign of such languages", 2},
	} {
		got, notes, problems := readAll(inMemory(files), lookup(t, "mqm"), tt.opt)
		said := ""
		if len(got) > 0 {
			s := got[0]
			said = s.SourceLang + "-" + s.TargetLang + " " + s.Translations[0].System + " " + s.Translations[0].Text
		}
		if said != tt.want || strings.Join(problems, "") != tt.problem {
			t.Errorf("%+v: %q, problems %q, notes %q", tt.opt, said, problems, notes)
		}
	}
	two := small()
	two["other/sources/en-de.txt"], two["other/system-outputs/en-de/A.txt"] = "x\n", "y\n"
	if _, _, problems := readAll(inMemory(two), lookup(t, "mqm"), ingest.Options{}); len(problems) != 1 || !strings.Contains(problems[0], "several test sets: other and wmt; give the folder of one") {
		t.Errorf("problems %q", problems)
	}
	for _, name := range []string{"sources/en-de.txt", "system-outputs/en-de/A.txt"} {
		files := twoLines(map[string]string{"mqm.seg.score": "A 1\nA 2\n"})
		delete(files, name)
		if Format.Is(headsOf(inMemory(files))) {
			t.Errorf("files without %s are recognised", name)
		}
		if _, _, problems := readAll(inMemory(files), lookup(t, "mqm"), ingest.Options{}); len(problems) != 1 || !strings.Contains(problems[0], "there is no test set") {
			t.Errorf("without %s: %q", name, problems)
		}
	}
}

// TestRefuses has wrong files, and what is said of them.
func TestRefuses(t *testing.T) {
	const score, ratings = "wmt/human-scores/en-de.mqm.seg.score", "wmt/human-scores/en-de.mqm.merged.seg.rating"
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	for _, tt := range []struct {
		file, text string
		want       []string // the beginnings of the problems
	}{
		{"wmt/system-outputs/en-de/A.txt", "a\nb\n", []string{"wmt/system-outputs/en-de/A.txt:3: the file has 2 lines, and wmt/sources/en-de.txt has 3"}},
		{"wmt/references/en-de.refB.txt", "a\nb\nc\nd\n", []string{"wmt/references/en-de.refB.txt:4: the file has 4 lines, and wmt/sources/en-de.txt has 3"}},
		{"wmt/documents/en-de.docs", "a b\n", []string{"wmt/documents/en-de.docs:2: the file has 1 line, and wmt/sources/en-de.txt has 3"}},
		{"wmt/documents/en-de.docs", "a b\na \x01\na b\n", []string{`wmt/documents/en-de.docs:2: document: "\x01" has a control character in the name; remove it`}},
		{"wmt/system-outputs/en-de/A.txt", "a\xff\nb\nc\n", []string{"wmt/system-outputs/en-de/A.txt:1:2: byte 0xFF is not UTF-8"}},
		{"wmt/system-outputs/en-de/A.txt", "eins: ab\nb\x00\nc\n", []string{"wmt/system-outputs/en-de/A.txt:2:2: a text has the character U+0000"}},
		{"wmt/system-outputs/en-de/\u0001.txt", "a\nb\nc\n", []string{`wmt: "\x01" has a control character in the system's name in front of the ending of a file; remove it`}},
		{"wmt/references/en-de.\xff.txt", "a\nb\nc\n", []string{`wmt: the name of the reference "\xff" is not UTF-8; rename its file`}},
		{score, "A\t1\nA\tNaN\n", []string{score + `:2:3: score: "NaN" is no score`}},
		{score, "A\t1\n", []string{score + `:1: system "A" has 1 score and needs 3`}},
		{score, "C\t1\n", []string{score + `:1: there is no system "C"`}},
		{"wmt/metric-scores/en-de/BLEU-refA.sys.score", "A\t1\nA\t2\n", []string{`wmt/metric-scores/en-de/BLEU-refA.sys.score:2: this is a second score of system "A"`}},
		{ratings, "", []string{ratings + ": the file has no ratings"}},
		{ratings, "A\tNone\nA None\n", []string{ratings + `:2: the line must have a system, a tab, and {"errors": […]} or None`}},
		{ratings, "A\tNone\tr\tx\n", []string{ratings + ":1: the line must have"}},
		{ratings, "C\tNone\n", []string{ratings + `:1: there is no system "C" in system-outputs/en-de, which has "A", "B.b", "refA"`}},
		{ratings, "A\tNone\nA\tNone\n", []string{ratings + `:2: system "A" has 2 lines and needs 3, one for each segment in wmt/sources/en-de.txt`}},
		{ratings, strings.Repeat("A\tNone\n", 4), []string{ratings + `:4: system "A" has more ratings than the 3 segments in wmt/sources/en-de.txt`}},
		{ratings, "A\t{\nA\t[]\nA\t{}\n", []string{
			ratings + ":1:4: not JSON: the line ends in the middle", ratings + ":2:3: must be an object, not an array", ratings + ":3: errors: missing; give []"}},
		{ratings, "A\t{\"errors\": 1}\nA\t{\"errors\": [], \"errors\": []}\nA\t" + deep + "\n", []string{
			ratings + ":1:14: errors: must be an array", ratings + ":2:18: errors: given twice", ratings + ":3:203: not JSON: more than 200 levels"}},
		{ratings, `A	{"errors": [{"start": 5, "end": 8, "severity": "minor"}]}` + "\nA\t{\"errors\": [{\"start\": 0, \"end\": 0}]}\nA\t{\"errors\": [{\"start\": -1, \"end\": 0.5, \"severity\": \"x\"}]}\n", []string{
			ratings + ":1:15: errors[0].end: 8 lies outside the translation, which has 8 characters", ratings + ":2:15: errors[0].severity: missing", ratings + ":3:25: errors[0].start: must be a whole number", ratings + ":3:36: errors[0].end: must be a whole number"}},
		{ratings, "A\t{\"errors\": []}\tr 1\nA\tNone\nA\tNone\n", []string{ratings + `:1: rater: "r 1" can't be an annotator`}},
		{"wmt/human-scores/en-de.mqm.r#1.seg.rating", "A\t{\"errors\": []}\nA\tNone\nA\tNone\n", []string{`wmt/human-scores/en-de.mqm.r#1.seg.rating:1: rater: "r#1" can't be an annotator`}},
	} {
		files := small()
		files[tt.file] = tt.text
		if tt.file == ratings && strings.Contains(tt.text, `"end": 8,`) {
			files[ratings] = strings.Replace(tt.text, `"end": 8,`, `"end": 9,`, 1)
			tt.want[0] = strings.Replace(tt.want[0], ": 8 lies", ": 9 lies", 1)
		}
		_, _, problems := readAll(inMemory(files), lookup(t, "mqm"), ingest.Options{})
		if len(problems) != len(tt.want) || slices.ContainsFunc(tt.want, func(want string) bool {
			return !slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, want) })
		}) {
			t.Errorf("%s %q:\n%s\nwant\n%s", tt.file, wordsOf(tt.text), strings.Join(problems, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

func wordsOf(text string) string { return text[:min(len(text), 100)] }
