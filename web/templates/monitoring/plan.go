package monitoring

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/plan"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A PlanView is the page on which a lead plans who annotates what.
type PlanView struct {
	templates.Page
	templates.Paging // of the documents
	Plan             plan.Plan
	Filter           PlanFilter
	Documents        []plan.Document // those of the page
	Domains          []string
	Standings        []plan.Standing         // in the order of the people
	Holdings         map[string]plan.Holding // by login
	EditBatch        plan.Batch              // whose fields the form of batches has; without a name, a new one
	EditPool         plan.Pool               // whose fields the form of pools has; without a name, a new one
	Chosen           []string                // ids of documents, in a form that is shown again
	Logins           []string                // the annotators chosen there
	Form             url.Values              // what was sent and could not be made; nil if nothing was
	Wrong            string                  // why nothing was changed; empty if nothing was wrong
	WrongRows        []*plan.RowError        // of an uploaded file
	MoreRows         int
}

// PlanRowsPerPage is the number of documents on a page of a plan.
const PlanRowsPerPage = 80

// A PlanFilter chooses documents of a plan. Empty fields choose all.
type PlanFilter struct {
	Text   string // part of the id
	Domain string
	Pool   string // [PlanNone]: in none
	Batch  string // [PlanNone]: in none
	Login  string // has a place
	Show   string // one of PlanShows
}

// PlanNone chooses documents without a pool or batch.
const PlanNone = "-"

// PlanShows are the values of [PlanFilter.Show].
var PlanShows = []templates.Option{
	{Value: "", Label: "all"},
	{Value: "short", Label: "with free places"},
	{Value: "waiting", Label: "not begun"},
	{Value: "begun", Label: "begun, not done"},
	{Value: "done", Label: "done"},
	{Value: "overdue", Label: "overdue"},
}

// Takes reports whether the filter chooses a document of a plan.
func (f PlanFilter) Takes(p plan.Plan, d plan.Document) bool {
	is := func(want, got string) bool { return want == "" || want == got || want == PlanNone && got == "" }
	if !is(f.Pool, d.Pool) || !is(f.Batch, d.Batch) || f.Domain != "" && f.Domain != d.Domain || f.Login != "" && !d.Has(f.Login) {
		return false
	}
	if f.Text != "" && !strings.Contains(strings.ToLower(d.DocID), strings.ToLower(f.Text)) {
		return false
	}
	switch f.Show {
	case "short":
		return p.Free(d) > 0
	case "waiting":
		return !begun(d)
	case "begun":
		return begun(d) && !done(p, d)
	case "done":
		return done(p, d)
	case "overdue":
		due := p.BatchOf(d.Batch).Due
		return due != "" && due < p.Today && !done(p, d)
	}
	return true
}

func begun(d plan.Document) bool {
	return slices.ContainsFunc(d.Turns, func(t plan.Turn) bool { return t.Begun })
}

// done reports whether a document has all its annotators and none of them has anything left to do.
func done(p plan.Plan, d plan.Document) bool {
	return p.Free(d) == 0 && !slices.ContainsFunc(d.Turns, func(t plan.Turn) bool { return t.Left > 0 && p.Keeps(t) })
}

// Query is the filter as it stands in an address.
func (f PlanFilter) Query() url.Values {
	return templates.QueryOf("text", f.Text, "domain", f.Domain, "pool", f.Pool, "batch", f.Batch, "login", f.Login, "show", f.Show)
}

func (v PlanView) filtered() bool { return v.Filter != PlanFilter{} }

func (v PlanView) address() string {
	return templates.PageAddress(v.Campaign.Path("plan"), v.Filter.Query(), v.Number)
}

// editing is the address that has the fields of a batch or pool in their form, with the filter of the list. param is
// edit-batch or edit-pool.
func (v PlanView) editing(param, name string) string {
	q := v.Filter.Query()
	q.Set(param, name)
	return templates.PageAddress(v.Campaign.Path("plan"), q, v.Number)
}

// opens reports whether the part of the page with the form of an edit is unfolded: as long as there is no plan, and when
// the edit could not be made.
func (v PlanView) opens(kind plan.EditKind) bool { return v.Plan.Version == 0 || v.wasSent(kind) }

// peopleSaid says who annotates, and how many of them are behind.
func (v PlanView) peopleSaid() string {
	said := wording.Counted(len(v.active()), "annotator")
	if n := len(BehindRows(v.Plan, v.Standings)); n > 0 {
		said += ", " + wording.Count(n) + " behind"
	}
	return said
}

func (v PlanView) batchesSaid() string {
	var names []string
	for _, b := range v.Plan.Batches {
		names = append(names, templates.Isolated(b.Name))
	}
	return namesOrNone(names)
}

func (v PlanView) poolsSaid() string {
	var names []string
	for _, p := range v.Plan.Pools {
		names = append(names, templates.Isolated(p.Name))
	}
	return namesOrNone(names)
}

func namesOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return wording.ListUpTo(names, 4)
}

// wasSent reports whether an edit of a kind was sent and could not be made.
func (v PlanView) wasSent(kind plan.EditKind) bool { return v.Form.Get("do") == string(kind) }

// typed is what a field of a form has: what was sent, if the edit could not be made, and otherwise what is stored.
func (v PlanView) typed(kind plan.EditKind, field, stored string) string {
	if v.wasSent(kind) {
		return v.Form.Get(field)
	}
	return stored
}

// typedFor is typed for a field of one person.
func (v PlanView) typedFor(login, field, stored string) string {
	if i := slices.Index(v.Form["person"], login); v.wasSent(plan.EditSetPeople) && i >= 0 && i < len(v.Form[field]) {
		return v.Form[field][i]
	}
	return stored
}

// inEditedPool reports whether the form of pools has somebody as a member.
func (v PlanView) inEditedPool(login string) bool {
	if v.wasSent(plan.EditSavePool) {
		return slices.Contains(v.Form["member"], login)
	}
	return slices.Contains(v.EditPool.Members, login)
}

// lead says below the title how far the plan is.
func (v PlanView) lead() string {
	words := 0
	for _, d := range v.Plan.Documents {
		words += d.Words
	}
	text := wording.Counted(len(v.Plan.Documents), "document") + ", " + wording.Counted(words, "word") + ". "
	annotators := wording.Choose(v.Plan.Redundancy, "annotator", wording.Counted(v.Plan.Redundancy, "annotator"))
	switch full := len(v.Plan.Documents) - v.Plan.Short(); {
	case v.Plan.Version == 0:
		return text + "Without a plan, segments go to whoever asks for work."
	case full == len(v.Plan.Documents):
		return text + "Every document has its " + annotators + "."
	default:
		has := wording.Counted(full, "document") + wording.Choose(full, " has its ", " have their ")
		if full == 0 {
			has = "No document has its "
		}
		return text + has + annotators + ". " +
			wording.Counted(v.Plan.FreePlaces(), "place") + " " + wording.Choose(v.Plan.FreePlaces(), "is", "are") + " free."
	}
}

func (v PlanView) active() (out []plan.Person) {
	for _, p := range v.Plan.People {
		if p.Active {
			out = append(out, p)
		}
	}
	return out
}

// eligible lists those who can be members of the pool that is edited: active annotators, and who is one already.
func (v PlanView) eligible() (out []plan.Person) {
	for _, p := range v.Plan.People {
		if p.Active || slices.Contains(v.EditPool.Members, p.Login) {
			out = append(out, p)
		}
	}
	return out
}

func peopleOptions(first string, people []plan.Person) []templates.Option {
	out := []templates.Option{{Label: first}}
	for _, p := range people {
		out = append(out, templates.Option{Value: p.Login, Label: p.Called()})
	}
	return out
}

func (v PlanView) poolOptions(first ...templates.Option) []templates.Option {
	for _, p := range v.Plan.Pools {
		first = append(first, templates.Option{Value: p.Name, Label: p.Name})
	}
	return first
}

func (v PlanView) batchOptions(first ...templates.Option) []templates.Option {
	for _, b := range v.Plan.Batches {
		first = append(first, templates.Option{Value: b.Name, Label: b.Name})
	}
	return first
}

// absent says why the place of an annotator is free; empty if it is kept.
func (v PlanView) absent(t plan.Turn) string {
	if v.Plan.Keeps(t) {
		return ""
	}
	i := slices.IndexFunc(v.Plan.People, func(p plan.Person) bool { return p.Login == t.Login })
	if i < 0 {
		return "not active"
	}
	return v.Plan.People[i].Inactive
}

// called is how the page speaks of somebody with a login.
func (v PlanView) called(login string) string { return planCalled(v.Plan, login) }

func planCalled(p plan.Plan, login string) string {
	for _, x := range p.People {
		if x.Login == login {
			return x.Called()
		}
	}
	return login
}

// planTurnState says how far an annotator is with a document.
func planTurnState(t plan.Turn) string {
	switch {
	case t.Left == 0 && t.Done > 0:
		return "done"
	case t.Begun && t.Done > 0:
		return strconv.Itoa(t.Done) + " of " + strconv.Itoa(t.Done+t.Left)
	case t.Begun:
		return "begun"
	}
	return ""
}

// documentsOf counts the documents for which a condition holds.
func (v PlanView) documentsOf(is func(plan.Document) bool) (n int) {
	for _, d := range v.Plan.Documents {
		if is(d) {
			n++
		}
	}
	return n
}

func (v PlanView) inPool(name string) int {
	return v.documentsOf(func(d plan.Document) bool { return d.Pool == name })
}

func (v PlanView) inBatch(name string) int {
	return v.documentsOf(func(d plan.Document) bool { return d.Batch == name })
}

func (v PlanView) doneInBatch(name string) int {
	return v.documentsOf(func(d plan.Document) bool { return d.Batch == name && done(v.Plan, d) })
}

// tooSmall reports whether a pool has fewer members who can be given work than a document needs annotators.
func (v PlanView) tooSmall(p plan.Pool) bool {
	n := 0
	for _, person := range v.Plan.People {
		if person.Inactive == "" && slices.Contains(p.Members, person.Login) {
			n++
		}
	}
	return n < v.Plan.Redundancy
}

// poolRule says which documents come into a pool by themselves.
func poolRule(p plan.Pool) string {
	switch {
	case p.Domain != "" && p.Pattern != "":
		return "domain " + p.Domain + ", id like " + p.Pattern
	case p.Domain != "":
		return "domain " + p.Domain
	case p.Pattern != "":
		return "id like " + p.Pattern
	}
	return "those chosen by hand"
}

// A BehindRow is an annotator who is behind the plan.
type BehindRow struct {
	Login string `person:"login"`
	Name  string `person:"name"`
	Text  string
	Left  int // words
}

// BehindRows lists the active annotators of a plan who are behind, by login. The standings are those of the plan.
func BehindRows(p plan.Plan, standings []plan.Standing) (out []BehindRow) {
	for i, s := range standings {
		if person := p.People[i]; person.Active && s.IsBehind() {
			out = append(out, BehindRow{Login: person.Login, Name: person.Called(), Text: behindText(s), Left: s.Left})
		}
	}
	return out
}

// behindText says how far somebody is behind; empty if they are not.
func behindText(s plan.Standing) string {
	var parts []string
	if s.Overdue > 0 {
		parts = append(parts, wording.Counted(s.Overdue, "document")+" overdue")
	}
	if s.Behind > 0 {
		parts = append(parts, wording.Counted(int(s.Behind+0.5), "word")+" behind")
	}
	return strings.Join(parts, ", ")
}

// A PlanChangeView asks whether to make a change that it shows.
type PlanChangeView struct {
	templates.Page
	Plan   plan.Plan
	Change plan.Change
	Title  string
	Form   url.Values // what was sent, to be sent again
	Back   string     // address of the plan
	Moved  bool       // the change is no longer what was shown before
}

// hidden lists the fields of the form by name, with their values.
func (v PlanChangeView) hidden() (out []templates.Pair) {
	for _, name := range slices.Sorted(maps.Keys(v.Form)) {
		for _, value := range v.Form[name] {
			out = append(out, templates.Pair{Term: name, Text: value})
		}
	}
	return out
}

// maxPlanChanges is the largest number of documents whose changes the page lists.
const maxPlanChanges = 200

func (v PlanChangeView) documents() []plan.DocumentChange {
	return v.Change.Documents[:min(len(v.Change.Documents), maxPlanChanges)]
}

// lead says how much changes.
func (v PlanChangeView) lead() string {
	if v.Change.Empty() {
		return "The plan is like this already, so nothing changes."
	}
	if len(v.Change.Documents) == 0 {
		return "No document moves."
	}
	text := wording.Counted(len(v.Change.Documents), "document") + " " + wording.Choose(len(v.Change.Documents), "changes", "change")
	if gained, lost := v.Change.Moves(); gained > 0 || lost > 0 {
		text += ": " + wording.Counted(gained, "place") + " filled, " + wording.Counted(lost, "place") + " freed"
	}
	return text + ". Nothing is stored yet."
}

// target is the words that somebody should have; empty unless the change balances.
func target(l plan.LoadChange) string {
	if l.Target == nil {
		return ""
	}
	return wording.Count(int(*l.Target + 0.5))
}

func (v PlanChangeView) names(logins []string) string {
	names := make([]string, len(logins))
	for i, l := range logins {
		names[i] = planCalled(v.Plan, l)
	}
	return strings.Join(names, ", ")
}

// placeText says what becomes of the pool or batch of a document; empty if it stays.
func placeText(noun string, change [2]string) string {
	switch {
	case change[0] == change[1]:
		return ""
	case change[1] == "":
		return "out of " + noun + " " + change[0]
	}
	return "into " + noun + " " + change[1]
}
