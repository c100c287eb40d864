package plan

import (
	"fmt"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// An EditKind says what an edit does to a plan.
type EditKind string

// The kinds of edits. What each reads of an [Edit] stands beside it.
const (
	EditAssign    EditKind = "assign"     // plans Logins for Documents, beside those who are planned
	EditUnassign  EditKind = "unassign"   // takes Logins away from Documents; without Logins, everyone
	EditHandOver  EditKind = "hand-over"  // gives Logins[1] what Logins[0] has not begun of Documents
	EditBalance   EditKind = "balance"    // fills the places of Documents without a planned annotator; see [Balance]
	EditAnew      EditKind = "anew"       // is EditBalance after EditUnassign of everyone
	EditSetBatch  EditKind = "batch"      // puts Documents into the batch Name; none if it is empty
	EditSetPool   EditKind = "pool"       // puts Documents into the pool Name; none if it is empty
	EditSavePool  EditKind = "save-pool"  // makes or changes Pool
	EditDropPool  EditKind = "drop-pool"  // removes the pool Name
	EditSaveBatch EditKind = "save-batch" // makes or changes Batch
	EditDropBatch EditKind = "drop-batch" // removes the batch Name
	EditSetPeople EditKind = "people"     // stores Share, Words and Away of each of People
	EditSetPull   EditKind = "pull"       // stores Pull
	EditRows      EditKind = "rows"       // plans the documents that Rows name as they say
	EditOutline   EditKind = "outline"    // takes the pools, batches, shares, absences and Pull of Outline
	EditEnd       EditKind = "end"        // removes the plan
)

// An Edit is one change of a plan.
type Edit struct {
	Kind      EditKind
	Documents []string // ids of documents; nil: all
	Logins    []string
	// Name is that of a batch or pool. An edit that makes or changes Batch or Pool gives the one with this name
	// the name of Batch or Pool; empty: the name stays.
	Name    string
	Pool    Pool
	Batch   Batch
	People  []Person
	Pull    bool
	Rows    []Row
	Outline *Plan // of another campaign
}

// Apply returns the plan after an edit and what the edit changes. The error is a [campaign.InvalidError] or a
// [RowsError] if the edit cannot be made. The plan itself stays as it is.
func (e Edit) Apply(p Plan) (after Plan, change Change, err error) {
	x := editing{Plan: p.clone(), before: p, edit: e}
	if err := x.choose(); err != nil {
		return p, change, err
	}
	if err := x.apply(); err != nil {
		return p, change, err
	}
	change = changeOf(x.before, x.Plan)
	change.Other, change.Notes, change.Short = x.other, x.notes, x.balance.Short
	if x.balance.Loads != nil {
		change.Loads = x.balance.Loads
		for i := range change.Loads {
			change.Loads[i].Before = p.Load(change.Loads[i].Login)
		}
	}
	return x.Plan, change, nil
}

// editing is a plan that an edit is changing.
type editing struct {
	Plan
	before  Plan // as it was, with the new names of batches and pools
	edit    Edit
	chosen  []int // places of the documents that the edit is about
	other   []string
	notes   []string
	balance Balance
}

// choose finds the documents that the edit is about.
func (x *editing) choose() error {
	if x.edit.Documents == nil {
		x.chosen = make([]int, len(x.Documents))
		for i := range x.chosen {
			x.chosen[i] = i
		}
		return nil
	}
	place := make(map[string]int, len(x.Documents))
	for i, d := range x.Documents {
		place[d.DocID] = i
	}
	for _, id := range x.edit.Documents {
		i, ok := place[id]
		if !ok {
			return campaign.Invalid("document", fmt.Sprintf("the campaign has no document %s", wording.Quote(id)))
		}
		x.chosen = append(x.chosen, i)
	}
	if len(x.chosen) == 0 {
		return campaign.Invalid("document", "choose at least one document")
	}
	slices.Sort(x.chosen)
	x.chosen = slices.Compact(x.chosen)
	return nil
}

func (x *editing) apply() error {
	e := x.edit
	switch e.Kind {
	case EditAssign:
		return x.assign(e.Logins)
	case EditUnassign:
		x.unassign(e.Logins)
	case EditHandOver:
		return x.handOver()
	case EditBalance:
		x.fill()
	case EditAnew:
		x.takeAway(x.Keeps)
		x.fill()
	case EditSetBatch:
		if e.Name != "" && x.BatchOf(e.Name).Name == "" {
			return campaign.Invalid("batch", "there is no such batch; make it first")
		}
		for _, i := range x.chosen {
			x.Documents[i].Batch = e.Name
		}
	case EditSetPool:
		if e.Name != "" && x.PoolOf(e.Name).Name == "" {
			return campaign.Invalid("pool", "there is no such pool; make it first")
		}
		for _, i := range x.chosen {
			x.Documents[i].Pool = e.Name
		}
		x.keepOutsidersOut()
	case EditSavePool:
		return x.savePool()
	case EditDropPool:
		return drop(x, "pool", &x.Pools, func(p Pool) string { return p.Name }, func(d *Document) *string { return &d.Pool })
	case EditSaveBatch:
		return x.saveBatch()
	case EditDropBatch:
		return drop(x, "batch", &x.Batches, func(b Batch) string { return b.Name }, func(d *Document) *string { return &d.Batch })
	case EditSetPeople:
		for _, person := range e.People {
			if err := x.setPerson(person); err != nil {
				return err
			}
		}
		if len(x.other) > 0 {
			x.note("Documents stay with their annotators until the plan is balanced again.")
		}
	case EditSetPull:
		x.setPull()
	case EditRows:
		return x.takeRows()
	case EditOutline:
		return x.takeOutline()
	case EditEnd:
		return x.end()
	default:
		return campaign.Invalid("do", "choose what to change")
	}
	return nil
}

// annotator finds an active annotator by login.
func (x *editing) annotator(field, login string) error {
	p, ok := x.Person(login)
	switch {
	case login == "":
		return campaign.Invalid(field, "choose an annotator")
	case !ok:
		return campaign.Invalid(field, fmt.Sprintf("%s is not an annotator of this campaign", wording.Quote(login)))
	case !p.Active:
		return campaign.Invalid(field, fmt.Sprintf("%s cannot be given work: the account cannot sign in, was removed, or is set aside", wording.Quote(login)))
	}
	return nil
}

// add plans an annotator for a document; false if the pool of the document does not have them, or they are kept apart from it.
func (x *editing) add(i int, login string) bool {
	d := &x.Documents[i]
	if d.Has(login) {
		return true
	}
	if !x.allows(*d, login) {
		return false
	}
	d.Turns = append(d.Turns, Turn{Login: login, Planned: x.Today, Left: d.Segments})
	slices.SortFunc(d.Turns, func(a, b Turn) int { return strings.Compare(a.Login, b.Login) })
	x.dropAbsent(d)
	return true
}

// dropAbsent takes a document away from annotators who are not active if others have their places now. Those
// with the last logins lose it first.
func (x *editing) dropAbsent(d *Document) {
	absent := func(t Turn) bool { return !t.Begun && !x.Keeps(t) }
	number := 0
	for _, t := range d.Turns {
		if absent(t) {
			number++
		}
	}
	for k := len(d.Turns) - 1; k >= 0 && number > x.Free(*d); k-- {
		if absent(d.Turns[k]) {
			d.Turns = slices.Delete(d.Turns, k, k+1)
			number--
		}
	}
}

func (x *editing) assign(logins []string) error {
	if len(logins) == 0 {
		return campaign.Invalid("login", "choose an annotator")
	}
	for _, login := range logins {
		if err := x.annotator("login", login); err != nil {
			return err
		}
	}
	over, out := 0, 0
	for _, i := range x.chosen {
		for _, login := range logins {
			if !x.add(i, login) {
				out++
			}
		}
		if x.Kept(x.Documents[i]) > x.Redundancy {
			over++
		}
	}
	if out > 0 {
		x.note("%s not filled, because the annotator is not in the pool of the document, or is kept apart from it.", were(out, "place"))
	}
	if over > 0 {
		x.note("%s more annotators than the redundancy of %d; the first of them who ask are handed it.", have(over, "document"), x.Redundancy)
	}
	return nil
}

// unassign takes documents that are not begun away; without logins from everyone.
func (x *editing) unassign(logins []string) {
	x.takeAway(func(t Turn) bool { return len(logins) == 0 || slices.Contains(logins, t.Login) })
}

// takeAway takes those places away that are not begun and for which from is true.
func (x *editing) takeAway(from func(Turn) bool) {
	kept := 0
	for _, i := range x.chosen {
		d := &x.Documents[i]
		d.Turns = slices.DeleteFunc(d.Turns, func(t Turn) bool {
			if !from(t) {
				return false
			}
			if t.Begun {
				kept++
			}
			return !t.Begun
		})
	}
	if kept > 0 {
		x.note("%s with the annotator who has begun the document.", stay(kept, "place"))
	}
}

func (x *editing) handOver() error {
	if len(x.edit.Logins) != 2 || x.edit.Logins[0] == x.edit.Logins[1] {
		return campaign.Invalid("to", "choose two different annotators")
	}
	from, to := x.edit.Logins[0], x.edit.Logins[1]
	if err := x.annotator("to", to); err != nil {
		return err
	}
	stays := 0
	for _, i := range x.chosen {
		d := &x.Documents[i]
		k := d.turn(from)
		switch {
		case k < 0:
		case d.Has(to) || !x.allows(*d, to) || d.Turns[k].Begun && x.Keeps(d.Turns[k]):
			stays++
		case d.Turns[k].Begun:
			x.add(i, to) // what somebody who is not active has left of the document
		default:
			d.Turns = slices.Delete(d.Turns, k, k+1)
			x.add(i, to)
		}
	}
	if stays > 0 {
		x.note("%s with %s, because %s has begun the document, or %s has it, is not in its pool, or is kept apart from it.", stay(stays, "place"), from, from, to)
	}
	return nil
}

// fill balances the chosen documents.
func (x *editing) fill() {
	x.balance = x.Plan.clone().balance(x.chosen, func(document int, login string) { x.add(document, login) })
	x.notes = append(x.notes, x.balance.Why...)
	x.notes = append(x.notes, explainSharing(x.Sharing(), len(x.Pools) > 0)...)
}

// keepOutsidersOut takes documents away from people who are not in the pool of the document, or are kept apart from it.
func (x *editing) keepOutsidersOut() {
	out, kept := 0, 0
	for i := range x.Documents {
		d := &x.Documents[i]
		d.Turns = slices.DeleteFunc(d.Turns, func(t Turn) bool {
			if x.allows(*d, t.Login) {
				return false
			}
			if t.Begun {
				kept++
				return false
			}
			out++
			return true
		})
	}
	if out > 0 {
		x.note("%s taken away from people who are not in the pool of the document, or are kept apart from it.", were(out, "place"))
	}
	if kept > 0 {
		x.note("%s with an annotator who is not in the pool, or is kept apart, but has begun the document.", stay(kept, "place"))
	}
}

func (x *editing) setPull() {
	if x.Version > 0 && x.Pull == x.edit.Pull {
		return
	}
	x.Pull = x.edit.Pull
	if x.Pull {
		x.say("Places without a planned annotator go to whoever asks for work.")
	} else {
		x.say("Places without a planned annotator are kept back.")
	}
}

// end removes everything that was planned.
func (x *editing) end() error {
	if x.Version == 0 {
		return campaign.Invalid("do", "the campaign has no plan")
	}
	for i := range x.Documents {
		d := &x.Documents[i]
		d.Pool, d.Batch = "", ""
		d.Turns = slices.DeleteFunc(d.Turns, func(t Turn) bool { return !t.Begun })
	}
	x.Pools, x.Batches, x.Pull = nil, nil, true
	for i := range x.People {
		x.People[i].Share, x.People[i].Words, x.People[i].Away = 1, 0, nil
	}
	x.say("The campaign has no plan any more: segments go to whoever asks for work.")
	return nil
}

func (x *editing) say(format string, args ...any) {
	x.other = append(x.other, fmt.Sprintf(format, args...))
}

func (x *editing) note(format string, args ...any) {
	x.notes = append(x.notes, fmt.Sprintf(format, args...))
}

func were(n int, noun string) string {
	return wording.Counted(n, noun) + " " + wording.Choose(n, "was", "were")
}

func have(n int, noun string) string {
	return wording.Counted(n, noun) + " " + wording.Choose(n, "has", "have")
}

func stay(n int, noun string) string {
	return wording.Counted(n, noun) + " " + wording.Choose(n, "stays", "stay")
}
