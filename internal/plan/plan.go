// Package plan says who annotates which documents of a campaign, what an edit changes of that
// ([Edit.Apply]), how words are divided among people ([Balance]), and how far people are
// ([Plan.Standings]). It is pure: package work stores plans, and hands out segments as they say.
package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// A Plan says who annotates which documents of a campaign. A campaign without a plan hands out its
// segments as they are asked for (pull). A plan holds for the first round:
//
//   - A document has as many places as the redundancy says. An annotator who is planned for a place is
//     handed the document before others, in the order of the documents' batches. The place is kept for them
//     while they are active.
//   - The place of an annotator who is not active is free until they have done the whole document, as far
//     as it waits for them. If they become active again, they have those of their places again that nobody
//     else was given meanwhile.
//   - A place that nobody is planned for goes to whoever asks for work, if Pull is set, and otherwise to
//     nobody. These documents, too, are handed out in the order of their batches.
//   - Only the members of its pool are handed a document, and nobody who is kept apart from it.
//   - A document that an annotator has begun stays with them whatever the plan says.
//
// A plan changes no rating and no assignment. It only decides what is handed out next.
type Plan struct {
	Version    int // rises with each change; 0 if the campaign has no plan
	Redundancy int // annotators that each document needs
	Pull       bool
	Today      string     // the day, as 2026-11-20, in the campaign's time zone
	Pools      []Pool     // by name
	Batches    []Batch    // by name
	People     []Person   // by login: active annotators, and others whom the plan names
	Documents  []Document // in the order of import
}

// A Pool is a set of documents that only its members are handed. A document belongs to at most one
// pool. Documents that match Domain and Pattern come into the pool when it is saved or when they are
// imported later, unless they are in another pool. A pool without both has only the documents that a
// lead puts there.
type Pool struct {
	Name    string
	Domain  string   // of the document's first segment; empty: any
	Pattern string   // of the document's id, with * and ?; empty: any
	Members []string // logins, sorted
}

// Takes reports whether the pool takes a document by its domain and id.
func (p Pool) Takes(domain, docID string) bool {
	if p.Domain == "" && p.Pattern == "" {
		return false
	}
	matched, _ := path.Match(globOf(p.Pattern), globText(docID))
	return (p.Domain == "" || p.Domain == domain) && (p.Pattern == "" || matched)
}

// globOf and globText prepare a pattern and a text for [path.Match]: only * and ? are special, and a
// slash is a character like others.
func globOf(pattern string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "/", "\x01").Replace(pattern)
}

func globText(text string) string { return strings.ReplaceAll(text, "/", "\x01") }

// A Batch is a set of documents that are handed out together, before those of a lower priority.
type Batch struct {
	Name     string
	Priority int    // from -1000 to 1000; the highest comes first; documents without a batch have 0
	Due      string // last day on which they should be done, as 2026-11-20; empty: none
}

// A Person is an annotator as a plan sees them.
type Person struct {
	ID     string // of the user
	Login  string
	Name   string
	Active bool
	// Inactive says why the person cannot be given work, such as "set aside"; empty if they can.
	Inactive string
	Share    float64 // part of the words, relative to the shares of others; 1 if nothing else is chosen, 0: none
	Words    int     // words to give them, whatever the share; 0: by share
	Away     []Away  // by first day
}

// Called is how pages speak of the person.
func (p Person) Called() string { return cmp.Or(p.Name, p.Login) }

// Away is a time in which a person does not annotate. Both days are included.
type Away struct{ From, To string }

// A Document is a document with the annotators who are planned for it.
type Document struct {
	ID       string // of the row
	DocID    string
	Domain   string // of its first segment
	Segments int
	Words    int // of its sources, as [codepoint.Words] counts
	Pool     string
	Batch    string
	Apart    []string // sorted logins of those who are kept apart from it, since they had a segment of it in an earlier campaign
	Turns    []Turn   // by login
}

// A Turn is the place of an annotator at a document.
type Turn struct {
	Login string
	// Begun: the annotator was handed segments of the document in round 1 and has not left them. Such a
	// place cannot be taken away.
	Begun   bool
	Planned string // day on which it was planned; empty if the annotator took the document by pull
	Done    int    // segments that the annotator has submitted
	Left    int    // segments that still wait for the annotator, and that others have left a place at
}

// turn returns the index of a login among the turns; -1 if it has none.
func (d Document) turn(login string) int {
	return slices.IndexFunc(d.Turns, func(t Turn) bool { return t.Login == login })
}

// Has reports whether an annotator has a place at the document, which may be free because they are not active;
// see [Plan.Keeps].
func (d Document) Has(login string) bool { return d.turn(login) >= 0 }

// Person returns a person by login, and whether the plan has them.
func (p Plan) Person(login string) (Person, bool) {
	i, ok := slices.BinarySearchFunc(p.People, login, func(x Person, l string) int { return strings.Compare(x.Login, l) })
	if !ok {
		return Person{}, false
	}
	return p.People[i], true
}

// BatchOf returns a batch by its name; the zero value if there is none.
func (p Plan) BatchOf(name string) Batch {
	i := slices.IndexFunc(p.Batches, func(b Batch) bool { return b.Name == name })
	if i < 0 {
		return Batch{}
	}
	return p.Batches[i]
}

// PoolOf returns a pool by its name; the zero value if there is none.
func (p Plan) PoolOf(name string) Pool {
	i := slices.IndexFunc(p.Pools, func(x Pool) bool { return x.Name == name })
	if i < 0 {
		return Pool{}
	}
	return p.Pools[i]
}

// allows reports whether the pool of a document has a person who is not kept apart from it.
func (p Plan) allows(d Document, login string) bool {
	pool := p.PoolOf(d.Pool)
	return (pool.Name == "" || slices.Contains(pool.Members, login)) && !slices.Contains(d.Apart, login)
}

// clone copies a plan so that changes of the copy leave the plan as it is.
func (p Plan) clone() Plan {
	p.Pools, p.Batches = slices.Clone(p.Pools), slices.Clone(p.Batches)
	p.People, p.Documents = slices.Clone(p.People), slices.Clone(p.Documents)
	for i := range p.Pools {
		p.Pools[i].Members = slices.Clone(p.Pools[i].Members)
	}
	for i := range p.People {
		p.People[i].Away = slices.Clone(p.People[i].Away)
	}
	for i := range p.Documents {
		p.Documents[i].Turns = slices.Clone(p.Documents[i].Turns)
	}
	return p
}

// Keeps reports whether a place is kept for its annotator: the annotator is active, or has done the document.
func (p Plan) Keeps(t Turn) bool {
	if t.Done > 0 && t.Left == 0 {
		return true
	}
	person, _ := p.Person(t.Login)
	return person.Active
}

// Kept counts the places of a document that are kept for annotators. There may be more of them than the
// redundancy.
func (p Plan) Kept(d Document) (n int) {
	for _, t := range d.Turns {
		if p.Keeps(t) {
			n++
		}
	}
	return n
}

// Free counts the places of a document that are kept for nobody.
func (p Plan) Free(d Document) int { return max(0, p.Redundancy-p.Kept(d)) }

// KeepsFor reports whether a document has a place that is kept for a person.
func (p Plan) KeepsFor(d Document, login string) bool {
	k := d.turn(login)
	return k >= 0 && p.Keeps(d.Turns[k])
}

// Load is the number of words of the documents with a place that is kept for a person.
func (p Plan) Load(login string) (words int) {
	for _, d := range p.Documents {
		if p.KeepsFor(d, login) {
			words += d.Words
		}
	}
	return words
}

// A Holding is what documents with a place that is kept for a person have together.
type Holding struct{ Documents, Words int }

// Holdings returns what is kept for each person, by login.
func (p Plan) Holdings() map[string]Holding {
	held := map[string]*Holding{}
	for _, d := range p.Documents {
		for _, t := range d.Turns {
			if !p.Keeps(t) {
				continue
			}
			h := held[t.Login]
			if h == nil {
				h = &Holding{}
				held[t.Login] = h
			}
			h.Documents, h.Words = h.Documents+1, h.Words+d.Words
		}
	}
	out := make(map[string]Holding, len(held))
	for login, h := range held {
		out[login] = *h
	}
	return out
}

// Short is the number of documents that have a free place.
func (p Plan) Short() (n int) {
	for _, d := range p.Documents {
		if p.Free(d) > 0 {
			n++
		}
	}
	return n
}

// FreePlaces is the number of free places of all documents.
func (p Plan) FreePlaces() (n int) {
	for _, d := range p.Documents {
		n += p.Free(d)
	}
	return n
}

// present counts the days from a day to another, both included, on which a person is not away.
func (p Person) present(from, to string) (n int) {
	day, err := time.Parse(time.DateOnly, from)
	end, err2 := time.Parse(time.DateOnly, to)
	if err != nil || err2 != nil {
		return 0
	}
	for range maxDays {
		if day.After(end) {
			return n
		}
		name := day.Format(time.DateOnly)
		if !slices.ContainsFunc(p.Away, func(a Away) bool { return a.From <= name && name <= a.To }) {
			n++
		}
		day = day.AddDate(0, 0, 1)
	}
	return n
}

// maxDays is the largest number of days over which presence is counted.
const maxDays = 3660

// dayAfter returns the day that is so many days after another.
func dayAfter(day string, days int) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return t.AddDate(0, 0, days).Format(time.DateOnly)
}

// A Standing of a person in a plan says how far they are with the documents that have a due date.
type Standing struct {
	Login string
	// Behind is the number of words that should be done by now and are not. It is 0 for someone who is
	// ahead. The words of a document should be done in equal parts on each day from the day after it was
	// planned to its due date, without the days on which the person is away. The words of a document that was
	// begun without being planned should be done by its due date.
	Behind  float64
	Overdue int    // documents that were due before today and are not done
	NextDue string // the earliest due date of a document that is not done; empty: none
	DueDocs int    // documents that are not done and due then
	Left    int    // words that are not done, of all places
}

// IsBehind reports whether a lead should know of it: something is overdue, or more than a tenth of the
// person's work with due dates should be done and is not.
func (s Standing) IsBehind() bool { return s.Overdue > 0 || s.Behind > 0 }

// behindFrom is the share of the words due by which a person may be late without a word.
const behindFrom = 0.1

// Standings tells for each person of the plan how far they are, in the order of People. Nothing is due from
// people who are not active, and nothing is left for them.
func (p Plan) Standings() []Standing {
	out := make([]Standing, len(p.People))
	sums := make([]struct{ due, expected, done float64 }, len(p.People))
	place := map[string]int{} // of the active people
	for i, person := range p.People {
		out[i].Login = person.Login
		if person.Active {
			place[person.Login] = i
		}
	}
	for _, d := range p.Documents {
		at := p.BatchOf(d.Batch).Due
		for _, t := range d.Turns {
			i, active := place[t.Login]
			if !active {
				continue
			}
			s, sum := &out[i], &sums[i]
			share := 1.0
			if t.Left > 0 {
				share = float64(t.Done) / float64(t.Done+t.Left)
			}
			left := int(float64(d.Words)*(1-share) + 0.5)
			s.Left += left
			if at == "" {
				continue
			}
			late := at < p.Today
			if t.Planned != "" || late {
				sum.due += float64(d.Words)
				sum.done += share * float64(d.Words)
				sum.expected += float64(d.Words) * p.People[i].elapsed(t.Planned, p.Today, at)
			}
			if t.Left == 0 {
				continue
			}
			if late {
				s.Overdue++
			}
			switch {
			case s.NextDue == "" || at < s.NextDue:
				s.NextDue, s.DueDocs = at, 1
			case at == s.NextDue:
				s.DueDocs++
			}
		}
	}
	for i, sum := range sums {
		if behind := sum.expected - sum.done; behind > behindFrom*sum.due {
			out[i].Behind = behind
		}
	}
	return out
}

// elapsed is the part of the person's days from the day after planned to due that is over today.
func (p Person) elapsed(planned, today, due string) float64 {
	if today > due {
		return 1
	}
	from := dayAfter(planned, 1)
	all := p.present(from, due)
	if all == 0 {
		return 0
	}
	return float64(p.present(from, dayAfter(today, -1))) / float64(all)
}

// A Change is what an edit does to a plan.
type Change struct {
	Documents []DocumentChange // in the order of import
	Other     []string         // changes of pools, batches, people and the plan as a whole, as sentences
	Notes     []string         // what the lead should know, such as what could not be done
	Loads     []LoadChange     // by login: people whose words change, or all active ones if the edit balances
	Short     []string         // ids of documents that balancing leaves with fewer annotators than the redundancy
}

// A DocumentChange is what an edit does to a document.
type DocumentChange struct {
	DocID        string
	Words        int
	Gained, Lost []string  // logins of those who get a place, and of those whose place becomes free
	Dropped      []string  // logins of people who are not active, and have no place any more if they return
	Pool, Batch  [2]string // before and after; equal if they do not change
}

// A LoadChange is how many words a person had and will have.
type LoadChange struct {
	Login         string
	Before, After int
	Target        *float64 // words that the person should have; nil unless the edit balances
}

// Empty reports whether nothing changes.
func (c Change) Empty() bool { return len(c.Documents) == 0 && len(c.Other) == 0 }

// Moves counts the places that are filled and those that become free. A place that goes from one annotator to
// another counts as both.
func (c Change) Moves() (filled, freed int) {
	for _, d := range c.Documents {
		filled, freed = filled+len(d.Gained), freed+len(d.Lost)
	}
	return filled, freed
}

// Fingerprint identifies the change, so that what is done is what was seen.
func (c Change) Fingerprint() string {
	h := sha256.New()
	for _, d := range c.Documents {
		fmt.Fprintf(h, "%q %q %q %q %q %q\n", d.DocID, d.Gained, d.Lost, d.Dropped, d.Pool, d.Batch)
	}
	fmt.Fprintf(h, "%q", c.Other)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// changeOf compares a plan with what it becomes.
func changeOf(before, after Plan) (c Change) {
	moved := map[string]bool{}
	for i, b := range before.Documents {
		a := after.Documents[i]
		d := DocumentChange{DocID: b.DocID, Words: b.Words, Pool: [2]string{b.Pool, a.Pool}, Batch: [2]string{b.Batch, a.Batch}}
		for _, t := range a.Turns {
			if !b.Has(t.Login) {
				d.Gained, moved[t.Login] = append(d.Gained, t.Login), true
			}
		}
		for _, t := range b.Turns {
			switch {
			case a.Has(t.Login):
			case before.Keeps(t):
				d.Lost, moved[t.Login] = append(d.Lost, t.Login), true
			default:
				d.Dropped = append(d.Dropped, t.Login)
			}
		}
		if len(d.Gained)+len(d.Lost)+len(d.Dropped) > 0 || d.Pool[0] != d.Pool[1] || d.Batch[0] != d.Batch[1] {
			c.Documents = append(c.Documents, d)
		}
	}
	for _, login := range slices.Sorted(maps.Keys(moved)) {
		c.Loads = append(c.Loads, LoadChange{Login: login, Before: before.Load(login), After: after.Load(login)})
	}
	return c
}
