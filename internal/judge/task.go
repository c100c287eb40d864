package judge

// A Task is what a machine judges: one translation, for a method with PerSource all translations of
// one source, and for a method with OfSource the source.
type Task struct {
	SourceLang, TargetLang string // names of the languages in English, e.g. "German"
	Source                 string
	Translations           []string
	Reference              string // a human translation; empty if there is none
	Term, Explication      string // a term of the source and what it means, for acre

	Variant string // the name of one of Method.Variants; empty for the default
	// Retries is how often an unreadable reply is asked for again. A negative number sets no limit.
	Retries   int
	Search    bool               // a search engine is at hand
	Threshold *float64           // himate: a finding less certain than this is discussed; nil: every finding is
	MaxRounds int                // rate: rounds of the core agent before the forced one; 0 means 10
	Weights   map[string]Weights // acre: by protocol, "A" or "B"; where one is missing, 0.5 and 0.5
}

// Weights weigh fidelity and clarity in the score of acre (Han et al. 2026, Eq. 2).
type Weights struct {
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
}

// translation is the one translation of the task.
func (t Task) translation() string { return t.Translations[0] }

// values are the fields of a task by the names that prompts use.
func (t Task) values(translation string) values {
	return values{
		"source_lang": t.SourceLang, "target_lang": t.TargetLang, "source": t.Source, "translation": translation,
		"reference": t.Reference,
	}
}
