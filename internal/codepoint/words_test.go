package codepoint

import "testing"

func TestWords(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " \n\t… – !": 0, "don't go, 3 of 4.5 m": 6, "Straße\u00adn-bahn": 2, "这波操作": 4, "مرحبا بالعالم": 2, "שלום, עולם!": 2, "👏 well": 1,
	} {
		if got := Words(text); got != want {
			t.Errorf("%q has %d words, want %d", text, got, want)
		}
	}
}
