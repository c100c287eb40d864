package campaign

import (
	"math"
	"strings"

	"annotate/internal/agreement"
	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// slack is what a comparison of a share or of a difference allows for rounding.
const slack = 1e-9

// A TrainingAnswer is what a lead answers for a training segment.
type TrainingAnswer struct {
	// Ratings are the lead's ratings, by the id of the translation.
	Ratings map[string]protocol.Rating
	// Tolerance is the largest difference of a score from the lead's that is right, in points.
	Tolerance float64
}

// DefaultTolerance returns the tolerance of training scores unless a lead sets another one: a tenth
// of the longest scale of the protocol, and at least 1 point.
func DefaultTolerance(p *protocol.Protocol) float64 {
	return max(1, math.Round(longestScale(p)/10))
}

// longestScale is the length of the longest scale of a protocol, 0 without entered scores.
func longestScale(p *protocol.Protocol) float64 {
	longest := 0.0
	for _, s := range p.Scores {
		longest = max(longest, s.Length())
	}
	return longest
}

// A Feedback compares a rating of a training segment with the lead's answer, for one translation.
type Feedback struct {
	TranslationID string
	Scores        []ScoreFeedback // in the order of the protocol
	// Answers are in the order of the protocol.
	Answers []AnswerFeedback `json:",omitempty"`
	Marks   []MarkFeedback   // the given ones by place in the rating, then the missed ones
	// Value is the share that is right, in [0, 1]. See [JudgeTraining].
	Value float64
}

// A ScoreFeedback compares one entered score with the lead's.
type ScoreFeedback struct {
	Name          string
	Given, Answer float64
	Tolerance     float64 // in points
	Right         bool
}

// An AnswerFeedback compares the answer to a question with the lead's answer, if the answers are not numbers. Answers
// are in words, and a candidate is given by its text.
type AnswerFeedback struct {
	Name          string
	Given, Answer string  // empty if the annotator did not answer the question
	Judged        bool    // texts are shown and not judged, because several may be right
	Part          float64 // in [0, 1] if Judged; see [JudgeTraining]
}

// A MarkVerdict says how an error span compares with the lead's.
type MarkVerdict string

// The verdicts on the marks of a training rating.
const (
	MarkFound       MarkVerdict = "found"       // the lead has marked it with the same severity
	MarkSeverity    MarkVerdict = "severity"    // the lead has marked it with another severity
	MarkSuperfluous MarkVerdict = "superfluous" // the lead has not marked it
	MarkMissed      MarkVerdict = "missed"      // only the lead has marked it
)

// A MarkFeedback is an error span that the annotator has given, the lead's answer has, or both.
type MarkFeedback struct {
	Verdict MarkVerdict
	Given   *protocol.ErrorSpan `json:",omitempty"` // nil if the verdict is MarkMissed
	Answer  *protocol.ErrorSpan `json:",omitempty"` // nil if the verdict is MarkSuperfluous
}

// JudgeTraining compares the rating of a translation with the lead's answer. The result has
// these parts, each from 0 to 1, and Value is their mean:
//
//   - Each score of the protocol that the answer has is one part. It is 1 if the given score
//     differs from the lead's by at most the tolerance, otherwise 0. A score that is not given
//     is 0.
//   - Each question with one choice or candidate that the lead was asked and answered is one part: 1 if the answer is the
//     lead's, otherwise 0. If a choice may have several options, the part is 2s / (g + a), where s is the number of options
//     that both chose, and g and a the numbers of options given and of the lead's; 1 if both chose none. Texts are no part.
//   - If errors are marked under the protocol, all marks together are one part. A mark matches
//     one of the lead's on the same side if the characters that they share are at least half of
//     each ([agreement.Pairs] with [agreement.Theta]); each mark matches at most one other. A
//     match counts 1 with the same severity and 1/2 with another one. Categories are shown, but
//     not judged. If f is the sum over all matches, and g and a are the numbers of marks given
//     and of the lead's, the part is 2f / (g + a). It is 1 if neither has a mark.
//
// Value is 1 if the answer has no part.
//
// candidates are the texts of the segment's candidates, by name.
func JudgeTraining(p *protocol.Protocol, given, answer protocol.Rating, tolerance float64, candidates map[string]string) Feedback {
	var f Feedback
	var parts []float64
	for _, s := range p.Scores {
		want, ok := answer.Scores[s.Name]
		if !ok {
			continue
		}
		got, isGiven := given.Scores[s.Name]
		right := isGiven && math.Abs(got-want) <= tolerance+slack
		f.Scores = append(f.Scores, ScoreFeedback{Name: s.Name, Given: got, Answer: want, Tolerance: tolerance, Right: right})
		part := 0.0
		if right {
			part = 1
		}
		parts = append(parts, part)
	}
	for _, q := range p.Asks() {
		want, answered := answer.Answers[q.Name]
		got, isGiven := given.Answers[q.Name]
		if !(answered && p.Asked(q, answer)) && !(isGiven && p.Asked(q, given)) {
			continue
		}
		a := AnswerFeedback{Name: q.Name, Given: answerWords(q, got, isGiven, candidates),
			Answer: answerWords(q, want, answered, candidates), Judged: answered && q.Kind != protocol.Text}
		if a.Judged {
			a.Part = alike(got, want, isGiven)
			parts = append(parts, a.Part)
		}
		f.Answers = append(f.Answers, a)
	}
	if p.Spans != nil {
		f.Marks = judgeMarks(given.Spans, answer.Spans)
		parts = append(parts, f.Tally().Part())
	}
	f.Value = 1
	if len(parts) > 0 {
		f.Value = stat.Mean(parts)
	}
	return f
}

// answerWords is an answer in words, empty if there is none.
func answerWords(q protocol.Question, a protocol.Answer, given bool, candidates map[string]string) string {
	if text, ok := candidates[a.Text]; ok && q.Kind == protocol.Candidate {
		return text
	}
	if !given {
		return ""
	}
	return q.Words(a)
}

// alike is the part of [JudgeTraining] that an answer makes.
func alike(got, want protocol.Answer, given bool) float64 {
	if want.Several == nil {
		if given && got.Equal(want) {
			return 1
		}
		return 0
	}
	if len(got.Several)+len(want.Several) == 0 {
		return 1
	}
	both := 0
	for _, value := range got.Several {
		if want.Has(value) {
			both++
		}
	}
	return 2 * float64(both) / float64(len(got.Several)+len(want.Several))
}

// A MarkTally counts the marks of a rating and of the lead's answer by their verdicts.
type MarkTally struct{ Found, Severity, Superfluous, Missed int }

// Tally counts the marks that were compared.
func (f Feedback) Tally() (t MarkTally) {
	for _, m := range f.Marks {
		switch m.Verdict {
		case MarkFound:
			t.Found++
		case MarkSeverity:
			t.Severity++
		case MarkSuperfluous:
			t.Superfluous++
		case MarkMissed:
			t.Missed++
		}
	}
	return t
}

// Given is the number of marks that the annotator has given.
func (t MarkTally) Given() int { return t.Found + t.Severity + t.Superfluous }

// Answer is the number of marks of the lead.
func (t MarkTally) Answer() int { return t.Found + t.Severity + t.Missed }

// Matched is the sum over all matches: 1 for each with the same severity, and 1/2 for each with another one.
func (t MarkTally) Matched() float64 { return float64(t.Found) + float64(t.Severity)/2 }

// Part is the part of [JudgeTraining] that the marks make, in [0, 1].
func (t MarkTally) Part() float64 {
	if t.Given()+t.Answer() == 0 {
		return 1
	}
	return 2 * t.Matched() / float64(t.Given()+t.Answer())
}

// judgeMarks returns the verdicts on marks.
func judgeMarks(given, answer []protocol.ErrorSpan) (marks []MarkFeedback) {
	of := make([]int, len(given)) // the index of the lead's mark + 1; 0 if there is none
	found := make([]bool, len(answer))
	for _, pair := range agreement.Pairs(places(given), places(answer), agreement.Theta) {
		of[pair[0]], found[pair[1]] = pair[1]+1, true
	}
	for i := range given {
		m := MarkFeedback{Verdict: MarkSuperfluous, Given: &given[i]}
		if of[i] > 0 {
			m.Answer, m.Verdict = &answer[of[i]-1], MarkFound
			if m.Answer.Severity != m.Given.Severity {
				m.Verdict = MarkSeverity
			}
		}
		marks = append(marks, m)
	}
	for i := range answer {
		if !found[i] {
			marks = append(marks, MarkFeedback{Verdict: MarkMissed, Answer: &answer[i]})
		}
	}
	return marks
}

// places returns the places of error spans, without their severities.
func places(spans []protocol.ErrorSpan) []agreement.Span {
	out := make([]agreement.Span, len(spans))
	for i, s := range spans {
		out[i] = agreement.Span{Side: string(s.Side), Start: s.Start, End: s.End}
	}
	return out
}

// JudgeSegment is [JudgeTraining] for each translation of a training segment that the answer has a
// rating of. given is by the id of the translation; order lists the ids in the order of the
// result.
func (a TrainingAnswer) JudgeSegment(p *protocol.Protocol, given map[string]protocol.Rating, order []string, candidates map[string]string) []Feedback {
	var out []Feedback
	for _, id := range order {
		answer, ok := a.Ratings[id]
		if !ok {
			continue
		}
		f := JudgeTraining(p, given[id], answer, a.Tolerance, candidates)
		f.TranslationID = id
		out = append(out, f)
	}
	return out
}

// Value is the mean of the values of some translations; 1 if there are none.
func Value(all []Feedback) float64 {
	if len(all) == 0 {
		return 1
	}
	values := make([]float64, len(all))
	for i, f := range all {
		values[i] = f.Value
	}
	return stat.Mean(values)
}

// TrainingRules say what the annotators of a campaign must do before they get work.
type TrainingRules struct {
	Required bool // a lead has switched the training on
	// Everyone says that members who had rated before the training was switched on must train
	// too.
	Everyone bool
	Segments int     // training segments that have an answer
	Share    float64 // least share of an attempt that qualifies, in [0, 1]
	Attempts int     // attempts of each annotator, unless a lead gives more
}

// A TrainingAttempt is one go of an annotator at the training set.
type TrainingAttempt struct {
	Number   int     // from 1
	Done     int     // segments submitted
	Finished bool    // every segment of the set was submitted
	Share    float64 // mean of [Feedback.Value] over the translations submitted so far, in [0, 1]; 0 before the first one
	Passed   bool    // it reached the share when it was finished
}

// A Trainee is what is known of an annotator for [TrainingRules.Standing].
type Trainee struct {
	RatedBefore bool            // has submitted a rating of work before the training was switched on
	Decision    TraineeDecision // of a lead; empty if there is none
	Since       int             // number of the last attempt that a lead has made void; 0: none
	Further     int             // attempts that leads have given beside those of the campaign
	Attempts    []TrainingAttempt
}

// A TraineeDecision is what a lead has decided about an annotator's training.
type TraineeDecision string

// The decisions of leads about the training of an annotator.
const (
	TraineeQualified TraineeDecision = "qualified" // gets work whatever the attempts came to
	TraineeMust      TraineeDecision = "must"      // must train, though they rated before or have qualified
)

// A TrainingState says where an annotator stands.
type TrainingState string

// The states of the training of an annotator.
const (
	NoTraining      TrainingState = "none"      // the campaign asks for none
	TrainingExempt  TrainingState = "exempt"    // rated before the training was switched on
	TrainingNeeded  TrainingState = "needed"    // has to train, and has an attempt left or under way
	TrainingPassed  TrainingState = "qualified" // gets work
	TrainingDecides TrainingState = "decides"   // has no attempt left, and waits for a lead's decision
)

// A Standing is where an annotator stands in the training of a campaign.
type Standing struct {
	State   TrainingState
	Attempt int // the attempt under way or next, counted from 1 over those that count; 0 unless the state is TrainingNeeded
	Of      int // attempts that the annotator has
	Done    int // segments submitted in the attempt under way
	All     int // training segments
	// ByLead reports whether a lead has decided that the annotator is qualified.
	ByLead bool
}

// MayWork reports whether an annotator is handed work.
func (s Standing) MayWork() bool {
	return s.State != TrainingNeeded && s.State != TrainingDecides
}

// Standing decides where an annotator stands. An annotator who has to train qualifies with the
// first finished attempt whose share reached that of the campaign, or by a decision of a lead. Who
// has neither, and no attempt left, waits for the lead. Attempts up to Trainee.Since count for
// nothing. An attempt under way is finished even if the number of attempts is lowered meanwhile.
func (t TrainingRules) Standing(x Trainee) Standing {
	s := Standing{All: t.Segments, Of: t.Attempts + x.Further}
	if !t.Required || t.Segments == 0 {
		s.State = NoTraining
		return s
	}
	if x.Decision == TraineeQualified {
		s.State, s.ByLead = TrainingPassed, true
		return s
	}
	if x.Decision == "" && x.RatedBefore && !t.Everyone {
		s.State = TrainingExempt
		return s
	}
	finished := 0
	for _, a := range x.Attempts {
		switch {
		case a.Number <= x.Since:
		case a.Passed:
			s.State = TrainingPassed
			return s
		case a.Finished:
			finished++
		default:
			s.State, s.Done = TrainingNeeded, a.Done
		}
	}
	switch {
	case s.State == TrainingNeeded || finished < s.Of:
		s.State, s.Attempt = TrainingNeeded, finished+1
	default:
		s.State = TrainingDecides
	}
	return s
}

// Reaches reports whether the share of a finished attempt qualifies.
func (t TrainingRules) Reaches(share float64) bool { return share >= t.Share-slack }

// MaxExplanation is the largest number of bytes of the explanation of a training segment.
const MaxExplanation = 10_000

// CheckExplanation returns the explanation of a training segment without blanks around it. The error
// is an InvalidError if it is too long.
func CheckExplanation(text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if len(text) > MaxExplanation {
		return text, Invalid("explanation", "use at most 10,000 bytes")
	}
	return text, nil
}

// CheckTolerance returns an InvalidError if a tolerance of training scores can't be used.
func CheckTolerance(p *protocol.Protocol, tolerance float64) error {
	if math.IsNaN(tolerance) || tolerance < 0 || tolerance > longestScale(p) {
		return Invalid("tolerance", "must be a number of points from 0 to the length of the scale")
	}
	return nil
}
