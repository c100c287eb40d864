package protocol

// sqm is Scalar Quality Metrics on five points, as used for the MENT data
// ("Beyond Literal Mapping", Fig. 9): one integer 0-4 for each translation.
// The criteria are that figure's, the wording is ours.
var sqm = &Protocol{
	ID:    "sqm",
	Name:  "SQM",
	About: "Give each translation one score from 0 to 4.",
	Scores: []Score{{
		Name: "sqm", Label: "Score", Min: 0, Max: 4,
		Levels: []Level{
			{0, "Meaning lost", "What the source knows or means is badly misunderstood or left out throughout; a reader would be told something else, or nothing."},
			{1, "Partly wrong", "Some part is badly misunderstood or left out, while other parts come through."},
			{2, "Understandable, but literal or skewed", "The gist can be followed, but the meaning is bent or words were carried over one by one where the source speaks figuratively."},
			{3, "Right, but not smooth", "Everything is understood correctly, idioms and allusions included; the wording is stiff, or has a small slip of grammar or register."},
			{4, "Right and natural", "Everything is understood correctly and said as a good writer of the target language would say it."},
		},
	}},
	Gate:          "sqm",
	GateByDefault: "on",
	Tolerance:     0.5,
	Guide: Guide{
		Intro: []string{
			"Read the source with the segments around it, then read every translation before you score the first one.",
			"The texts are full of slang, images and allusions. Ask first whether a translation says what the source means, not whether it repeats the source's words; then ask how well it is said.",
		},
		Hints: []string{
			"Score each translation by the criteria, not by its rank: all of them may deserve a 4, or none.",
			"Two translations with the same text deserve the same score.",
			"An empty translation has lost the meaning: 0.",
			"A good free rendering is worth more than a faithful string of words that misses the point.",
			"If the source itself is broken, or you can't judge it, report a problem instead of guessing.",
		},
	},
}
