package transfer

import (
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/store/storetest"
)

// TestRejectedByFollowers: the list has the rejections of each campaign that follows, with the reasons that were given there; it can be of
// one segment, and ends at its limit, while the count has all. A segment that is out of gold is not in it.
func TestRejectedByFollowers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		r := newReview(t, db)
		ctx, first, second := t.Context(), r.of(r.prev, "1"), r.of(r.prev, "2")
		other := newCampaign(t, r.Store, "other", "review")
		follow(t, r.Store, other, r.prev, "", "reference")
		other = storetest.Must(r.Records.Campaign(ctx, "other"))(t)
		storetest.Must(r.Intake.TakeOver(ctx, other.ID, ""))(t)
		storetest.Check(t, r.Accounts.AddMember(ctx, other.ID, "rolf", campaign.Annotator, ""))
		listed := func(segment string, limit int) string {
			var out []string
			for _, x := range storetest.Must(r.Desk.Rejected(ctx, r.prev, segment, limit))(t) {
				out = append(out, x.SegmentID+" "+strings.TrimPrefix(x.Stage, "The stage ")+" "+strings.Join(x.Reasons, "+"))
			}
			return strings.Join(out, ", ")
		}
		wants := func(all, ofSecond, limited string, count int) {
			t.Helper()
			if got := listed("", 9); got != all {
				t.Errorf("rejected are %q, want %q", got, all)
			}
			if got := listed(second, 9); got != ofSecond {
				t.Errorf("of the second segment: %q, want %q", got, ofSecond)
			}
			if got := listed("", 2); got != limited {
				t.Errorf("two of them: %q, want %q", got, limited)
			}
			if got := storetest.Must(r.Desk.Queue(ctx, r.prev, desk.QueueFilter{Limit: 9}))(t).Rejected; got != count {
				t.Errorf("%d are counted, want %d", got, count)
			}
		}
		answer(t, r.Store, r.next, r.rolf.ID, "not one", verdict("reject"))
		answer(t, r.Store, r.next, r.rolf.ID, "not two", verdict("reject"))
		answer(t, r.Store, other, r.rolf.ID, "", verdict("accept"))
		wants("1 next not one, 2 next not two", "2 next not two", "1 next not one, 2 next not two", 2)
		storetest.Check(t, r.Rounds.Discard(ctx, r.prev.ID, []string{first}, "out", ""))
		db.Clock.Advance(time.Second)
		storetest.Check(t, r.Rounds.AnotherLook(ctx, r.next.ID, []string{r.of(r.next, "1")}, nil, "again", ""))
		answer(t, r.Store, r.next, r.rolf.ID, "still not", verdict("reject"))
		answer(t, r.Store, other, r.rolf.ID, "nor here", verdict("reject"))
		wants("2 next not two, 2 other nor here", "2 next not two, 2 other nor here", "2 next not two, 2 other nor here", 2)
		storetest.Check(t, r.Rounds.RestoreSegments(ctx, r.prev.ID, []string{first}, "in", ""))
		storetest.Check(t, r.Rounds.AnotherLook(ctx, r.next.ID, []string{r.of(r.next, "1")}, nil, "again", ""))
		db.Clock.Advance(time.Second)
		answer(t, r.Store, r.next, r.rolf.ID, "never", verdict("reject"))
		wants("1 next never, 2 next not two, 2 other nor here", "2 next not two, 2 other nor here", "1 next never, 2 next not two", 3)
	})
}
