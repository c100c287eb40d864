package desk

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/parallel"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// keptChecks keeps in memory what was read of the checks of campaigns and what they say of their annotators, because reading and
// judging many checks takes long and several pages ask for it at each view.
type keptChecks struct {
	mu sync.Mutex
	of map[string]judgedAt // by id of the campaign
}

// maxListed is the largest number of documents of checks that all campaigns in [keptChecks] have together.
const maxListed = 500_000

// judgedAt is what was read of the checks of a campaign in one state, and what they said. It is not changed once it is made.
//
// Everything that is read of checks and of work lies in documents. Each document has a number of changes in its row, which rises
// when anything in it changes. By these numbers a readState finds the documents from which everything is to be read again.
type judgedAt struct {
	state  readState
	pages  map[string][]checkPage   // of each annotator, by id of the annotator
	work   map[string]annotatorWork // by id of the annotator
	judged []readmodel.AnnotatorChecks
}

// A checkPage is a document of checks. Those of an annotator are in the order of their ids.
type checkPage struct {
	id, of string // of the document, and of the one that it is a copy of
	checks []takenCheck
}

// A takenCheck is a check with the scores that it is judged by. It is open until there are any.
type takenCheck struct {
	campaign.CheckItem
	at            database.Instant // when it was submitted
	open, removed bool
}

// annotatorWork is what was read of the work of an annotator.
type annotatorWork struct {
	login     string
	aside     bool
	scores    []float64 // that the annotator gave lately
	documents []string  // ids of those that the scores lie in
}

// judgedChecks is [Store.JudgedChecks] within a transaction. at is a state that the campaign was in lately.
func (s *Store) judgedChecks(db *gorm.DB, c campaign.Campaign, at readState) ([]readmodel.AnnotatorChecks, error) {
	checks, ok, err := records.FindSide(db, c, campaign.Checks)
	if err != nil || !ok {
		return nil, err
	}
	s.checks.mu.Lock()
	kept := s.checks.of[c.ID]
	s.checks.mu.Unlock()
	switch {
	case kept.state.whole != at.whole:
		kept = judgedAt{}
	case kept.state.version == at.version:
		return kept.judged, nil
	}
	if err := kept.update(db, c, checks, at); err != nil {
		return nil, err
	}
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	s.checks.of[c.ID] = kept
	listed := 0
	for _, k := range s.checks.of {
		for _, pages := range k.pages {
			listed += len(pages)
		}
	}
	if listed > maxListed {
		clear(s.checks.of)
	}
	return kept.judged, nil
}

// update reads what has changed, and judges again the annotators whose checks or scores differ from before.
func (k *judgedAt) update(db *gorm.DB, c, checks campaign.Campaign, at readState) error {
	changed, err := at.readChanged(db, k.state, c.ID, checks.ID)
	if err != nil {
		return err
	}
	k.state = at
	stale := maps.Clone(changed) // and the copies of the documents that have changed
	for _, pages := range k.pages {
		for _, p := range pages {
			if changed[p.of] {
				stale[p.id] = true
			}
		}
	}
	again := map[string]bool{} // ids of the annotators to judge
	if err := k.readPages(db, c, stale, again); err != nil {
		return err
	}
	if err := k.readWork(db, c, changed, again); err != nil {
		return err
	}
	kept := k.judged
	k.judged = nil
	for _, a := range kept {
		if w, ok := k.work[a.UserID]; ok && !again[a.UserID] {
			a.Login, a.SetAside = w.login, w.aside
			k.judged = append(k.judged, a)
		}
	}
	maps.DeleteFunc(again, func(id string, _ bool) bool { return len(k.pages[id]) == 0 })
	users := slices.Collect(maps.Keys(again))
	judged := make([]readmodel.AnnotatorChecks, len(users))
	err = parallel.EachWith(db.Statement.Context, len(users), func() func(i int) {
		var taken []*takenCheck
		var items []campaign.CheckItem
		return func(i int) {
			taken, items = taken[:0], items[:0]
			for _, p := range k.pages[users[i]] {
				for j := range p.checks {
					taken = append(taken, &p.checks[j])
				}
			}
			slices.SortStableFunc(taken, func(a, b *takenCheck) int { return cmp.Compare(a.at, b.at) })
			judged[i], items = judgeChecks(c, users[i], taken, items, k.work[users[i]])
		}
	})
	k.judged = append(k.judged, judged...)
	slices.SortFunc(k.judged, func(a, b readmodel.AnnotatorChecks) int { return strings.Compare(a.Login, b.Login) })
	return err
}

// readPages reads documents of checks again, and adds the annotators whose checks say something else to again.
func (k *judgedAt) readPages(db *gorm.DB, c campaign.Campaign, stale, again map[string]bool) error {
	taken, err := takenChecks(db, c, slices.Collect(maps.Keys(stale)))
	if err != nil {
		return err
	}
	var ids []string
	for _, t := range taken {
		if !t.open && t.Kind != campaign.KnownCheck {
			ids = append(ids, t.original)
		}
	}
	given, err := givenTo(db, ids)
	if err != nil {
		return err
	}
	read := map[string][]checkPage{} // by id of the annotator
	for _, t := range taken {
		if !t.open {
			against, basis := against(t.Kind, t.user, t.known, given[t.original])
			if t.open = basis == ""; !t.open {
				t.Against = against
			}
		}
		pages := read[t.user]
		if len(pages) == 0 || pages[len(pages)-1].id != t.page {
			pages = append(pages, checkPage{id: t.page, of: t.Document})
		}
		p := &pages[len(pages)-1]
		p.checks = append(p.checks, t.takenCheck)
		read[t.user] = pages
	}
	before := k.pages
	k.pages = map[string][]checkPage{}
	users := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(read))
	slices.Sort(users)
	for _, user := range slices.Compact(users) {
		is := read[user]
		var was []checkPage
		for _, p := range before[user] {
			if stale[p.id] {
				was = append(was, p)
			}
		}
		if len(was)+len(is) == 0 {
			k.pages[user] = before[user]
			continue
		}
		if !slices.EqualFunc(was, is, func(a, b checkPage) bool { return a.id == b.id && slices.Equal(a.checks, b.checks) }) {
			again[user] = true
		}
		pages := append(slices.DeleteFunc(slices.Clone(before[user]), func(p checkPage) bool { return stale[p.id] }), is...)
		slices.SortFunc(pages, func(a, b checkPage) int { return strings.Compare(a.id, b.id) })
		if len(pages) > 0 {
			k.pages[user] = pages
		}
	}
	return nil
}

// A readCheck is a check as it is read.
type readCheck struct {
	takenCheck
	page, user, original string   // ids of its document, of the annotator and of the original translation
	known                *float64 // the lead's score of the original
}

// fewDocuments is the largest number of documents whose ids are parameters of their own where checks are read. With a query that gives the ids,
// PostgreSQL joins all checks before it looks at it.
const fewDocuments = 100

// takenChecks reads the checks in documents: those of a document follow each other, the earliest first.
func takenChecks(db *gorm.DB, c campaign.Campaign, documents []string) (out []readCheck, err error) {
	// A gate score that is derived may follow from settings that were changed since it was stored.
	_, entered := c.Rules.Score(c.Rules.Gate)
	entered = entered || c.Settings.Nominal
	columns := "'', ''"
	if !entered {
		columns = "coalesce(r.scores, ''), coalesce(r.spans, '')"
	}
	of, arg := "?", any(documents)
	if len(documents) > fewDocuments {
		list, encoded := database.ListOf(db, documents)
		of, arg = "("+list+")", encoded
	}
	var k readCheck
	var rated bool
	var given records.RatingColumns
	same := map[string]string{} // many checks have the same texts, which are in memory once
	for err := range database.EachRow(db.Raw(
		`SELECT g.document_id, p.user_id, k.of_translation, k.kind, k.removed, r.id IS NOT NULL, coalesce(a.submitted_at, 0), coalesce(r.gate_score, 0), n.score, p.of_document, g.source, coalesce(o.text, k.of_translation), `+columns+`
		FROM all_segments g JOIN check_pages p ON p.segment_id = g.id JOIN translations t ON t.segment_id = g.id JOIN checks k ON k.translation_id = t.id
		LEFT JOIN translations o ON o.id = k.of_translation LEFT JOIN known_answers n ON n.translation_id = k.of_translation
		LEFT JOIN assignments a ON a.segment_id = g.id AND a.user_id = p.user_id AND a.state = 'submitted'
		LEFT JOIN ratings r ON r.assignment_id = a.id AND r.translation_id = t.id
		WHERE g.document_id IN `+of+` ORDER BY g.document_id, coalesce(a.submitted_at, 0), k.translation_id`,
		arg,
	), &k.page, &k.user, &k.original, &k.Kind, &k.removed, &rated, &k.at, &k.Score, &k.known, &k.Document, &k.Source, &k.Original, &given.Scores, &given.Spans) {
		if err != nil {
			return out, err
		}
		if rated && !entered {
			k.Score, rated = c.Rules.GateScore(given.Rating())
		}
		if c.Rules.OfSegments() { // whose translations have no text
			k.Original = k.original
		}
		k.open = !rated
		for _, text := range []*string{&k.page, &k.user, &k.Document, &k.Source, &k.Original} {
			if _, ok := same[*text]; !ok {
				same[*text] = *text
			}
			*text = same[*text]
		}
		out = append(out, k)
	}
	return out, nil
}

// readWork reads the annotators who have checks, and the work again of those who have, or had, work in a document that has changed. It
// adds the annotators whose work says something else to again.
func (k *judgedAt) readWork(db *gorm.DB, c campaign.Campaign, changed, again map[string]bool) error {
	before := k.work
	k.work = map[string]annotatorWork{}
	for user := range k.pages {
		k.work[user] = before[user]
	}
	var worked map[string]bool
	if len(before) > 0 {
		var err error
		if worked, err = workedIn(db, changed); err != nil {
			return err
		}
	}
	list, arg := database.ListOf(db, slices.Collect(maps.Keys(k.work)))
	var people []struct {
		ID, Login string
		Aside     bool
	}
	err := db.Raw(`SELECT u.id, u.login, coalesce(m.set_aside, FALSE) AS aside FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ?
		WHERE u.id IN (`+list+`)`, c.ID, arg).Scan(&people).Error
	if err != nil {
		return err
	}
	for _, p := range people {
		was, known := before[p.ID]
		w := was
		w.login, w.aside = p.Login, p.Aside
		if !known || was.aside != w.aside || worked[p.ID] || slices.ContainsFunc(was.documents, func(id string) bool { return changed[id] }) {
			if err := w.read(db, c.ID, p.ID); err != nil {
				return err
			}
		}
		if k.work[p.ID] = w; !known || !slices.Equal(was.scores, w.scores) {
			again[p.ID] = true
		}
	}
	return nil
}

// read reads the scores that an annotator gave lately in work.
func (w *annotatorWork) read(db *gorm.DB, campaignID, userID string) error {
	state := "state"
	if w.aside {
		state = "set_aside" // the state before
	}
	w.scores, w.documents = nil, nil
	var document string
	var score float64
	for err := range database.EachRow(db.Raw(
		`SELECT a.in_document, r.gate_score FROM (SELECT id, in_document FROM assignments WHERE campaign_id = ? AND `+state+` = 'submitted' AND user_id = ? ORDER BY submitted_at DESC, id DESC LIMIT ?) a
		JOIN ratings r ON r.assignment_id = a.id`,
		campaignID, userID, sampledTurns,
	), &document, &score) {
		if err != nil {
			return err
		}
		if w.scores = append(w.scores, score); len(w.documents) == 0 || w.documents[len(w.documents)-1] != document {
			w.documents = append(w.documents, document)
		}
	}
	return nil
}

// judgeChecks judges the checks of an annotator. It appends those that are judged to items.
func judgeChecks(c campaign.Campaign, userID string, taken []*takenCheck, items []campaign.CheckItem, work annotatorWork) (readmodel.AnnotatorChecks, []campaign.CheckItem) {
	a := readmodel.AnnotatorChecks{UserID: userID, Login: work.login, SetAside: work.aside}
	var earlier, later []float64
	for _, t := range taken {
		switch {
		case t.removed:
		case t.open:
			a.Open++
		default:
			items = append(items, t.CheckItem)
		}
		if t.removed || t.open || t.Kind != campaign.RepeatCheck {
			continue
		}
		was, is := t.Against, t.Score
		if c.Settings.Nominal { // answers have no mean, so the difference is 0 or 1
			if was, is = 0, 0; t.Against != t.Score {
				is = 1
			}
		}
		earlier, later = append(earlier, was), append(later, is)
	}
	a.Results = campaign.JudgeChecks(work.scores, items, c.Settings.CheckRule(c.Rules), c.Settings.CheckFlag)
	a.Uncounted = len(items) - a.Results[0].Taken
	a.Self = readmodel.SelfAgreementOf(earlier, later)
	a.Self.Answers = c.Settings.Nominal
	return a, items
}
