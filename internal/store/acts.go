package store

import (
	"context"
	"errors"

	"annotate/internal/campaign"
)

// errNotYet: an act whose signature stands before its body.
var errNotYet = errors.New("this act can't be done yet")

// SetAside sets the work of the annotator named login aside: it leaves gate,
// matrices, gold, exports and counts, nothing is handed out to them, and what they
// have open ends, with its drafts kept. Segments left short are open again, and
// what was decided with them is decided anew. No rating is deleted:
// [Store.RestoreAnnotator] brings back exactly what was.
//
// The reason must not be empty (*campaign.InvalidError of "reason"). ErrNotFound for
// who is no annotator of the campaign, ErrConflict for whose work is set aside
// already.
func (s *Store) SetAside(ctx context.Context, campaignID, login, reason, byID string) error {
	return errNotYet
}

// RestoreAnnotator takes [Store.SetAside] back. What others have done meanwhile
// stays; places of the first round that they were given because of the shortage
// and have not begun are freed. ErrConflict for whose work is not set aside.
func (s *Store) RestoreAnnotator(ctx context.Context, campaignID, login, reason, byID string) error {
	return errNotYet
}

// AddAnnotator gives a segment to one more annotator, who joins the current round:
// a decided segment's last round is open again until they submit. ErrNotFound for
// who is no annotator of the campaign; ErrConflict for who has the segment in
// this round already, whose work is set aside, who can't sign in any more, and for a
// segment that a lead has decided or taken out (reopen it first).
func (s *Store) AddAnnotator(ctx context.Context, campaignID, segmentRowID, login, reason, byID string) error {
	return errNotYet
}

// ReplaceAnnotator lets the current round of a segment, a second look or later,
// wait no more for the annotator named login, but for byLogin, or with byLogin
// empty for nobody; the round is decided if that completes it. If the replaced one
// submits after all, they count again. ErrConflict in the first round, where an
// idle place frees itself; for who has submitted or is replaced already; and
// where nobody would be left in the round.
func (s *Store) ReplaceAnnotator(ctx context.Context, campaignID, segmentRowID, login, byLogin, reason, byID string) error {
	return errNotYet
}

// Reopen takes back what a lead decided about segments (adjudicated, discarded,
// withdrawn) and forms their decisions anew; a segment that the gate has decided
// gets one more round. All or none: ErrConflict names one that is under way.
func (s *Store) Reopen(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return errNotYet
}

// Discard takes segments out of gold in the lead's name, whatever the gate says
// of them now or later. Their open assignments end; no rating is deleted. All or
// none: ErrConflict names one that is discarded or withdrawn by a lead already.
func (s *Store) Discard(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return errNotYet
}

// AcceptMeans is [Store.Adjudicate] by the mean for several segments, all or
// none: ErrConflict names one that has no complete round.
func (s *Store) AcceptMeans(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return errNotYet
}

// A SettingsPreview is what a change of settings does, or would do, to the
// segments of a campaign that are not in a lead's hands.
type SettingsPreview struct {
	Segments int          // all of the campaign
	Moves    []StatusMove // segments that get another status or round, in the order of campaign.Statuses
	SentBack int          // get a further look
	// Withdrawn second looks: nobody has begun them, and their segment passes.
	Withdrawn int
	Discarded int
	ToGold    int // get into gold
	OutOfGold int // leave it
}

// A StatusMove counts the segments that go from one status to another. From and
// To are equal where only the round changes.
type StatusMove struct {
	From, To campaign.Status
	N        int
}

// PreviewChange computes what a change of settings, "key=value" each, would do to
// the segments of a campaign, without doing it and without keeping anybody
// waiting. A wrong setting is a *campaign.InvalidError.
func (s *Store) PreviewChange(ctx context.Context, c campaign.Campaign, pairs []string) (SettingsPreview, error) {
	return SettingsPreview{}, errNotYet
}
