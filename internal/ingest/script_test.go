package ingest

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
)

// TestSample: there is a warning for texts in a script that their language does not use, but
// not for names and words of other languages within a text.
func TestSample(t *testing.T) {
	for _, tt := range []struct {
		source, target, from, to string
		want                     []string // parts of the warnings
	}{
		{"en", "de", "This is an English sentence.", "Dies ist ein deutscher Satz.", nil},
		{"en", "de", "Это русское предложение, не английское.", "Dies ist ein deutscher Satz.", []string{"the sources are in Cyrillic letters"}},
		{"en", "zh", "This is an English sentence.", "This is an English sentence too.", []string{"the translations are in Latin letters"}},
		{"zh", "en", "This is an English sentence.", "这是一个中文句子，不是英文的，这是一个中文句子。", []string{"the sources are in Latin", "the translations are in Han"}},
		{"ja", "ko", "これは日本語の文章です。カタカナもあります。", "이것은 한국어 문장입니다. 漢字도 있습니다. 또 있습니다.", nil},
		{"zh-Hant", "en", "這是一個中文句子 by Apple，不是英文的句子，謝謝你。", "It is by 王小明 of Beijing University.", nil},
		{"sr", "he", "Ovo je rečenica na srpskom jeziku.", "זהו משפט בעברית שאורכו מספיק לבדיקה", nil},
		{"", "", "Это русское предложение.", "x", nil},
		{"en", "de", "Да", "Да", nil}, // too little to tell
	} {
		var s Sample
		s.Add(campaign.SegmentLine{Segment: campaign.Segment{SourceLang: tt.source, TargetLang: tt.target, Source: tt.from, Translations: []campaign.Translation{{System: "A", Text: tt.to}}}})
		got := s.Warnings()
		if len(got) != len(tt.want) {
			t.Errorf("%s-%s %q: got %q", tt.source, tt.target, tt.from, got)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], tt.want[i]) {
				t.Errorf("%s-%s %q: got %q, want %s", tt.source, tt.target, tt.from, got[i], tt.want[i])
			}
		}
	}
}
