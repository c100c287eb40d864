package campaign

// MaxMessage is the largest length of a message between a lead and an annotator, in code points.
const MaxMessage = 4000

// MaxReason is the largest length of the reason that a person gives for an act, in code points.
const MaxReason = 1000
