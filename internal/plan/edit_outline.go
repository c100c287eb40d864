package plan

import (
	"slices"

	"annotate/internal/campaign"
)

// HasOutline reports whether a plan has something that [EditOutline] takes into another campaign.
func (p Plan) HasOutline() bool {
	return len(p.Pools) > 0 || len(p.Batches) > 0 || !p.Pull ||
		slices.ContainsFunc(p.People, func(x Person) bool { return x.Share != 1 || x.Words != 0 || len(x.Away) > 0 })
}

// takeOutline takes what a plan of another campaign says of anything but documents. People who are no
// annotators here are left out, and so are due dates and absences that have passed.
func (x *editing) takeOutline() error {
	if x.edit.Outline == nil {
		return campaign.Invalid("do", "choose a campaign whose plan is taken")
	}
	of := x.edit.Outline.clone()
	known := func(login string) bool { _, ok := x.person(login); return ok }
	for _, pool := range of.Pools {
		pool.Members = slices.DeleteFunc(pool.Members, func(login string) bool { return !known(login) })
		x.edit.Pool = pool
		if err := x.savePool(); err != nil {
			return err
		}
	}
	for _, batch := range of.Batches {
		if batch.Due < x.Today {
			batch.Due = ""
		}
		x.edit.Batch = batch
		if err := x.saveBatch(); err != nil {
			return err
		}
	}
	for _, person := range of.People {
		person.Away = slices.DeleteFunc(person.Away, func(a Away) bool { return a.To < x.Today })
		if !known(person.Login) {
			continue
		}
		if err := x.setPerson(person); err != nil {
			return err
		}
	}
	if !of.Pull {
		x.edit.Pull = false
		x.setPull()
	}
	return nil
}
