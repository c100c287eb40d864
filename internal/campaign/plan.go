package campaign

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// A Plan says who annotates which documents of a campaign. A campaign without a plan hands out its
// segments as they are asked for (pull). A plan holds for the first round:
//
//   - A turn gives a document to an annotator. The annotator is handed the document before others, in
//     the order of the documents' batches, and its places are kept for them while they are active.
//   - A place that nobody is planned for goes to whoever asks for work, if Pull is set, and otherwise to
//     nobody. These documents, too, are handed out in the order of their batches.
//   - Only the members of its pool are handed a document.
//   - A document that an annotator has begun stays with them whatever the plan says.
//
// A plan changes no rating and no assignment. It only decides what is handed out next.
type Plan struct {
	Version    int // rises with each change; 0 if the campaign has no plan
	Redundancy int // annotators that each document needs
	Pull       bool
	Today      string         // the day, as 2026-11-20, in the campaign's time zone
	Pools      []Pool         // by name
	Batches    []Batch        // by name
	People     []PlanPerson   // by login: active annotators, and others whom the plan names
	Documents  []PlanDocument // in the order of import
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

// A PlanPerson is an annotator as a plan sees them.
type PlanPerson struct {
	ID     string // of the user
	Login  string
	Name   string
	Active bool
	Share  float64 // part of the words, relative to the shares of others; 1 if nothing else is chosen, 0: none
	Words  int     // words to give them, whatever the share; 0: by share
	Away   []Away  // by first day
}

// Called is how pages speak of the person.
func (p PlanPerson) Called() string { return cmp.Or(p.Name, p.Login) }

// Away is a time in which a person does not annotate. Both days are included.
type Away struct{ From, To string }

// A PlanDocument is a document with the annotators who are planned for it.
type PlanDocument struct {
	ID       string // of the row
	DocID    string
	Domain   string // of its first segment
	Segments int
	Words    int // of its sources, as [codepoint.Words] counts
	Pool     string
	Batch    string
	Turns    []PlanTurn // by login
}

// A PlanTurn is an annotator's part in a document.
type PlanTurn struct {
	Login string
	// Begun: the annotator was handed segments of the document in round 1 and has not left them. Such a
	// turn cannot be taken out of a plan.
	Begun   bool
	Planned string // day on which it was planned; empty if the annotator took the document by pull
	Done    int    // segments that the annotator has submitted
	Left    int    // segments that still wait for the annotator
}

// turn returns the index of a login among the turns; -1 if it has none.
func (d PlanDocument) turn(login string) int {
	return slices.IndexFunc(d.Turns, func(t PlanTurn) bool { return t.Login == login })
}

// Has reports whether an annotator has a turn at the document.
func (d PlanDocument) Has(login string) bool { return d.turn(login) >= 0 }

func (p Plan) person(login string) (PlanPerson, bool) {
	i, ok := slices.BinarySearchFunc(p.People, login, func(x PlanPerson, l string) int { return strings.Compare(x.Login, l) })
	if !ok {
		return PlanPerson{}, false
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

func (p Plan) pool(name string) (Pool, bool) {
	i := slices.IndexFunc(p.Pools, func(x Pool) bool { return x.Name == name })
	if i < 0 {
		return Pool{}, false
	}
	return p.Pools[i], true
}

// allows reports whether the pool of a document has a person.
func (p Plan) allows(d PlanDocument, login string) bool {
	pool, in := p.pool(d.Pool)
	return !in || slices.Contains(pool.Members, login)
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

// Load is the number of words of a person's turns.
func (p Plan) Load(login string) (words int) {
	for _, d := range p.Documents {
		if d.Has(login) {
			words += d.Words
		}
	}
	return words
}

// Short is the number of documents with fewer turns than the redundancy.
func (p Plan) Short() (n int) {
	for _, d := range p.Documents {
		if len(d.Turns) < p.Redundancy {
			n++
		}
	}
	return n
}

// present counts the days from a day to another, both included, on which a person is not away.
func (p PlanPerson) present(from, to string) (n int) {
	day, err := time.Parse(time.DateOnly, from)
	end, err2 := time.Parse(time.DateOnly, to)
	if err != nil || err2 != nil {
		return 0
	}
	for range maxPlanDays {
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

// maxPlanDays is the largest number of days over which presence is counted.
const maxPlanDays = 3660

// dayAfter returns the day that is so many days after another.
func dayAfter(day string, days int) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return t.AddDate(0, 0, days).Format(time.DateOnly)
}

// A PlanStanding of a person in a plan says how far they are with the documents that have a due date.
type PlanStanding struct {
	Login string
	// Behind is the number of words that should be done by now and are not. It is 0 for someone who is
	// ahead. The words of a document should be done in equal parts on each day from the day after it was
	// planned to its due date, without the days on which the person is away.
	Behind  float64
	Overdue int    // documents that were due before today and are not done
	NextDue string // the earliest due date of a document that is not done; empty: none
	DueDocs int    // documents that are not done and due then
	Left    int    // words that are not done, of all turns
}

// IsBehind reports whether a lead should know of it: something is overdue, or more than a tenth of the
// person's work with due dates should be done and is not.
func (s PlanStanding) IsBehind() bool { return s.Overdue > 0 || s.Behind > 0 }

// behindFrom is the share of the words due by which a person may be late without a word.
const behindFrom = 0.1

// Standings tells for each person of the plan how far they are, in the order of People.
func (p Plan) Standings() []PlanStanding {
	out := make([]PlanStanding, len(p.People))
	for i, person := range p.People {
		s := PlanStanding{Login: person.Login}
		var due, expected, done float64
		for _, d := range p.Documents {
			k := d.turn(person.Login)
			if k < 0 {
				continue
			}
			t := d.Turns[k]
			share := 1.0
			if t.Left > 0 {
				share = float64(t.Done) / float64(t.Done+t.Left)
			}
			left := int(float64(d.Words)*(1-share) + 0.5)
			s.Left += left
			at := p.BatchOf(d.Batch).Due
			if at == "" || t.Planned == "" {
				continue
			}
			due += float64(d.Words)
			done += share * float64(d.Words)
			expected += float64(d.Words) * person.elapsed(t.Planned, p.Today, at)
			if t.Left == 0 {
				continue
			}
			if at < p.Today {
				s.Overdue++
			}
			switch {
			case s.NextDue == "" || at < s.NextDue:
				s.NextDue, s.DueDocs = at, 1
			case at == s.NextDue:
				s.DueDocs++
			}
		}
		if behind := expected - done; behind > behindFrom*due {
			s.Behind = behind
		}
		out[i] = s
	}
	return out
}

// elapsed is the part of the person's days from the day after planned to due that is over today.
func (p PlanPerson) elapsed(planned, today, due string) float64 {
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

// A PlanChange is what an edit does to a plan.
type PlanChange struct {
	Documents []DocumentChange // in the order of import
	Other     []string         // changes of pools, batches, people and the plan as a whole, as sentences
	Notes     []string         // what the lead should know, such as what could not be done
	Loads     []LoadChange     // people whose words change, by login
	Balance   *Balance         // nil unless the edit balances
}

// A DocumentChange is what an edit does to a document.
type DocumentChange struct {
	DocID         string
	Words         int
	Gained, Lost  []string  // logins
	Pool, Batch   [2]string // before and after; equal if they do not change
	Before, After int       // number of turns
}

// A LoadChange is how many words a person had and will have.
type LoadChange struct {
	Login         string
	Before, After int
}

// Empty reports whether nothing changes.
func (c PlanChange) Empty() bool { return len(c.Documents) == 0 && len(c.Other) == 0 }

// Moves counts the turns that are added and those that are taken away.
func (c PlanChange) Moves() (gained, lost int) {
	for _, d := range c.Documents {
		gained, lost = gained+len(d.Gained), lost+len(d.Lost)
	}
	return gained, lost
}

// Fingerprint identifies the change, so that what is done is what was seen.
func (c PlanChange) Fingerprint() string {
	h := sha256.New()
	for _, d := range c.Documents {
		fmt.Fprintf(h, "%q %q %q %q %q\n", d.DocID, d.Gained, d.Lost, d.Pool, d.Batch)
	}
	fmt.Fprintf(h, "%q", c.Other)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// changeOf compares a plan with what it becomes.
func changeOf(before, after Plan) (c PlanChange) {
	loads := map[string]*LoadChange{}
	load := func(login string, words int, gain bool) {
		if loads[login] == nil {
			n := before.Load(login)
			loads[login] = &LoadChange{Login: login, Before: n, After: n}
		}
		if gain {
			loads[login].After += words
		} else {
			loads[login].After -= words
		}
	}
	for i, b := range before.Documents {
		a := after.Documents[i]
		d := DocumentChange{DocID: b.DocID, Words: b.Words, Pool: [2]string{b.Pool, a.Pool}, Batch: [2]string{b.Batch, a.Batch}, Before: len(b.Turns), After: len(a.Turns)}
		for _, t := range a.Turns {
			if !b.Has(t.Login) {
				d.Gained = append(d.Gained, t.Login)
				load(t.Login, b.Words, true)
			}
		}
		for _, t := range b.Turns {
			if !a.Has(t.Login) {
				d.Lost = append(d.Lost, t.Login)
				load(t.Login, b.Words, false)
			}
		}
		if len(d.Gained)+len(d.Lost) > 0 || d.Pool[0] != d.Pool[1] || d.Batch[0] != d.Batch[1] {
			c.Documents = append(c.Documents, d)
		}
	}
	for _, l := range loads {
		c.Loads = append(c.Loads, *l)
	}
	slices.SortFunc(c.Loads, func(a, b LoadChange) int { return strings.Compare(a.Login, b.Login) })
	return c
}
