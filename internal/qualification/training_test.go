package qualification_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/qualification"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// standing reads where annotator i stands.
func standing(t *testing.T, db *storetest.DB, s *storetest.Sample, i int) campaign.Standing {
	t.Helper()
	got, _, err := db.Training.TrainingStanding(t.Context(), s.Campaign, s.Annotators[i].ID)
	storetest.Check(t, err)
	return got
}

// TestTraining: an annotator is given no work before an attempt reaches the share. The second
// attempt begins anew on the same segments. An annotator who has no attempt left waits for the lead.
func TestTraining(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Annotators(3), storetest.Set("training_share=0.75"))
		ctx, id := t.Context(), s.Campaign.ID
		storetest.WantInvalid(t, db.Training.ChangeTraining(ctx, id, true, false, s.Lead.ID), "required")
		s.MakeTraining(t, 2)
		open := s.Next(t, 0) // the training is not switched on yet
		_, err := db.Training.NextTraining(ctx, id, s.Annotators[0].ID)
		storetest.WantErr(t, err, campaign.ErrConflict)
		s.RateNext(t, 2, 4, 2, 0)
		db.Clock.Advance(time.Second)
		storetest.Check(t, db.Training.ChangeTraining(ctx, id, true, false, s.Lead.ID))

		if got := standing(t, db, s, 2); got.State != campaign.TrainingExempt {
			t.Errorf("somebody who has rated before stands at %+v", got)
		}
		s.Next(t, 2)
		_, err = db.Work.Next(ctx, id, s.Annotators[0].ID)
		storetest.WantErr(t, err, campaign.ErrNotQualified)
		s.Rate(t, 0, open, 4, 2, 0) // what is in work can be submitted
		_, err = db.Work.Next(ctx, id, s.Annotators[0].ID)
		storetest.WantErr(t, err, campaign.ErrNotQualified)

		first := s.Train(t, 0, 4, 2, 0)
		if got := standing(t, db, s, 0); got.State != campaign.TrainingNeeded || got.Attempt != 1 || got.Done != 1 || got.All != 2 {
			t.Errorf("after one segment: %+v", got)
		}
		s.Train(t, 0, 0, 4, 4)
		if got := standing(t, db, s, 0); got.State != campaign.TrainingNeeded || got.Attempt != 2 || got.Done != 0 {
			t.Errorf("after an attempt that failed: %+v", got)
		}
		if again := s.Train(t, 0, 3, 3, 1); again != first {
			t.Error("the second attempt has another assignment of the same segment")
		}
		s.Train(t, 0, 4, 2, 4)
		if got := standing(t, db, s, 0); got.State != campaign.TrainingPassed || got.ByLead {
			t.Errorf("after 5 of 6 scores were right: %+v", got)
		}
		s.Next(t, 0)
		results := storetest.Must(db.Training.TrainingResults(ctx, s.Campaign, s.Annotators[0].ID))(t)
		var values []float64
		for _, r := range results {
			values = append(values, r.Value)
		}
		if want := []float64{1, 0, 1, 2.0 / 3}; !slices.Equal(values, want) {
			t.Errorf("the results are %v, want %v", values, want)
		}

		right := 0
		for _, f := range results[3].Feedback {
			for _, score := range f.Scores {
				if score.Right {
					right++
				}
			}
		}
		if right != 2 || len(results[3].Feedback) != 3 {
			t.Errorf("the last result has %d scores right in %+v", right, results[3].Feedback)
		}

		for range 4 {
			s.Train(t, 1, 0, 4, 4)
		}
		if got := standing(t, db, s, 1); got.State != campaign.TrainingDecides {
			t.Errorf("after two attempts that failed: %+v", got)
		}
		_, err = db.Training.NextTraining(ctx, id, s.Annotators[1].ID)
		storetest.WantErr(t, err, campaign.ErrConflict)
		_, err = db.Work.Next(ctx, id, s.Annotators[1].ID)
		storetest.WantErr(t, err, campaign.ErrNotQualified)
	})
}

// TestDecideTrainee: a lead gives another attempt, qualifies somebody, and sends somebody to the
// training, each with an entry in the audit log.
func TestDecideTrainee(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Set("training_attempts=1"))
		ctx, id := t.Context(), s.Campaign.ID
		decide := func(act qualification.TraineeAct) error {
			return db.Training.DecideTrainee(ctx, id, "ann1", act, "I have looked at it", s.Lead.ID)
		}
		s.MakeTraining(t, 1)
		storetest.WantErr(t, decide(qualification.QualifyTrainee), campaign.ErrConflict) // nothing is asked for
		storetest.Check(t, db.Training.ChangeTraining(ctx, id, true, true, s.Lead.ID))
		storetest.WantErr(t, decide(qualification.FurtherAttempt), campaign.ErrConflict)
		storetest.WantErr(t, db.Training.DecideTrainee(ctx, id, "lead", qualification.QualifyTrainee, "x", s.Lead.ID), campaign.ErrNotFound)
		storetest.WantInvalid(t, db.Training.DecideTrainee(ctx, id, "ann1", qualification.QualifyTrainee, "", s.Lead.ID), "reason")
		storetest.WantInvalid(t, decide("other"), "act")
		s.Train(t, 0, 0, 4, 4)
		want := func(state campaign.TrainingState, attempt int) {
			t.Helper()
			if got := standing(t, db, s, 0); got.State != state || got.Attempt != attempt {
				t.Errorf("%+v, want %s, attempt %d", got, state, attempt)
			}
		}
		want(campaign.TrainingDecides, 0)
		storetest.Check(t, decide(qualification.FurtherAttempt))
		want(campaign.TrainingNeeded, 2)
		s.Train(t, 0, 0, 4, 4)
		want(campaign.TrainingDecides, 0)
		storetest.Check(t, decide(qualification.QualifyTrainee))
		want(campaign.TrainingPassed, 0)
		s.Next(t, 0)
		storetest.Check(t, decide(qualification.SendToTraining))
		want(campaign.TrainingNeeded, 1)
		s.Train(t, 0, 4, 2, 0)
		want(campaign.TrainingPassed, 0)
		log := strings.Join(storetest.Query[string](t, db, "SELECT act || ' ' || subject || ' ' || reason FROM audit_log WHERE campaign_id = ? ORDER BY id", id), "\n")
		for _, line := range []string{"answer training segment d1 s1", "require training all annotators", "give training attempt ann1 I have looked at it", "qualify annotator ann1", "send annotator to training ann1"} {
			if !strings.Contains(log, line) {
				t.Errorf("the audit log lacks %q:\n%s", line, log)
			}
		}
		rows := storetest.Must(db.Training.Trainees(ctx, s.Campaign))(t)
		if len(rows) != 2 || rows[0].Login != "ann1" || len(rows[0].Trainee.Attempts) != 3 || rows[0].Standing.State != campaign.TrainingPassed || rows[1].Standing.State != campaign.TrainingNeeded {
			t.Errorf("the lead sees %+v", rows)
		}
	})
}

// TestTrainingResult: what was submitted is compared with the answer of that time, stays as it is,
// and is read by its annotator and the leads alone.
func TestTrainingResult(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		ctx, id := t.Context(), s.Campaign.ID
		side := s.MakeTraining(t, 1)
		segment := storetest.Must(db.Training.TrainingSet(ctx, s.Campaign))(t)[0].ID
		storetest.Check(t, db.Training.ChangeTrainingSegment(ctx, id, segment, qualification.TrainingChange{Tolerance: 0, Explanation: " the **reason** "}, s.Lead.ID))
		storetest.WantInvalid(t, db.Training.ChangeTrainingSegment(ctx, id, segment, qualification.TrainingChange{Tolerance: 9}, s.Lead.ID), "tolerance")
		storetest.WantErr(t, db.Training.ChangeTrainingSegment(ctx, id, "other", qualification.TrainingChange{}, s.Lead.ID), campaign.ErrNotFound)
		storetest.Check(t, db.Training.ChangeTraining(ctx, id, true, false, s.Lead.ID))
		turn := s.Train(t, 0, 4, 3, 0)
		of := storetest.Must(db.Training.TrainingTurnOf(ctx, side.Campaign, turn, s.Annotators[0].ID))(t)
		if of.Answers || of.Practises || of.ResultID == "" {
			t.Fatalf("the turn is %+v", of)
		}
		s.AnswerTraining(t, segment, 0, 0, 0) // the lead changes the answer
		result := storetest.Must(db.Training.TrainingResult(ctx, s.Campaign, of.ResultID, s.Annotators[0].ID))(t)
		if result.Value != 2.0/3 || result.Explanation != "the **reason**" || len(result.Feedback) != 3 || len(result.Texts) != 3 || result.Source == "" {
			t.Errorf("the result is %+v", result)
		}
		_, err := db.Training.TrainingResult(ctx, s.Campaign, of.ResultID, s.Annotators[1].ID)
		storetest.WantErr(t, err, campaign.ErrNotFound)
		storetest.Must(db.Training.TrainingResult(ctx, s.Campaign, of.ResultID, ""))(t)
		_, err = db.Training.TrainingTurnOf(ctx, side.Campaign, turn, s.Annotators[1].ID)
		storetest.WantErr(t, err, campaign.ErrNotFound)
		if err := side.TryRate(ctx, 0, turn, 0, 0, 0); err == nil {
			t.Error("a submitted training segment was changed")
		}
	})
}

// TestPractice: practice segments are open to everybody at any time, those of the set only to
// annotators who need not train. Practising counts nowhere.
func TestPractice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		ctx, id, ann := t.Context(), s.Campaign.ID, s.Annotators[0].ID
		may := func() bool { return storetest.Must(db.Training.MayPractise(ctx, s.Campaign, ann))(t) }
		_, err := db.Training.Practise(ctx, id, ann)
		storetest.WantErr(t, err, campaign.ErrNoWork)
		s.MakeTraining(t, 3)
		if !may() {
			t.Error("nobody need train, and nobody may practise")
		}
		storetest.Check(t, db.Training.ChangeTraining(ctx, id, true, false, s.Lead.ID))
		if may() {
			t.Error("somebody who has to train may practise on the segments of the attempt")
		}
		set := storetest.Must(db.Training.TrainingSet(ctx, s.Campaign))(t)
		for _, segment := range set[1:] {
			storetest.Check(t, db.Training.ChangeTrainingSegment(ctx, id, segment.ID, qualification.TrainingChange{Practice: true, Tolerance: -1}, s.Lead.ID))
		}
		first := storetest.Must(db.Training.Practise(ctx, id, ann))(t)
		if again := storetest.Must(db.Training.Practise(ctx, id, ann))(t); again != first {
			t.Error("what is being practised on is left for another segment")
		}
		s.Practise(t, 0, 0, 0, 0)
		if second := s.Practise(t, 0, 4, 2, 0); second == first {
			t.Error("the same segment comes twice in a row")
		}
		if third := s.Practise(t, 0, 4, 2, 0); third != first {
			t.Error("the segment practised on least recently does not come next")
		}
		if got := standing(t, db, s, 0); got.State != campaign.TrainingNeeded || got.Done != 0 || got.All != 1 {
			t.Errorf("practising has changed the standing: %+v", got)
		}
		if got := storetest.Must(db.Training.TrainingResults(ctx, s.Campaign, ann))(t); len(got) != 0 {
			t.Errorf("practising has %d results of attempts", len(got))
		}
		tried := storetest.Must(db.Training.TryTraining(ctx, id, set[0].ID, s.Lead.ID))(t)
		if tried == "" {
			t.Error("the lead can't try a segment")
		}
		// A removed segment is given to nobody, and an attempt without segments is none.
		storetest.Check(t, db.Training.ChangeTrainingSegment(ctx, id, set[0].ID, qualification.TrainingChange{Removed: true, Tolerance: -1}, s.Lead.ID))
		if got := standing(t, db, s, 0); got.State != campaign.NoTraining {
			t.Errorf("without segments the standing is %+v", got)
		}
		s.Next(t, 0)
	})
}

// TestAnswerAgain: opening the answer again begins with what the lead had answered, for another lead
// too.
func TestAnswerAgain(t *testing.T) {
	db, s := storetest.New(t)
	side := s.MakeTraining(t, 1)
	other := storetest.AddUser(t, db, "second-lead")
	s.Join(t, other.Login, campaign.Lead)
	segment := storetest.Must(db.Training.TrainingSet(t.Context(), s.Campaign))(t)[0]
	for _, userID := range []string{s.Lead.ID, other.ID} {
		id := storetest.Must(db.Training.OpenAnswer(t.Context(), s.Campaign.ID, segment.ID, userID))(t)
		w := storetest.Must(db.Work.LoadWork(t.Context(), side.Campaign, id, userID))(t)
		var scores []float64
		for _, card := range w.Cards {
			scores = append(scores, card.Rating.Scores["sqm"])
		}
		if slices.Sort(scores); !slices.Equal(scores, []float64{0, 2, 4}) {
			t.Errorf("the answer begins with %v", scores)
		}
	}
	if segment.AnsweredBy != s.Lead.Login || segment.Answer == nil || len(segment.Answer.Ratings) != 3 {
		t.Errorf("the segment is %+v", segment)
	}
}

// TestPrepareTraining: leads enter, change and try answers in a paused and in a closed campaign. Annotators
// train and practise in an open one alone.
func TestPrepareTraining(t *testing.T) {
	db, s := storetest.New(t)
	ctx, id, ann := t.Context(), s.Campaign.ID, s.Annotators[0].ID
	s.SetState(t, campaign.Paused)
	side := s.MakeTraining(t, 2)
	set := storetest.Must(db.Training.TrainingSet(ctx, s.Campaign))(t)
	try := func() string { return storetest.Must(db.Training.TryTraining(ctx, id, set[0].ID, s.Lead.ID))(t) }
	lead := *side
	lead.Annotators = []accounts.User{s.Lead}
	lead.Rate(t, 0, try(), 4, 2, 0)
	storetest.Check(t, db.Training.ChangeTraining(ctx, id, true, true, s.Lead.ID))
	_, err := db.Training.NextTraining(ctx, id, ann)
	storetest.WantErr(t, err, campaign.ErrNotOpen)

	s.SetState(t, campaign.Open)
	turn := storetest.Must(db.Training.NextTraining(ctx, id, ann))(t)
	s.SetState(t, campaign.Closed)
	s.AnswerTraining(t, set[1].ID, 0, 0, 0)
	tried := try()
	trains := *side
	trains.Campaign = storetest.CampaignOf(t, db.Store, s.Campaign.Slug, turn)
	if w := storetest.Must(db.Work.LoadWork(ctx, trains.Campaign, tried, s.Lead.ID))(t); !w.Prepares {
		t.Error("a lead's try in a closed campaign is read-only")
	}
	w := storetest.Must(db.Work.LoadWork(ctx, trains.Campaign, turn, ann))(t)
	if w.Prepares {
		t.Error("an annotator prepares the training")
	}
	_, err = db.Work.SaveCard(ctx, trains.Campaign, ann, work.CardSave{AssignmentID: turn, CardID: w.Cards[0].ID, Revision: w.Cards[0].Revision, Rating: storetest.Rating(3)})
	storetest.WantErr(t, err, campaign.ErrNotOpen)
}
