package protocol

import "testing"

func TestCanonical(t *testing.T) {
	type names struct{ severity, category, subcategory string }
	tests := []struct {
		name, protocol string
		is, want       names
	}{
		{"as it is spelt", "mqm", names{"minor", "Fluency", "Spelling"}, names{"minor", "Fluency", "Spelling"}},
		{"without regard to case", "mqm", names{"MAJOR", "locale CONVENTION", "date Format"}, names{"major", "Locale convention", "Date format"}},
		{"in one", "mqm", names{"Minor", "accuracy/mistranslation", ""}, names{"minor", "Accuracy", "Mistranslation"}},
		{"in one, with an alias", "mqm", names{"minor", "Terminology/Inconsistent use of terminology", ""}, names{"minor", "Terminology", "Inconsistent use"}},
		{"an alias", "mqm", names{"minor", "Terminology", "inconsistent use of TERMINOLOGY"}, names{"minor", "Terminology", "Inconsistent use"}},
		{"a short alias", "mqm", names{"minor", "terminology", "inconsistent"}, names{"minor", "Terminology", "Inconsistent use"}},
		{"source issue", "mqm", names{"Minor", "Source issue", ""}, names{"minor", "Source error", ""}},
		{"non-translation", "mqm", names{"Major", "Non-translation!", ""}, names{"major", "Non-translation", ""}},
		{"a kind the protocol lacks", "mqm", names{"major", "Accuracy/Creative reinterpretation", ""}, names{"major", "Accuracy", "Creative reinterpretation"}},
		{"a category the protocol lacks", "mqm", names{"blocker", "Wit/Pun", ""}, names{"blocker", "Wit", "Pun"}},
		{"no name has a slash", "mqm", names{"minor", "A/B", "C"}, names{"minor", "A", "B/C"}},
		{"an alias holds in its own category only", "mqm", names{"minor", "Fluency", "Inconsistent"}, names{"minor", "Fluency", "Inconsistent"}},
		{"nothing", "mqm", names{}, names{}},
		{"ESA", "esa", names{"Minor", "", ""}, names{"minor", "", ""}},
		{"ESA missing punctuation", "esa", names{"MINOR", "", "Missing Punctuation"}, names{"minor", "", "missing punctuation"}},
		{"RATE", "rate", names{"4", "do-not-translate", ""}, names{"4", "Do not translate", ""}},
		{"RATE names", "rate", names{"4", "named entities", ""}, names{"4", "Named entity", ""}},
		{"RATE missing punctuation in one", "rate", names{"2", "grammar/Missing punctuation", ""}, names{"2", "Grammar", "missing punctuation"}},
		{"RATE missing punctuation, changed", "rate", names{"2", "style", "missing Punctuation"}, names{"2", "Style", "missing punctuation"}},
		{"SQM has no spans", "sqm", names{"Minor", "A/B", ""}, names{"Minor", "A/B", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := ErrorSpan{
				ID: "a", Side: Source, Start: 1, End: 2, Text: "的", Comment: "c", Link: "b",
				Severity: tt.is.severity, Category: tt.is.category, Subcategory: tt.is.subcategory,
			}
			got := lookup(t, tt.protocol).Canonical(s)
			want := s
			want.Severity, want.Category, want.Subcategory = tt.want.severity, tt.want.category, tt.want.subcategory
			if !got.Equal(want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
			if again := lookup(t, tt.protocol).Canonical(got); !again.Equal(got) {
				t.Errorf("a second time it is %+v", again)
			}
		})
	}
}

// TestCanonicalEverything: each name of each protocol is found in capitals, by
// its aliases, and in one word with the category above it.
func TestCanonicalEverything(t *testing.T) {
	for _, id := range []string{"esa", "mqm", "rate"} {
		p := lookup(t, id)
		for _, v := range p.Spans.Severities {
			if got := p.Canonical(ErrorSpan{Severity: upper(v.ID)}); got.Severity != v.ID {
				t.Errorf("%s: %s became %s", id, upper(v.ID), got.Severity)
			}
		}
		for _, c := range p.Spans.Categories {
			for _, name := range append(c.Aliases, c.Name) {
				if got := p.Canonical(ErrorSpan{Category: upper(name)}); got.Category != c.Name || got.Subcategory != "" {
					t.Errorf("%s: %s became %s/%s", id, upper(name), got.Category, got.Subcategory)
				}
				for _, sub := range c.Sub {
					for _, below := range append(sub.Aliases, sub.Name) {
						if got := p.Canonical(ErrorSpan{Category: upper(name + "/" + below)}); got.Category != c.Name || got.Subcategory != sub.Name {
							t.Errorf("%s: %s/%s became %s/%s", id, name, below, got.Category, got.Subcategory)
						}
					}
				}
			}
		}
	}
}
