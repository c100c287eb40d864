package ingest

import "testing"

func TestSameLang(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"zh", "zh", true}, {"Zh", "zH", true}, {"pt-BR", "pt_br", true}, {"zh", "en", false}, {"zh", "zh-CN", false}, {"", "zh", false},
	} {
		if got := SameLang(tt.a, tt.b); got != tt.want {
			t.Errorf("SameLang(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}

func TestParseLanguagePair(t *testing.T) {
	tests := []struct {
		pair, source, target string // of the campaign
		wantSource           string // empty: refused
		wantTarget           string
	}{
		{"zh-en", "", "", "zh", "en"},
		{"Zh-En", "", "", "Zh", "En"},
		{"zh_CN-en_US", "", "", "zh_CN", "en_US"},
		{"zh-en", "fr", "de", "zh", "en"}, // another pair than the campaign's is for the caller to refuse
		{"pt-BR-en", "", "", "pt-BR", "en"},
		{"en-pt-BR", "", "", "en", "pt-BR"},
		{"en-zh-Hans-CN", "", "", "en", "zh-Hans-CN"},
		{"en-US-pt-BR", "", "", "en-US", "pt-BR"},
		{"pt-br-en", "", "", "pt-br", "en"}, // there is no br-en
		{"pt-br-de", "", "", "", ""},
		{"pt-br-de", "pt-BR", "de", "pt-br", "de"},
		{"pt-br-de", "pt", "br-de", "pt", "br-de"},
		{"pt-BR-en", "pt_br", "EN", "pt-BR", "en"},
		{"pt_br-en", "", "", "pt_br", "en"},
		{"", "", "", "", ""},
		{"zh", "", "", "", ""},
		{"zh-", "", "", "", ""},
		{"-en", "", "", "", ""},
		{"中-en", "", "", "", ""},
		{"zh en", "", "", "", ""},
	}
	for _, tt := range tests {
		source, target, err := ParseLanguagePair(tt.pair, tt.source, tt.target)
		if source != tt.wantSource || target != tt.wantTarget || (err != nil) != (tt.wantSource == "") {
			t.Errorf("%q for %s-%s: got %q, %q, %v; want %q, %q", tt.pair, tt.source, tt.target, source, target, err, tt.wantSource, tt.wantTarget)
		}
	}
}
