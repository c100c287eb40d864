package setup

import "testing"

// TestSamplePair: a language without a sample text is not shown as the other language of the pair.
func TestSamplePair(t *testing.T) {
	for pair, want := range map[[2]string]string{
		{"", ""}: "en-de", {"de", "pl"}: "de-en", {"ja", "en"}: "de-en", {"en", "pl"}: "en-de", {"pt-BR", "de"}: "en-de", {"zh", "en_GB"}: "zh-en", {"he", "cs"}: "ar-de",
	} {
		source, target := samplePair(pair[0], pair[1])
		if got := source.lang + "-" + target.lang; got != want {
			t.Errorf("the sample for %q is %s, want %s", pair, got, want)
		}
	}
}
