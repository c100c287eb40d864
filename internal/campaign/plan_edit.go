package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"annotate/internal/wording"
)

// A PlanEditKind says what an edit does to a plan.
type PlanEditKind string

// The kinds of edits. What each reads of a [PlanEdit] stands beside it.
const (
	PlanAssign    PlanEditKind = "assign"     // plans Logins for Documents, beside those who are planned
	PlanUnassign  PlanEditKind = "unassign"   // takes Logins away from Documents; without Logins, everyone
	PlanHandOver  PlanEditKind = "hand-over"  // gives Logins[1] what Logins[0] has not begun of Documents
	PlanBalance   PlanEditKind = "balance"    // fills the places of Documents that nobody is planned for; see [Balance]
	PlanAnew      PlanEditKind = "anew"       // is PlanBalance after PlanUnassign of everyone
	PlanSetBatch  PlanEditKind = "batch"      // puts Documents into the batch Name; none if it is empty
	PlanSetPool   PlanEditKind = "pool"       // puts Documents into the pool Name; none if it is empty
	PlanSavePool  PlanEditKind = "save-pool"  // makes or changes Pool
	PlanDropPool  PlanEditKind = "drop-pool"  // removes the pool Name
	PlanSaveBatch PlanEditKind = "save-batch" // makes or changes Batch
	PlanDropBatch PlanEditKind = "drop-batch" // removes the batch Name
	PlanSetPeople PlanEditKind = "people"     // stores Share, Words and Away of each of People
	PlanSetPull   PlanEditKind = "pull"       // stores Pull
	PlanRows      PlanEditKind = "rows"       // plans the documents that Rows name as they say
	PlanEnd       PlanEditKind = "end"        // removes the plan
)

// A PlanEdit is one change of a plan.
type PlanEdit struct {
	Kind      PlanEditKind
	Documents []string // ids of documents; nil: all
	Logins    []string
	Name      string
	Pool      Pool
	Batch     Batch
	People    []PlanPerson
	Pull      bool
	Rows      []PlanRow
}

// A PlanRow is a line of a plan's file: an annotator of a document, and the batch of the document. A row
// without an annotator only names the batch.
type PlanRow struct {
	File      string
	Line      int // from 1
	Document  string
	Annotator string
	Batch     string
	HasBatch  bool // the file has a column for batches
}

// A PlanRowError is a row that a plan cannot take.
type PlanRowError struct {
	File   string
	Line   int
	Column string // document, annotator or batch
	Msg    string
}

func (e *PlanRowError) Error() string {
	return fmt.Sprintf("%s:%d: %s: %s", e.File, e.Line, e.Column, e.Msg)
}

// A PlanRowsError lists the rows of a file that a plan cannot take, at most [MaxPlanErrors].
type PlanRowsError struct {
	Errors []*PlanRowError
	More   int // further errors
}

// MaxPlanErrors is the largest number of errors of one file that are listed.
const MaxPlanErrors = 50

func (e *PlanRowsError) Error() string {
	lines := make([]string, len(e.Errors))
	for i, x := range e.Errors {
		lines[i] = x.Error()
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}

// Apply returns the plan after an edit and what the edit changes. The error is an [InvalidError] or a
// [PlanRowsError] if the edit cannot be made. The plan itself stays as it is.
func (e PlanEdit) Apply(p Plan) (after Plan, change PlanChange, err error) {
	x := planEditing{Plan: p.clone(), edit: e}
	if err := x.choose(); err != nil {
		return p, change, err
	}
	if err := x.apply(); err != nil {
		return p, change, err
	}
	change = changeOf(p, x.Plan)
	change.Other, change.Notes, change.Balance = x.other, x.notes, x.balance
	return x.Plan, change, nil
}

// planEditing is a plan that an edit is changing.
type planEditing struct {
	Plan
	edit    PlanEdit
	chosen  []int // places of the documents that the edit is about
	other   []string
	notes   []string
	balance *Balance
}

// choose finds the documents that the edit is about.
func (x *planEditing) choose() error {
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
			return Invalid("document", fmt.Sprintf("the campaign has no document %s", wording.Quote(id)))
		}
		x.chosen = append(x.chosen, i)
	}
	if len(x.chosen) == 0 {
		return Invalid("document", "choose at least one document")
	}
	slices.Sort(x.chosen)
	x.chosen = slices.Compact(x.chosen)
	return nil
}

func (x *planEditing) apply() error {
	e := x.edit
	switch e.Kind {
	case PlanAssign:
		return x.assign(e.Logins)
	case PlanUnassign:
		x.unassign(e.Logins)
	case PlanHandOver:
		return x.handOver()
	case PlanBalance:
		x.fill()
	case PlanAnew:
		x.unassign(nil)
		x.fill()
	case PlanSetBatch:
		if e.Name != "" && x.BatchOf(e.Name).Name == "" {
			return Invalid("batch", "there is no such batch; make it first")
		}
		for _, i := range x.chosen {
			x.Documents[i].Batch = e.Name
		}
	case PlanSetPool:
		if _, ok := x.pool(e.Name); e.Name != "" && !ok {
			return Invalid("pool", "there is no such pool; make it first")
		}
		for _, i := range x.chosen {
			x.Documents[i].Pool = e.Name
		}
		x.keepOutsidersOut()
	case PlanSavePool:
		return x.savePool()
	case PlanDropPool:
		return x.dropPool()
	case PlanSaveBatch:
		return x.saveBatch()
	case PlanDropBatch:
		return x.dropBatch()
	case PlanSetPeople:
		for _, person := range e.People {
			if err := x.setPerson(person); err != nil {
				return err
			}
		}
		if len(x.other) > 0 {
			x.note("Turns stay as they are until the plan is balanced again.")
		}
	case PlanSetPull:
		x.setPull()
	case PlanRows:
		return x.takeRows()
	case PlanEnd:
		return x.end()
	default:
		return Invalid("do", "choose what to change")
	}
	return nil
}

// annotator finds an active annotator by login.
func (x *planEditing) annotator(field, login string) error {
	p, ok := x.person(login)
	switch {
	case login == "":
		return Invalid(field, "choose an annotator")
	case !ok:
		return Invalid(field, fmt.Sprintf("%s is not an annotator of this campaign", wording.Quote(login)))
	case !p.Active:
		return Invalid(field, fmt.Sprintf("%s cannot be given work: the account cannot sign in, was removed, or is set aside", wording.Quote(login)))
	}
	return nil
}

// add plans an annotator for a document; false if the pool of the document does not have them.
func (x *planEditing) add(i int, login string) bool {
	d := &x.Documents[i]
	if d.Has(login) {
		return true
	}
	if !x.allows(*d, login) {
		return false
	}
	d.Turns = append(d.Turns, PlanTurn{Login: login, Planned: x.Today, Left: d.Segments})
	slices.SortFunc(d.Turns, func(a, b PlanTurn) int { return strings.Compare(a.Login, b.Login) })
	return true
}

func (x *planEditing) assign(logins []string) error {
	if len(logins) == 0 {
		return Invalid("login", "choose an annotator")
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
		if len(x.Documents[i].Turns) > x.Redundancy {
			over++
		}
	}
	if out > 0 {
		x.note("%s not planned, because the pool of the document does not have the annotator.", were(out, "turn"))
	}
	if over > 0 {
		x.note("%s more annotators than the redundancy of %d; the first of them who ask are handed it.", have(over, "document"), x.Redundancy)
	}
	return nil
}

// unassign takes turns away that are not begun; without logins those of everyone.
func (x *planEditing) unassign(logins []string) {
	kept := 0
	for _, i := range x.chosen {
		d := &x.Documents[i]
		d.Turns = slices.DeleteFunc(d.Turns, func(t PlanTurn) bool {
			if len(logins) > 0 && !slices.Contains(logins, t.Login) {
				return false
			}
			if t.Begun {
				kept++
			}
			return !t.Begun
		})
	}
	if kept > 0 {
		x.note("%s with the annotator who has begun the document.", stay(kept, "turn"))
	}
}

func (x *planEditing) handOver() error {
	if len(x.edit.Logins) != 2 || x.edit.Logins[0] == x.edit.Logins[1] {
		return Invalid("to", "choose two different annotators")
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
		x.note("%s with %s, who has begun the document.", stay(begun, "turn"), from)
	}
	if both > 0 {
		x.note("%s with %s, because %s has the document too.", stay(both, "turn"), from, to)
	}
	if out > 0 {
		x.note("%s with %s, because the pool of the document does not have %s.", stay(out, "turn"), from, to)
	}
	return nil
}

// fill balances the chosen documents.
func (x *planEditing) fill() {
	b := x.Plan.balance(x.chosen)
	for _, t := range b.turns {
		x.add(t.document, t.login)
	}
	x.balance = &b.Balance
	x.notes = append(x.notes, b.Why...)
}

// keepOutsidersOut takes turns away from people whom the pool of the document does not have.
func (x *planEditing) keepOutsidersOut() {
	out, kept := 0, 0
	for i := range x.Documents {
		d := &x.Documents[i]
		d.Turns = slices.DeleteFunc(d.Turns, func(t PlanTurn) bool {
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
		x.note("%s taken away from people who are not in the pool of the document.", were(out, "turn"))
	}
	if kept > 0 {
		x.note("%s with an annotator who is not in the pool but has begun the document.", stay(kept, "turn"))
	}
}

func (x *planEditing) savePool() error {
	pool := x.edit.Pool
	if err := CheckName("name", pool.Name); err != nil {
		return err
	}
	if len(pool.Pattern) > 200 || len(pool.Domain) > 200 {
		return Invalid("pattern", "use at most 200 characters")
	}
	pool.Members = slices.Compact(slices.Sorted(slices.Values(pool.Members)))
	for _, login := range pool.Members {
		if _, ok := x.person(login); !ok {
			return Invalid("member", fmt.Sprintf("%s is not an annotator of this campaign", wording.Quote(login)))
		}
	}
	was, ok := x.pool(pool.Name)
	switch {
	case !ok:
		x.Pools = append(x.Pools, pool)
		slices.SortFunc(x.Pools, func(a, b Pool) int { return strings.Compare(a.Name, b.Name) })
		x.say("New pool %s with %s%s.", pool.Name, membersInWords(pool.Members), pool.rule())
	case was.Domain != pool.Domain || was.Pattern != pool.Pattern || !slices.Equal(was.Members, pool.Members):
		x.Pools[slices.IndexFunc(x.Pools, func(p Pool) bool { return p.Name == pool.Name })] = pool
		x.say("Pool %s has %s%s.", pool.Name, membersInWords(pool.Members), pool.rule())
	}
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

func (x *planEditing) dropPool() error {
	i := slices.IndexFunc(x.Pools, func(p Pool) bool { return p.Name == x.edit.Name })
	if i < 0 {
		return Invalid("name", "there is no such pool")
	}
	x.Pools = slices.Delete(x.Pools, i, i+1)
	for k := range x.Documents {
		if x.Documents[k].Pool == x.edit.Name {
			x.Documents[k].Pool = ""
		}
	}
	x.say("The pool %s is removed.", x.edit.Name)
	return nil
}

func (x *planEditing) saveBatch() error {
	b := x.edit.Batch
	if err := CheckName("name", b.Name); err != nil {
		return err
	}
	if b.Priority < -1000 || b.Priority > 1000 {
		return Invalid("priority", "must be a whole number from -1000 to 1000")
	}
	if err := checkDay("due", b.Due); b.Due != "" && err != nil {
		return err
	}
	was := x.BatchOf(b.Name)
	due := "no due date"
	if b.Due != "" {
		due = "due " + b.Due
	}
	switch {
	case was.Name == "":
		x.Batches = append(x.Batches, b)
		slices.SortFunc(x.Batches, func(a, b Batch) int { return strings.Compare(a.Name, b.Name) })
		x.say("New batch %s: priority %d, %s.", b.Name, b.Priority, due)
	case was != b:
		x.Batches[slices.Index(x.Batches, was)] = b
		x.say("Batch %s: priority %d, %s.", b.Name, b.Priority, due)
	}
	if x.edit.Documents != nil {
		for _, i := range x.chosen {
			x.Documents[i].Batch = b.Name
		}
	}
	return nil
}

func (x *planEditing) dropBatch() error {
	i := slices.IndexFunc(x.Batches, func(b Batch) bool { return b.Name == x.edit.Name })
	if i < 0 {
		return Invalid("name", "there is no such batch")
	}
	x.Batches = slices.Delete(x.Batches, i, i+1)
	for k := range x.Documents {
		if x.Documents[k].Batch == x.edit.Name {
			x.Documents[k].Batch = ""
		}
	}
	x.say("The batch %s is removed.", x.edit.Name)
	return nil
}

func checkDay(field, day string) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return Invalid(field, "write a day such as 2026-12-24")
	}
	return nil
}

func (x *planEditing) setPerson(to PlanPerson) error {
	i := slices.IndexFunc(x.People, func(p PlanPerson) bool { return p.Login == to.Login })
	if i < 0 {
		return Invalid("login", fmt.Sprintf("%s is not an annotator of this campaign", wording.Quote(to.Login)))
	}
	if math.IsNaN(to.Share) || to.Share < 0 || to.Share > 1000 {
		return Invalid("share", "must be a number from 0 to 1000")
	}
	if to.Words < 0 || to.Words > 1_000_000_000 {
		return Invalid("words", "must be a whole number, 0 or more")
	}
	for _, a := range to.Away {
		if err := checkDay("away", a.From); err != nil {
			return err
		}
		if err := checkDay("away", a.To); err != nil {
			return err
		}
		if a.To < a.From {
			return Invalid("away", "the last day is before the first")
		}
	}
	slices.SortFunc(to.Away, func(a, b Away) int { return strings.Compare(a.From+a.To, b.From+b.To) })
	to.Away = slices.Compact(to.Away)
	was := x.People[i]
	if was.Share == to.Share && was.Words == to.Words && slices.Equal(was.Away, to.Away) {
		return nil
	}
	x.People[i].Share, x.People[i].Words, x.People[i].Away = to.Share, to.Words, to.Away
	x.say("%s: %s%s.", to.Login, x.People[i].part(), x.People[i].absence())
	return nil
}

// part says how much a person should get.
func (p PlanPerson) part() string {
	if p.Words > 0 {
		return wording.Counted(p.Words, "word")
	}
	return "share " + wording.Plain(p.Share)
}

func (p PlanPerson) absence() string {
	if len(p.Away) == 0 {
		return ""
	}
	return ", away " + AwayText(p.Away)
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

// ParseAway reads absences such as "2026-12-24..2027-01-02, 2027-02-01". The error is an [InvalidError]
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
			return nil, Invalid("away", "write days such as 2026-12-24..2027-01-02, separated by commas")
		}
		if a.To < a.From {
			return nil, Invalid("away", "the last day "+a.To+" is before the first, "+a.From)
		}
		out = append(out, a)
	}
	return out, nil
}

func (x *planEditing) setPull() {
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
func (x *planEditing) end() error {
	if x.Version == 0 {
		return Invalid("do", "the campaign has no plan")
	}
	for i := range x.Documents {
		d := &x.Documents[i]
		d.Pool, d.Batch = "", ""
		d.Turns = slices.DeleteFunc(d.Turns, func(t PlanTurn) bool { return !t.Begun })
	}
	x.Pools, x.Batches, x.Pull = nil, nil, true
	for i := range x.People {
		x.People[i].Share, x.People[i].Words, x.People[i].Away = 1, 0, nil
	}
	x.say("The campaign has no plan any more: segments go to whoever asks for work.")
	return nil
}

// takeRows replaces the turns and batches of the documents that the rows name.
func (x *planEditing) takeRows() error {
	var wrong PlanRowsError
	refuse := func(r PlanRow, column, format string, args ...any) {
		if len(wrong.Errors) == MaxPlanErrors {
			wrong.More++
			return
		}
		wrong.Errors = append(wrong.Errors, &PlanRowError{File: r.File, Line: r.Line, Column: column, Msg: fmt.Sprintf(format, args...)})
	}
	place := make(map[string]int, len(x.Documents))
	for i, d := range x.Documents {
		place[d.DocID] = i
	}
	first := map[int]PlanRow{}          // of each document
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
		d.Turns = slices.DeleteFunc(d.Turns, func(t PlanTurn) bool {
			if t.Begun && !wanted[i][t.Login] {
				kept++
			}
			return !t.Begun && !wanted[i][t.Login]
		})
		for login := range wanted[i] {
			x.add(i, login)
		}
		if f.HasBatch {
			d.Batch = f.Batch
		}
	}
	if kept > 0 {
		x.note("%s with the annotator who has begun the document, although the file does not name them.", stay(kept, "turn"))
	}
	return nil
}

func (x *planEditing) say(format string, args ...any) {
	x.other = append(x.other, fmt.Sprintf(format, args...))
}

func (x *planEditing) note(format string, args ...any) {
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
