package exchange

import (
	"fmt"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
)

// Items belong to a campaign if their pair is its pair, but for regions, and all have the same.
func TestPairing(t *testing.T) {
	for _, tt := range []struct {
		source, target string
		pairs          []string
		want           string // of each pair: taken, left or refused
	}{
		{"", "", []string{"en-de", "", "x", "en-it", "en-de"}, "[taken taken taken refused taken]"},
		{"en", "de", []string{"en-it", "en-de_AT", "en-de_CH"}, "[refused taken refused]"},
		{"en", "cs", []string{"eng_Latn---ces_Latn", "ces_Latn---eng_Latn"}, "[taken refused]"},
		{"en", "zh-Hant", []string{"eng_Latn---zho_Hans", "eng_Latn---zho_Hant"}, "[refused taken]"},
		{"en", "zh", []string{"eng_Latn---zho_Hans", "eng_Latn---zho_Hant"}, "[taken refused]"},
		{"en", "et", []string{"eng_Latn---ekk_Latn"}, "[taken]"},
	} {
		for _, chosen := range []bool{false, true} {
			p := Pairing{Options: ingest.Options{SourceLang: tt.source, TargetLang: tt.target, Select: chosen}}
			got := []string{}
			for _, pair := range tt.pairs {
				_, leave, problem := p.Of(pair, campaign.Problem{})
				switch {
				case problem != nil, leave && chosen:
					got = append(got, "refused")
				default:
					got = append(got, "taken")
				}
				if chosen && problem != nil || !chosen && leave {
					t.Errorf("%s: left out is %v, problem %v", pair, leave, problem)
				}
			}
			if fmt.Sprint(got) != tt.want {
				t.Errorf("%s-%s %q: got %v, want %s", tt.source, tt.target, tt.pairs, got, tt.want)
			}
		}
	}
	for name, want := range map[string]string{"eng_Latn---zho_Hans v3": "eng_Latn---zho_Hans", "my---campaign": "", "en-de": "", "": ""} {
		if got := NamedPair(name); got != want {
			t.Errorf("%q names %q, want %q", name, got, want)
		}
	}
}
