package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// savePool makes a pool, or changes the one with the name of the edit.
func (x *editing) savePool() error {
	pool := x.edit.Pool
	if err := campaign.CheckName("name", pool.Name); err != nil {
		return err
	}
	if len(pool.Pattern) > 200 || len(pool.Domain) > 200 {
		return campaign.Invalid("pattern", "use at most 200 characters")
	}
	name, err := x.nameBefore("pool", pool.Name, func(name string) bool { return x.PoolOf(name).Name != "" })
	if err != nil {
		return err
	}
	was := x.PoolOf(name)
	pool.Members = slices.Compact(slices.Sorted(slices.Values(pool.Members)))
	for _, login := range pool.Members {
		if _, known := x.Person(login); !known && !slices.Contains(was.Members, login) {
			return campaign.Invalid("member", fmt.Sprintf("%s is not an annotator of this campaign", wording.Quote(login)))
		}
	}
	x.Pools = append(slices.DeleteFunc(x.Pools, func(p Pool) bool { return p.Name == name }), pool)
	slices.SortFunc(x.Pools, func(a, b Pool) int { return strings.Compare(a.Name, b.Name) })
	x.rename(name, pool.Name, func(d *Document) *string { return &d.Pool })
	x.changed("pool", name, pool.Name, was.inWords(), pool.inWords())
	elsewhere := 0
	for _, i := range x.chosen {
		d := &x.Documents[i]
		if (x.edit.Documents != nil || pool.Takes(d.Domain, d.DocID)) && d.Pool != pool.Name {
			if d.Pool != "" && x.edit.Documents == nil {
				elsewhere++
				continue
			}
			d.Pool = pool.Name
		}
	}
	if elsewhere > 0 {
		x.note("%s in another pool, although the pool would take them.", stay(elsewhere, "document"))
	}
	x.keepOutsidersOut()
	return nil
}

// inWords says which people and documents a pool has.
func (p Pool) inWords() string {
	text := "no members"
	if len(p.Members) > 0 {
		text = "the members " + wording.ListUpTo(p.Members, 12)
	}
	if p.Domain != "" {
		text += ", documents of the domain " + p.Domain
	}
	if p.Pattern != "" {
		text += ", ids like " + p.Pattern
	}
	return text
}

// saveBatch makes a batch, or changes the one with the name of the edit.
func (x *editing) saveBatch() error {
	b := x.edit.Batch
	if err := campaign.CheckName("name", b.Name); err != nil {
		return err
	}
	if b.Priority < -1000 || b.Priority > 1000 {
		return campaign.Invalid("priority", "must be a whole number from -1000 to 1000")
	}
	if err := checkDay("due", b.Due); b.Due != "" && err != nil {
		return err
	}
	name, err := x.nameBefore("batch", b.Name, func(name string) bool { return x.BatchOf(name).Name != "" })
	if err != nil {
		return err
	}
	was := x.BatchOf(name)
	x.Batches = append(slices.DeleteFunc(x.Batches, func(b Batch) bool { return b.Name == name }), b)
	slices.SortFunc(x.Batches, func(a, b Batch) int { return strings.Compare(a.Name, b.Name) })
	x.rename(name, b.Name, func(d *Document) *string { return &d.Batch })
	x.changed("batch", name, b.Name, was.inWords(), b.inWords())
	if x.edit.Documents != nil {
		for _, i := range x.chosen {
			x.Documents[i].Batch = b.Name
		}
	}
	return nil
}

// inWords says what a batch is.
func (b Batch) inWords() string {
	due := "no due date"
	if b.Due != "" {
		due = "due " + b.Due
	}
	return fmt.Sprintf("priority %d, %s", b.Priority, due)
}

// nameBefore returns the name that a batch or pool has before an edit gives it a name; empty if it is new. has reports
// whether there is one with a name.
func (x *editing) nameBefore(what, name string, has func(string) bool) (string, error) {
	was := cmp.Or(x.edit.Name, name)
	switch {
	case was == name && !has(name):
		return "", nil
	case was != name && !has(was):
		return "", campaign.Invalid("name", "there is no such "+what)
	case was != name && has(name):
		return "", campaign.Invalid("name", fmt.Sprintf("there is a %s %s already; choose another name", what, wording.Quote(name)))
	}
	return was, nil
}

// rename gives the documents of a batch or pool its new name, which moves none of them. field is what names it.
func (x *editing) rename(was, name string, field func(*Document) *string) {
	if was == "" || was == name {
		return
	}
	x.before = x.before.clone()
	for _, documents := range [][]Document{x.Documents, x.before.Documents} {
		for i := range documents {
			if of := field(&documents[i]); *of == was {
				*of = name
			}
		}
	}
}

// changed says that a batch, pool or annotator is new (no name before), or has another name or other words than before.
func (x *editing) changed(what, before, name, was, is string) {
	switch {
	case before == "":
		x.say("New %s %s: %s.", what, name, is)
		return
	case before != name:
		x.say("The %s %s is called %s.", what, before, name)
	}
	if was != is {
		x.say("The %s %s: %s. Before: %s.", what, name, is, was)
	}
}

// drop removes the batch or pool with the name of the edit from a list, and from the documents.
func drop[T any](x *editing, what string, list *[]T, named func(T) string, field func(*Document) *string) error {
	left := slices.DeleteFunc(slices.Clone(*list), func(of T) bool { return named(of) == x.edit.Name })
	if len(left) == len(*list) {
		return campaign.Invalid("name", "there is no such "+what)
	}
	*list = left
	for i := range x.Documents {
		if of := field(&x.Documents[i]); *of == x.edit.Name {
			*of = ""
		}
	}
	x.say("The %s %s is removed.", what, x.edit.Name)
	return nil
}

func checkDay(field, day string) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return campaign.Invalid(field, "write a day such as 2026-12-24")
	}
	return nil
}

func (x *editing) setPerson(to Person) error {
	i := slices.IndexFunc(x.People, func(p Person) bool { return p.Login == to.Login })
	if i < 0 {
		return campaign.Invalid("login", fmt.Sprintf("%s is not an annotator of this campaign", wording.Quote(to.Login)))
	}
	if math.IsNaN(to.Share) || to.Share < 0 || to.Share > 1000 {
		return campaign.Invalid("share", "must be a number from 0 to 1000")
	}
	if to.Words < 0 || to.Words > 1_000_000_000 {
		return campaign.Invalid("words", "must be a whole number, 0 or more")
	}
	slices.SortFunc(to.Away, func(a, b Away) int { return strings.Compare(a.From+a.To, b.From+b.To) })
	was, is := x.People[i], &x.People[i]
	is.Share, is.Words, is.Away = to.Share, to.Words, slices.Compact(to.Away)
	x.changed("annotator", to.Login, to.Login, was.inWords(), is.inWords())
	return nil
}

// inWords says how much the person should get, and when they are away.
func (p Person) inWords() string {
	fixed := ""
	if p.Words > 0 {
		fixed = wording.Counted(p.Words, "fixed word") + ", "
	}
	return "share " + wording.Plain(p.Share) + ", " + fixed + "away " + cmp.Or(AwayText(p.Away), "never")
}

// AwayText writes absences as [ParseAway] reads them.
func AwayText(away []Away) string {
	parts := make([]string, len(away))
	for i, a := range away {
		parts[i] = a.From + ".." + a.To
		if a.From == a.To {
			parts[i] = a.From
		}
	}
	return strings.Join(parts, ", ")
}

// ParseAway reads absences such as "2026-12-24..2027-01-02, 2027-02-01". The error is a [campaign.InvalidError]
// of the field away.
func ParseAway(text string) (out []Away, err error) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		from, to, both := strings.Cut(strings.TrimSpace(part), "..")
		if !both {
			to = from
		}
		a := Away{From: strings.TrimSpace(from), To: strings.TrimSpace(to)}
		if a.From == "" && a.To == "" {
			continue
		}
		if checkDay("away", a.From) != nil || checkDay("away", a.To) != nil {
			return nil, campaign.Invalid("away", "write days such as 2026-12-24..2027-01-02, separated by commas")
		}
		if a.To < a.From {
			return nil, campaign.Invalid("away", "the last day "+a.To+" is before the first, "+a.From)
		}
		out = append(out, a)
	}
	return out, nil
}

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
	stranger := func(login string) bool { _, ok := x.Person(login); return !ok }
	for _, x.edit.Pool = range of.Pools {
		x.edit.Pool.Members = slices.DeleteFunc(x.edit.Pool.Members, stranger)
		if err := x.savePool(); err != nil {
			return err
		}
	}
	for _, x.edit.Batch = range of.Batches {
		if x.edit.Batch.Due < x.Today {
			x.edit.Batch.Due = ""
		}
		if err := x.saveBatch(); err != nil {
			return err
		}
	}
	for _, person := range of.People {
		if stranger(person.Login) {
			continue
		}
		person.Away = slices.DeleteFunc(person.Away, func(a Away) bool { return a.To < x.Today })
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
