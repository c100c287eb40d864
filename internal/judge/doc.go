// Package judge holds the methods by which a language model rates translations: prompts, the steps of
// a method, the readers of replies, and the score.
//
// The package is pure. It calls no model, no search engine and no database. A [Method] begins a
// [Machine] for one [Task]. The machine names the calls that can be made now, takes their replies, and
// in the end gives a [Judgement] for each translation:
//
//	m, err := method.Begin(task)
//	for {
//		calls, done := m.Next()
//		if done {
//			break
//		}
//		for _, call := range calls {
//			m.Answer(call, ask(call)) // at the same time, if wanted
//		}
//	}
//	judgements := m.Judgements()
//
// A machine depends on its task and the replies alone. So a run that was interrupted goes on when the
// replies it has are given again: the machine then names only the calls that are missing.
//
// Reading never guesses. A reply that cannot be read is asked for again up to Task.Retries times, each
// time at a temperature raised by 0.1. If no attempt can be read, the method decides what follows. In
// most methods the judgement is then [Unparsable] and has no score. A refusal, an empty reply and a
// reply that was cut for length never count as "no errors".
//
// A new method is one file: a value of type [Method] that an init function adds to the list.
package judge
