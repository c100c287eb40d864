package readmodel

// A JudgeForecast estimates the calls and tokens of a run of a judge.
type JudgeForecast struct {
	Judge                  string
	Object                 string // what the judge judges: translation or source; the fields that count translations count these
	Segments, Translations int    // that the run is to judge
	Skipped                int    // translations that the method can't judge
	Lacks                  string // name of the field that the segments of skipped translations lack
	// Kept is the number of calls that the run needs not make, since their replies are stored.
	Kept int
	// Least, Usual and Most are numbers of calls to the model, without retries and without those of Kept.
	Least, Usual, Most int
	// InputTokens and OutputTokens are estimates for the usual number of calls. They come
	// from the judge's calls so far if there are any. Otherwise the input is estimated from
	// the length of the first prompts, and each reply is assumed to have AssumedOutput tokens.
	InputTokens, OutputTokens int64
	// Measured reports whether the estimates come from the judge's calls so far.
	Measured bool
}

// AssumedOutput is the number of tokens that a forecast assumes for a reply of a judge that has none.
const AssumedOutput = 200
