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

// An EditKind says what an edit does to a plan.
type EditKind string

// The kinds of edits. What each reads of an [Edit] stands beside it.
const (
	EditAssign    EditKind = "assign"     // plans Logins for Documents, beside those who are planned
	EditUnassign  EditKind = "unassign"   // takes Logins away from Documents; without Logins, everyone
	EditHandOver  EditKind = "hand-over"  // gives Logins[1] what Logins[0] has not begun of Documents
	EditBalance   EditKind = "balance"    // fills the places of Documents that nobody is planned for; see [Balance]
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
	Name   string
	Pool   Pool
	Batch  Batch
	People []Person
	// Fields names the fields of Pool (domain, pattern, member), Batch (priority, due) or People (share, words,
	// away) that the edit sets. The others stay as they are. Nil: all.
	Fields      []string
	Join, Leave []string // logins of people who become members of Pool, and of members who leave it
	Pull        bool
	Rows        []Row
	Outline     *Plan // of another campaign
}

// A Row is a line of a plan's file: an annotator of a document, and the batch of the document. A row
// without an annotator only names the batch.
type Row struct {
	File      string
	Line      int // from 1
	Document  string
	Annotator string
	Batch     string
	HasBatch  bool // the file has a column for batches
}

// A RowError is a row that a plan cannot take.
type RowError struct {
	File   string
	Line   int
	Column string // document, annotator or batch
	Msg    string
}

func (e *RowError) Error() string {
	return fmt.Sprintf("%s:%d: %s: %s", e.File, e.Line, e.Column, e.Msg)
}

// A RowsError lists the rows of a file that a plan cannot take, at most [MaxErrors].
type RowsError struct {
	Errors []*RowError
	More   int // further errors
}

// MaxErrors is the largest number of errors of one file that are listed.
const MaxErrors = 50

func (e *RowsError) Error() string {
	lines := make([]string, len(e.Errors))
	for i, x := range e.Errors {
		lines[i] = x.Error()
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
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
	change.Other, change.Notes, change.Balance = x.other, x.notes, x.balance
	change.Was, change.Is = x.was, x.is
	return x.Plan, change, nil
}

// editing is a plan that an edit is changing.
type editing struct {
	Plan
	before  Plan // as it was, with the new names of batches and pools
	edit    Edit
	chosen  []int // places of the documents that the edit is about
	other   []string
	was, is []string
	notes   []string
	balance *Balance
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
		if _, ok := x.pool(e.Name); e.Name != "" && !ok {
			return campaign.Invalid("pool", "there is no such pool; make it first")
		}
		for _, i := range x.chosen {
			x.Documents[i].Pool = e.Name
		}
		x.keepOutsidersOut()
	case EditSavePool:
		return x.savePool()
	case EditDropPool:
		return x.dropPool()
	case EditSaveBatch:
		return x.saveBatch()
	case EditDropBatch:
		return x.dropBatch()
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
	p, ok := x.person(login)
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

// add plans an annotator for a document; false if the pool of the document does not have them.
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
		x.note("%s not filled, because the annotator is not in the pool of the document.", were(out, "place"))
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
	begun, out, both := 0, 0, 0
	for _, i := range x.chosen {
		d := &x.Documents[i]
		k := d.turn(from)
		switch {
		case k < 0:
		case d.Turns[k].Begun && !x.Keeps(d.Turns[k]) && !d.Has(to) && x.allows(*d, to):
			x.add(i, to) // what somebody who is not active has left of the document
		case d.Turns[k].Begun:
			begun++
		case d.Has(to):
			both++
		case !x.allows(*d, to):
			out++
		default:
			d.Turns = slices.Delete(d.Turns, k, k+1)
			x.add(i, to)
		}
	}
	if begun > 0 {
		x.note("%s with %s, who has begun the document.", stay(begun, "place"), from)
	}
	if both > 0 {
		x.note("%s with %s, because %s has the document too.", stay(both, "place"), from, to)
	}
	if out > 0 {
		x.note("%s with %s, because %s is not in the pool of the document.", stay(out, "place"), from, to)
	}
	return nil
}

// fill balances the chosen documents.
func (x *editing) fill() {
	b := x.Plan.balance(x.chosen)
	for _, t := range b.turns {
		x.add(t.document, t.login)
	}
	x.balance = &b.Balance
	x.notes = append(x.notes, b.Why...)
	x.notes = append(x.notes, explainSharing(x.Sharing(), len(x.Pools) > 0)...)
}

// keepOutsidersOut takes documents away from people who are not in the pool of the document.
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
		x.note("%s taken away from people who are not in the pool of the document.", were(out, "place"))
	}
	if kept > 0 {
		x.note("%s with an annotator who is not in the pool but has begun the document.", stay(kept, "place"))
	}
}

// sets reports whether the edit sets a field of Pool, Batch or People.
func (e Edit) sets(field string) bool { return e.Fields == nil || slices.Contains(e.Fields, field) }

// namedBefore returns the name that a batch or pool has before an edit that gives it a name. has reports whether
// there is one with a name.
func (x *editing) namedBefore(what, name string, has func(string) bool) (string, error) {
	was := cmp.Or(x.edit.Name, name)
	switch {
	case was == name:
	case !has(was):
		return "", campaign.Invalid("name", "there is no such "+what)
	case has(name):
		return "", campaign.Invalid("name", fmt.Sprintf("there is a %s %s already; choose another name", what, wording.Quote(name)))
	}
	return was, nil
}

// rename gives the documents of a batch or pool its new name, which moves none of them. field is what names it.
func (x *editing) rename(was, name string, field func(*Document) *string) {
	if was == name {
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

func (x *editing) savePool() error {
	pool := x.edit.Pool
	if err := campaign.CheckName("name", pool.Name); err != nil {
		return err
	}
	if len(pool.Pattern) > 200 || len(pool.Domain) > 200 {
		return campaign.Invalid("pattern", "use at most 200 characters")
	}
	present, err := x.namedBefore("pool", pool.Name, func(name string) bool { _, ok := x.pool(name); return ok })
	if err != nil {
		return err
	}
	was, ok := x.pool(present)
	if !x.edit.sets("domain") {
		pool.Domain = was.Domain
	}
	if !x.edit.sets("pattern") {
		pool.Pattern = was.Pattern
	}
	if !x.edit.sets("member") {
		pool.Members = was.Members
	}
	pool.Members = slices.Compact(slices.Sorted(slices.Values(slices.Concat(pool.Members, x.edit.Join))))
	for _, login := range x.edit.Leave {
		if !slices.Contains(was.Members, login) {
			return campaign.Invalid("member", fmt.Sprintf("%s is not in the pool", wording.Quote(login)))
		}
	}
	pool.Members = slices.DeleteFunc(pool.Members, func(login string) bool { return slices.Contains(x.edit.Leave, login) })
	for _, login := range pool.Members {
		if _, known := x.person(login); !known && !slices.Contains(was.Members, login) {
			return campaign.Invalid("member", fmt.Sprintf("%s is not an annotator of this campaign", wording.Quote(login)))
		}
	}
	switch {
	case !ok:
		x.Pools = append(x.Pools, pool)
		x.say("New pool %s with %s%s.", pool.Name, membersInWords(pool.Members), pool.rule())
		x.from("", pool.inWords())
	case was.Name != pool.Name || was.Domain != pool.Domain || was.Pattern != pool.Pattern || !slices.Equal(was.Members, pool.Members):
		x.Pools[slices.IndexFunc(x.Pools, func(p Pool) bool { return p.Name == was.Name })] = pool
		x.rename(was.Name, pool.Name, func(d *Document) *string { return &d.Pool })
		x.say("Pool %s: %s.", was.Name, strings.Join(pool.differs(was), "; "))
		x.from(was.inWords(), pool.inWords())
	}
	slices.SortFunc(x.Pools, func(a, b Pool) int { return strings.Compare(a.Name, b.Name) })
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

// differs lists in words what differs from how the pool was.
func (p Pool) differs(was Pool) (out []string) {
	without := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(login string) bool { return slices.Contains(other, login) })
	}
	if p.Name != was.Name {
		out = append(out, "the name "+p.Name+" instead of "+was.Name)
	}
	if more := without(p.Members, was.Members); len(more) > 0 {
		out = append(out, "new members "+wording.ListUpTo(more, 12))
	}
	if less := without(was.Members, p.Members); len(less) > 0 {
		out = append(out, "no longer members "+wording.ListUpTo(less, 12))
	}
	if p.Domain != was.Domain {
		out = append(out, "the domain "+cmp.Or(p.Domain, "any")+" instead of "+cmp.Or(was.Domain, "any"))
	}
	if p.Pattern != was.Pattern {
		out = append(out, "ids like "+cmp.Or(p.Pattern, "any")+" instead of "+cmp.Or(was.Pattern, "any"))
	}
	return out
}

// inWords is the pool as the audit log has it.
func (p Pool) inWords() string {
	return "pool " + p.Name + ": " + membersInWords(p.Members) + p.rule()
}

// rule says which documents a pool takes.
func (p Pool) rule() string {
	switch {
	case p.Domain != "" && p.Pattern != "":
		return fmt.Sprintf(", for documents of the domain %s whose id is like %s", p.Domain, p.Pattern)
	case p.Domain != "":
		return fmt.Sprintf(", for documents of the domain %s", p.Domain)
	case p.Pattern != "":
		return fmt.Sprintf(", for documents whose id is like %s", p.Pattern)
	}
	return ""
}

func membersInWords(logins []string) string {
	if len(logins) == 0 {
		return "no members"
	}
	return "the members " + wording.ListUpTo(logins, 12)
}

func (x *editing) dropPool() error {
	i := slices.IndexFunc(x.Pools, func(p Pool) bool { return p.Name == x.edit.Name })
	if i < 0 {
		return campaign.Invalid("name", "there is no such pool")
	}
	was := x.Pools[i]
	x.Pools = slices.Delete(x.Pools, i, i+1)
	for k := range x.Documents {
		if x.Documents[k].Pool == x.edit.Name {
			x.Documents[k].Pool = ""
		}
	}
	x.say("The pool %s is removed.", x.edit.Name)
	x.from(was.inWords(), "")
	return nil
}

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
	present, err := x.namedBefore("batch", b.Name, func(name string) bool { return x.BatchOf(name).Name != "" })
	if err != nil {
		return err
	}
	was := x.BatchOf(present)
	if !x.edit.sets("priority") {
		b.Priority = was.Priority
	}
	if !x.edit.sets("due") {
		b.Due = was.Due
	}
	switch {
	case was.Name == "":
		x.Batches = append(x.Batches, b)
		x.say("New batch %s: priority %d, %s.", b.Name, b.Priority, b.dueInWords())
		x.from("", b.inWords())
	case was != b:
		x.Batches[slices.Index(x.Batches, was)] = b
		x.rename(was.Name, b.Name, func(d *Document) *string { return &d.Batch })
		var parts []string
		if was.Name != b.Name {
			parts = append(parts, "the name "+b.Name+" instead of "+was.Name)
		}
		if was.Priority != b.Priority {
			parts = append(parts, fmt.Sprintf("priority %d instead of %d", b.Priority, was.Priority))
		}
		if was.Due != b.Due {
			parts = append(parts, b.dueInWords()+" instead of "+was.dueInWords())
		}
		x.say("Batch %s: %s.", was.Name, strings.Join(parts, ", "))
		x.from(was.inWords(), b.inWords())
	}
	slices.SortFunc(x.Batches, func(a, b Batch) int { return strings.Compare(a.Name, b.Name) })
	if x.edit.Documents != nil {
		for _, i := range x.chosen {
			x.Documents[i].Batch = b.Name
		}
	}
	return nil
}

// dueInWords says when the documents of the batch should be done.
func (b Batch) dueInWords() string {
	if b.Due == "" {
		return "no due date"
	}
	return "due " + b.Due
}

// inWords is the batch as the audit log has it.
func (b Batch) inWords() string {
	return fmt.Sprintf("batch %s: priority %d, %s", b.Name, b.Priority, b.dueInWords())
}

func (x *editing) dropBatch() error {
	i := slices.IndexFunc(x.Batches, func(b Batch) bool { return b.Name == x.edit.Name })
	if i < 0 {
		return campaign.Invalid("name", "there is no such batch")
	}
	was := x.Batches[i]
	x.Batches = slices.Delete(x.Batches, i, i+1)
	for k := range x.Documents {
		if x.Documents[k].Batch == x.edit.Name {
			x.Documents[k].Batch = ""
		}
	}
	x.say("The batch %s is removed.", x.edit.Name)
	x.from(was.inWords(), "")
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
	for _, a := range to.Away {
		if err := checkDay("away", a.From); err != nil {
			return err
		}
		if err := checkDay("away", a.To); err != nil {
			return err
		}
		if a.To < a.From {
			return campaign.Invalid("away", "the last day is before the first")
		}
	}
	slices.SortFunc(to.Away, func(a, b Away) int { return strings.Compare(a.From+a.To, b.From+b.To) })
	to.Away = slices.Compact(to.Away)
	was := x.People[i]
	if !x.edit.sets("share") {
		to.Share = was.Share
	}
	if !x.edit.sets("words") {
		to.Words = was.Words
	}
	if !x.edit.sets("away") {
		to.Away = was.Away
	}
	if was.Share == to.Share && was.Words == to.Words && slices.Equal(was.Away, to.Away) {
		return nil
	}
	x.People[i].Share, x.People[i].Words, x.People[i].Away = to.Share, to.Words, to.Away
	x.say("%s: %s.", to.Login, strings.Join(x.People[i].differs(was), ", "))
	x.from(was.inWords(), x.People[i].inWords())
	return nil
}

// differs lists in words what differs from how much the person should have got, and when they were away.
func (p Person) differs(was Person) (out []string) {
	if p.Share != was.Share {
		out = append(out, "share "+wording.Plain(p.Share)+" instead of "+wording.Plain(was.Share))
	}
	if p.Words != was.Words {
		out = append(out, p.fixed()+" instead of "+was.fixed())
	}
	if !slices.Equal(p.Away, was.Away) {
		out = append(out, "away "+cmp.Or(AwayText(p.Away), "never")+" instead of "+cmp.Or(AwayText(was.Away), "never"))
	}
	return out
}

// fixed says how many words the person should get, whatever the share.
func (p Person) fixed() string {
	if p.Words == 0 {
		return "no fixed words"
	}
	return wording.Counted(p.Words, "fixed word")
}

// inWords is what the plan says of the person, as the audit log has it.
func (p Person) inWords() string {
	return p.Login + ": share " + wording.Plain(p.Share) + ", " + p.fixed() + ", away " + cmp.Or(AwayText(p.Away), "never")
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

func (x *editing) setPull() {
	if x.Version > 0 && x.Pull == x.edit.Pull {
		return
	}
	x.Pull = x.edit.Pull
	if x.Pull {
		x.say("Places that nobody is planned for go to whoever asks for work.")
	} else {
		x.say("Places that nobody is planned for are kept back.")
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

// takeRows replaces the annotators and batches of the documents that the rows name. Places of people who are
// not active are in no file, and stay until others have them.
func (x *editing) takeRows() error {
	var wrong RowsError
	refuse := func(r Row, column, format string, args ...any) {
		if len(wrong.Errors) == MaxErrors {
			wrong.More++
			return
		}
		wrong.Errors = append(wrong.Errors, &RowError{File: r.File, Line: r.Line, Column: column, Msg: fmt.Sprintf(format, args...)})
	}
	place := make(map[string]int, len(x.Documents))
	for i, d := range x.Documents {
		place[d.DocID] = i
	}
	first := map[int]Row{}              // of each document
	seen := map[[2]string]int{}         // lines by document and annotator
	wanted := map[int]map[string]bool{} // annotators of each document
	for _, r := range x.edit.Rows {
		i, ok := place[r.Document]
		if !ok {
			refuse(r, "document", "the campaign has no document %s", wording.Quote(r.Document))
			continue
		}
		d := x.Documents[i]
		if f, ok := first[i]; !ok {
			first[i], wanted[i] = r, map[string]bool{}
		} else if f.Batch != r.Batch {
			refuse(r, "batch", "line %d puts the document into the batch %s, not %s; a document has one batch", f.Line, wording.Quote(f.Batch), wording.Quote(r.Batch))
		}
		if r.HasBatch && r.Batch != "" && x.BatchOf(r.Batch).Name == "" {
			refuse(r, "batch", "there is no batch %s; make it first", wording.Quote(r.Batch))
		}
		if r.Annotator == "" {
			continue
		}
		if line, twice := seen[[2]string{r.Document, r.Annotator}]; twice {
			refuse(r, "annotator", "line %d says the same", line)
		}
		seen[[2]string{r.Document, r.Annotator}] = r.Line
		if !d.Has(r.Annotator) { // those who are planned may stay, whatever has become of them
			if err := x.annotator("", r.Annotator); err != nil {
				refuse(r, "annotator", "%s", err)
				continue
			}
			if !x.allows(d, r.Annotator) {
				refuse(r, "annotator", "%s is not in the pool %s of the document", wording.Quote(r.Annotator), wording.Quote(d.Pool))
			}
		}
		wanted[i][r.Annotator] = true
	}
	if len(wrong.Errors) > 0 {
		return &wrong
	}
	kept := 0
	for i := range x.Documents {
		f, named := first[i]
		if !named {
			continue
		}
		d := &x.Documents[i]
		d.Turns = slices.DeleteFunc(d.Turns, func(t Turn) bool {
			if t.Begun && !wanted[i][t.Login] && x.Keeps(t) {
				kept++
			}
			return !t.Begun && !wanted[i][t.Login] && x.Keeps(t)
		})
		for login := range wanted[i] {
			x.add(i, login)
		}
		if f.HasBatch {
			d.Batch = f.Batch
		}
	}
	if kept > 0 {
		x.note("%s with the annotator who has begun the document, although the file does not name them.", stay(kept, "place"))
	}
	return nil
}

func (x *editing) say(format string, args ...any) {
	x.other = append(x.other, fmt.Sprintf(format, args...))
}

// from notes what a pool, batch or person was and is, for the audit log.
func (x *editing) from(was, is string) {
	if was != "" {
		x.was = append(x.was, was)
	}
	if is != "" {
		x.is = append(x.is, is)
	}
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
