// Package campaign says who rates what: campaigns, segments, assignments, rounds, and
// what follows when a round is complete. It decides and computes. It stores nothing,
// serves nothing and reads no clock.
//
// [Settings] holds what a lead can choose. [Settings.Follow] computes the state of a
// segment and applies the gate. [Pick] chooses the next segment of an annotator, and
// [Shuffle] the order of the cards. [CheckPlaced] says which documents of an annotator are checks, and
// [JudgeChecks] judges them. [HumanGold] and [RatingScores] give the scores that metrics are compared with.
//
// # The states of a segment
//
// A segment has a [Status]. It follows from the [Facts] of the segment: which annotators rated it,
// which are set aside, and which acts a lead did. Nothing else changes it.
//
//	status           the segment has it when                                     in gold
//	pending          round 1 is not complete                                     no
//	reannotate       a further round is under way                                no
//	agreed           a round passed the gate                                     yes
//	below_threshold  the last complete round failed, and the gate only reports   yes
//	ungated          the round is complete but not judged: the gate is off, or   yes
//	                 no translation was rated by two annotators
//	adjudicated      a lead or an adjudicator decided its gold                   yes
//	discarded        the last round failed, or a lead discarded it               no
//	withdrawn        it was taken out of the campaign                            no
//
// # The states of an assignment
//
// An assignment is one annotator's turn at a segment in a round. An [AssignmentState]
// says how far it has come. It changes when the annotator or the lead does something, or
// when the annotator does nothing for some time.
//
//	state         meaning                                   what comes next
//	open          in work; in round 1 it takes a place      submitted, released, problem
//	submitted     its ratings are stored                    submitted again while its round is under way
//	released      left idle or skipped, or taken back by    open, when the annotator goes on after
//	              a lead: its place is free, its drafts     leaving it idle, or a lead asks again
//	              are kept
//	problem       the annotator reported a problem          open or released, when the lead answers
//	adjudicating  an adjudicator is at work on the segment  adjudicated
//	adjudicated   the adjudicator has decided               adjudicating, when the act is undone
//
// While an annotator is set aside, the assignment is released, and its column set_aside
// keeps the state that it gets back.
//
// [Settings.Follow] also computes a [TurnState] for each turn: what the annotator may still
// do with it ([Work]), whether its ratings count, whether the annotator was replaced, and
// whether the round under way waits for it.
package campaign
