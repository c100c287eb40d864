package qualification_test

import (
	"fmt"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestInstructions checks that annotators get new work only after they have accepted the latest
// version, that they can go on with open assignments before, and that they accept nothing if the
// text is empty.
func TestInstructions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.PerDocument(4))
		ctx, id, ann := t.Context(), s.Campaign.ID, s.Annotators[0].ID
		open := s.Next(t, 0) // without instructions
		storetest.WantInvalid(t, db.Training.SetInstructions(ctx, id, strings.Repeat("x", campaign.MaxGuide+1), 0, s.Lead.ID), "guide")
		storetest.Check(t, db.Training.SetInstructions(ctx, id, "Be *fair*.\r\n", 0, s.Lead.ID))
		storetest.Check(t, db.Training.SetInstructions(ctx, id, "Be *fair*.\n", 0, s.Lead.ID)) // repeated
		storetest.WantErr(t, db.Training.SetInstructions(ctx, id, "Be quick.", 0, s.Lead.ID), campaign.ErrConflict)
		s.Rate(t, 0, open, 0, 2, 4) // an open assignment can be rated
		for range 2 {
			_, err := db.Work.Next(ctx, id, ann)
			storetest.WantErr(t, err, campaign.ErrNotAccepted)
		}
		storetest.WantErr(t, db.Training.Accept(ctx, id, 2, ann), campaign.ErrConflict)
		for range 2 {
			storetest.Check(t, db.Training.Accept(ctx, id, 1, ann))
		}
		second := s.Next(t, 0)
		if must := storetest.Must(db.Training.MustAccept(ctx, id, s.Annotators[1].ID))(t); !must {
			t.Error("one annotator has accepted for another")
		}

		storetest.Check(t, db.Training.SetInstructions(ctx, id, "Be fair and kind.", 1, s.Lead.ID))
		storetest.WantErr(t, db.Training.Accept(ctx, id, 1, ann), campaign.ErrConflict)
		s.Save(t, 0, second, 0, 3)
		_, err := db.Work.Next(ctx, id, ann)
		storetest.WantErr(t, err, campaign.ErrNotAccepted)
		list := func() (out string) {
			in := storetest.Must(db.Training.Instructions(ctx, id))(t)
			for _, a := range in.Accepted {
				out += fmt.Sprint(a.Login, " ", a.Version, "; ")
			}
			return fmt.Sprint(in.Version, " ", in.Text, ": ", out)
		}
		if got, want := list(), "2 Be fair and kind.: ann1 1; ann2 0; "; got != want {
			t.Errorf("the lead sees %q, want %q", got, want)
		}
		storetest.Check(t, db.Training.Accept(ctx, id, 2, ann))
		if again := s.Next(t, 0); again != second || s.Work(t, 0, second).Cards[0].Rating.Scores["sqm"] != 3 {
			t.Error("what was in work is not there after accepting")
		}
		storetest.Check(t, db.Training.SetInstructions(ctx, id, " \n", 2, s.Lead.ID))
		s.Next(t, 1) // there is nothing to accept
		if log := storetest.AuditLines(t, db, s); log[len(log)-1] != "lead set instructions version 3, 0 bytes" {
			t.Errorf("logged %q", log[len(log)-1])
		}
		storetest.Check(t, db.Rounds.Archive(ctx, id, s.Lead.ID))
		storetest.WantErr(t, db.Training.SetInstructions(ctx, id, "too late", 3, s.Lead.ID), campaign.ErrConflict)
	})
}
