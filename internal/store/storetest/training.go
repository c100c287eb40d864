package storetest

import (
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
)

// MakeTraining makes a training set of n segments with the lead's answers, 4, 2 and 0 for the
// systems in their order, and returns it as the side campaign.
func (s *Sample) MakeTraining(t testing.TB, n int) *Sample {
	t.Helper()
	side := s.MakeSide(t, campaign.Training, n)
	set, err := s.Store.Training.TrainingSet(t.Context(), s.Campaign)
	check(t, err)
	for _, segment := range set {
		s.AnswerTraining(t, segment.ID, 4, 2, 0)
	}
	return side
}

// AnswerTraining enters the lead's answer for a training segment, by system.
func (s *Sample) AnswerTraining(t testing.TB, segmentID string, scores ...float64) {
	t.Helper()
	id, err := s.Store.Training.OpenAnswer(t.Context(), s.Campaign.ID, segmentID, s.Lead.ID)
	check(t, err)
	s.asTraining(t, s.Lead).Rate(t, 0, id, scores...)
}

// Train has annotator i submit their next training segment with scores by system, and returns its
// assignment.
func (s *Sample) Train(t testing.TB, i int, scores ...float64) string {
	t.Helper()
	id, err := s.Store.Training.NextTraining(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
	check(t, err)
	s.asTraining(t, s.Annotators[i]).Rate(t, 0, id, scores...)
	return id
}

// Practise has annotator i submit a practice segment with scores by system, and returns its
// assignment.
func (s *Sample) Practise(t testing.TB, i int, scores ...float64) string {
	t.Helper()
	id, err := s.Store.Training.Practise(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
	check(t, err)
	s.asTraining(t, s.Annotators[i]).Rate(t, 0, id, scores...)
	return id
}

// asTraining is the training set, with one user as its only annotator.
func (s *Sample) asTraining(t testing.TB, u accounts.User) *Sample {
	t.Helper()
	side, err := s.Store.Training.MakeTraining(t.Context(), s.Campaign.ID)
	check(t, err)
	out := *s
	out.Campaign, out.Annotators = side, []accounts.User{u}
	return &out
}
