package work

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// A check is a copy of a whole document in the side campaign of checks, made for one annotator at the
// moment in which it is handed out. It comes where a new document would come, and its segments are handed
// out as those of any document are. The assignments belong to the side campaign, so that nothing of the
// campaign counts them. Which documents are checks follows from [campaign.CheckPlaced].

// A document is copied for a check if it has at most longestCheck segments, or at most the mean of the
// documents near it and mostCopied. A document that is long for its campaign would cost more work than the
// share of checks says. More than mostCopied segments would take too long to copy while somebody waits.
const longestCheck, mostCopied = 30, 200

// nearPositions is the number of positions among which a document for a check is looked for, from a random
// one. It keeps handing out as fast in a large campaign as in a small one.
const nearPositions = 400

// mostTried is the number of documents of which a check of a kind is tried.
const mostTried = 20

// handOutCheck hands out a check, or the next segment of one that the user has in work, if the next
// document of the user is a check. given reports whether it did. It gives nothing if no check can be made,
// or if the campaign has no work for the user.
func (s *Store) handOutCheck(tx *database.Tx, c campaign.Campaign, userID string) (given bool, err error) {
	checks, made, err := records.FindSide(tx.DB, c, campaign.Checks)
	if err != nil || !made && c.Settings.CheckRate <= 0 {
		return false, err
	}
	if made {
		if given, err := continueCheck(tx, checks, userID); err != nil || given {
			return given, err
		}
	}
	if c.Settings.CheckRate <= 0 {
		return false, nil
	}
	m := checkMaker{tx: tx, c: c, userID: userID}
	if m.n, err = documentsGiven(tx.DB, []string{c.ID, checks.ID}, userID); err != nil {
		return false, err
	}
	m.seed = campaign.CheckSeed(c.ID, userID)
	if !campaign.CheckPlaced(m.seed, c.Settings.CheckRate, m.n) {
		return false, nil
	}
	next, err := candidates(tx.DB, c, userID)
	if err != nil || len(next) == 0 || next[0].Begun {
		return false, err
	}
	if m.checks, err = s.records.MakeSide(tx, c, campaign.Checks); err != nil {
		return false, err
	}
	if made, err := m.make(); err != nil || !made {
		return false, err
	}
	return continueCheck(tx, m.checks, userID)
}

// continueCheck hands out what the user lacks of a check: its next segment, or all of them if documents
// are handed out as a whole.
func continueCheck(tx *database.Tx, checks campaign.Campaign, userID string) (given bool, err error) {
	var left []string
	// What nobody was handed is pending without a place taken. SQLite reads the tables of a CROSS JOIN in their order: such segments are few,
	// the pages of a user many.
	err = tx.Raw(`SELECT s.id FROM segments s CROSS JOIN check_pages p WHERE s.campaign_id = ? AND s.status = 'pending' AND s.held = FALSE AND s.taken = 0
		AND p.segment_id = s.id AND p.user_id = ? AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = s.id) ORDER BY s.position`, checks.ID, userID).Scan(&left).Error
	if err != nil || len(left) == 0 {
		return false, err
	}
	if checks.Settings.Assign == "document" {
		return true, give(tx, checks, userID, left, true)
	}
	return true, give(tx, checks, userID, left[:1], false)
}

// documentsGiven counts the documents of which a user was handed segments in some campaigns.
func documentsGiven(db *gorm.DB, campaignIDs []string, userID string) (n int, err error) {
	err = database.Scan(db.Raw(`SELECT count(DISTINCT s.document_id) FROM assignments a JOIN all_segments s ON s.id = a.segment_id
		WHERE a.user_id = ? AND a.campaign_id IN ? AND a.round = 1 AND NOT a.imported`, userID, campaignIDs), &n)
	return n, err
}

// A checkMaker makes a check for a user.
type checkMaker struct {
	tx     *database.Tx
	c      campaign.Campaign
	checks campaign.Campaign // the side campaign
	userID string
	seed   int64 // of the user
	n      int   // documents that the user was given before
	rand   *rand.Rand
	near   []nearDocument // documents of the campaign, in random order
	// longest is the largest number of segments of a document that may be copied.
	longest int
}

// A nearDocument is a document of the campaign near a random position.
type nearDocument struct {
	ID, DocID string
	Segments  int
	Open      bool // it has a segment that could still be handed out
	Had       bool // the user has an assignment in it
	Used      bool // the user has had a check of it, or is not in its pool
	Known     bool // a lead gave a known answer in it
}

// make makes a check of the first kind of which one can be made. made reports whether there is one.
func (m *checkMaker) make() (made bool, err error) {
	m.rand = rand.New(rand.NewPCG(uint64(m.seed), uint64(m.n)|1<<62))
	if err := m.findNear(); err != nil {
		return false, err
	}
	for _, kind := range campaign.CheckOrder(m.seed, m.n, m.c.Settings.KindsOfChecks()) {
		documents, err := m.documents(kind)
		if err != nil {
			return false, err
		}
		for _, d := range documents[:min(mostTried, len(documents))] {
			if made, err := m.copy(kind, d); err != nil || made {
				return made, err
			}
		}
	}
	return false, nil
}

// findNear reads the documents near a random position.
func (m *checkMaker) findNear() error {
	var last int
	if err := database.Scan(m.tx.Raw("SELECT coalesce(max(position), 0) FROM segments WHERE campaign_id = ?", m.c.ID), &last); err != nil || last == 0 {
		return err
	}
	var ids []string
	from := 1 + m.rand.IntN(last)
	for _, part := range [][2]int{{from, last}, {1, from - 1}} { // the end is followed by the beginning
		var some []string
		err := m.tx.Raw("SELECT document_id FROM segments WHERE campaign_id = ? AND position >= ? AND position <= ? ORDER BY position LIMIT ?", m.c.ID, part[0], part[1], nearPositions).
			Scan(&some).
			Error
		if err != nil {
			return err
		}
		ids = append(ids, some...)
	}
	known, err := m.knownDocuments()
	if err != nil {
		return err
	}
	m.near, err = m.read(append(ids, known...))
	all := 0
	for _, d := range m.near {
		all += d.Segments
	}
	m.longest = max(longestCheck, min(all/max(1, len(m.near)), mostCopied))
	return err
}

// knownDocuments lists documents in which a lead gave a known answer.
func (m *checkMaker) knownDocuments() (ids []string, err error) {
	err = m.tx.Raw(`SELECT DISTINCT s.document_id FROM known_answers k JOIN translations t ON t.id = k.translation_id JOIN segments s ON s.id = t.segment_id
		WHERE k.campaign_id = ? LIMIT ?`, m.c.ID, nearPositions).Scan(&ids).Error
	return ids, err
}

// read reads documents by their ids, in random order.
func (m *checkMaker) read(ids []string) (documents []nearDocument, err error) {
	slices.Sort(ids)
	err = m.tx.Raw(`SELECT d.id, d.doc_id, (SELECT count(*) FROM segments e WHERE e.document_id = d.id) AS segments,
			EXISTS (SELECT 1 FROM segments s WHERE s.document_id = d.id AND s.status = 'pending' AND `+records.HasPlace+`) AS open,
			EXISTS (SELECT 1 FROM segments e JOIN assignments a ON a.segment_id = e.id WHERE e.document_id = d.id AND a.user_id = ?) AS had,
			EXISTS (SELECT 1 FROM check_pages p WHERE p.user_id = ? AND p.of_document = d.id) OR NOT `+strings.ReplaceAll(inPool, "s.document_id", "d.id")+` AS used,
			EXISTS (SELECT 1 FROM segments e JOIN translations t ON t.segment_id = e.id JOIN known_answers k ON k.translation_id = t.id WHERE e.document_id = d.id) AS known
		FROM documents d WHERE d.id IN ? ORDER BY d.id`, m.c.Settings.Redundancy, m.userID, m.userID, m.userID, slices.Compact(ids)).Scan(&documents).Error
	m.rand.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
	return documents, err
}

// documents lists the documents that a check of a kind can be made of, the best first: those that the
// user will not be handed, then those that the user has not had, then, for a degraded text, those that
// the user has rated a while ago. A repeat is one of the latter.
func (m *checkMaker) documents(kind campaign.CheckKind) ([]nearDocument, error) {
	var closed, open []nearDocument
	for _, d := range m.near {
		switch {
		case d.Had || d.Used || d.Segments > m.longest || kind == campaign.KnownCheck && !d.Known:
		case d.Open:
			open = append(open, d)
		default:
			closed = append(closed, d)
		}
	}
	if kind == campaign.KnownCheck {
		return append(closed, open...), nil
	}
	own, err := m.ownDocuments()
	if kind == campaign.RepeatCheck {
		return own, err
	}
	return slices.Concat(closed, open, own), err
}

// ownDocuments lists documents that the user has rated and that were followed by at least as many
// segments as the setting repeat_after says, in random order.
func (m *checkMaker) ownDocuments() ([]nearDocument, error) {
	var ids []string
	turns := func(offset, limit int) string {
		return fmt.Sprintf(
			`SELECT s.document_id FROM (SELECT segment_id FROM assignments WHERE campaign_id = ? AND state = 'submitted' AND user_id = ? AND round = 1 AND NOT imported
			ORDER BY submitted_at DESC, id DESC LIMIT %d OFFSET %d) a JOIN segments s ON s.id = a.segment_id`,
			limit,
			offset,
		)
	}
	err := m.tx.Raw("SELECT DISTINCT o.document_id FROM ("+turns(m.c.Settings.RepeatAfter, nearPositions)+") o WHERE o.document_id NOT IN ("+turns(0, m.c.Settings.RepeatAfter)+")",
		m.c.ID, m.userID, m.c.ID, m.userID).
		Scan(&ids).
		Error
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	own, err := m.read(ids)
	return slices.DeleteFunc(own, func(d nearDocument) bool { return d.Used || d.Segments > m.longest }), err
}

// copy makes a check of a kind of a document. It reports false if the document has no text for it.
func (m *checkMaker) copy(kind campaign.CheckKind, d nearDocument) (made bool, err error) {
	k := records.CheckCopy{Checks: m.checks, Document: d.ID, DocID: fmt.Sprintf("%s (%s)", d.DocID, database.NewID())}
	translations, err := k.ReadTranslations(m.tx.DB)
	if err != nil {
		return false, err
	}
	judged, texts, err := m.judged(kind, translations)
	if err != nil || len(judged) == 0 {
		return false, err
	}
	copies, segments, err := k.Copy(m.tx, texts)
	if err != nil {
		return false, err
	}
	locks, err := records.LockOf(m.tx.DB, m.c.ID, m.userID, len(segments))
	if err != nil {
		return false, err
	}
	pages := database.NewRows("check_pages", "segment_id", "user_id", "of_segment", "of_document", "doc_id", "lock_with")
	for i, id := range segments {
		lock := ""
		if len(locks) > 0 {
			lock = locks[len(locks)-1-i%len(locks)]
		}
		pages.Add(copies[id], m.userID, id, d.ID, d.DocID, lock)
	}
	if err := pages.Insert(m.tx); err != nil {
		return false, err
	}
	rows := database.NewRows("checks", "translation_id", "of_translation", "kind")
	for _, id := range judged {
		rows.Add(copies[id], id, string(kind))
	}
	return true, rows.Insert(m.tx)
}

// judged chooses the translations of a document that are judged in a check of a kind, and the texts that
// stand in their place. It chooses none if no check of them would count, as far as scores were given; see
// [campaign.CheckRule.Uncounted].
func (m *checkMaker) judged(kind campaign.CheckKind, translations []records.CopiedTranslation) (ids []string, texts map[string]string, err error) {
	switch kind {
	case campaign.DegradedCheck:
		return m.degraded(translations)
	case campaign.RepeatCheck:
		return m.counted(kind, `SELECT r.translation_id, r.gate_score FROM ratings r JOIN assignments a ON a.id = r.assignment_id
			WHERE a.user_id = ? AND a.campaign_id = ? AND a.state = 'submitted' AND a.round = 1 AND r.translation_id IN ? ORDER BY r.translation_id`, m.userID, m.c.ID, idsOf(translations))
	case campaign.KnownCheck:
		return m.counted(kind, "SELECT translation_id, score FROM known_answers WHERE translation_id IN ? ORDER BY translation_id", idsOf(translations))
	}
	return nil, nil, nil
}

// counted reads the translations that are judged in a repeat or a known check, each with the score that it is
// compared with: all of them if one counts, otherwise none.
func (m *checkMaker) counted(kind campaign.CheckKind, query string, args ...any) (ids []string, _ map[string]string, err error) {
	rule, some := m.c.Settings.CheckRule(m.c.Rules), false
	var id string
	var score float64
	for err := range database.EachRow(m.tx.Raw(query, args...), &id, &score) {
		if err != nil {
			return ids, nil, err
		}
		ids, some = append(ids, id), some || rule.Uncounted(kind, score) == ""
	}
	if !some {
		ids = nil
	}
	return ids, nil, nil
}

func idsOf(translations []records.CopiedTranslation) []string {
	ids := make([]string, len(translations))
	for i, t := range translations {
		ids[i] = t.ID
	}
	return ids
}

// degraded damages a translation of every second segment of a document, chosen at random, and of its only
// segment. A translation with suggested error spans is not damaged, because they would not fit its words. One
// that was rated is preferred if the scores leave room for a lower one, and is not damaged if they do not.
func (m *checkMaker) degraded(translations []records.CopiedTranslation) (ids []string, texts map[string]string, err error) {
	var segments []string
	of := map[string][]records.CopiedTranslation{}
	for _, t := range translations {
		if of[t.SegmentID] == nil {
			segments = append(segments, t.SegmentID)
		}
		of[t.SegmentID] = append(of[t.SegmentID], t)
	}
	stored, err := m.storedTexts(translations)
	if err != nil {
		return nil, nil, err
	}
	fits, err := m.fits(translations)
	if err != nil {
		return nil, nil, err
	}
	texts = map[string]string{}
	m.rand.Shuffle(len(segments), func(i, j int) { segments[i], segments[j] = segments[j], segments[i] })
	for _, segment := range segments {
		if len(ids) >= (len(segments)+1)/2 {
			break
		}
		cards := of[segment]
		m.rand.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
		slices.SortStableFunc(cards, func(a, b records.CopiedTranslation) int { return int(fits[b.ID]) - int(fits[a.ID]) })
		for _, t := range cards {
			if fits[t.ID] == unfit {
				break
			}
			text, ok, err := m.damage(t, translations, stored)
			if err != nil {
				return nil, nil, err
			}
			if ok && !slices.ContainsFunc(cards, func(other records.CopiedTranslation) bool { return other.Text == text }) {
				ids, texts[t.ID] = append(ids, t.ID), text
				break
			}
		}
	}
	return ids, texts, nil
}

// A fitness says whether a translation can be damaged for a check.
type fitness int

const (
	unfit   fitness = iota - 1 // the scores that were given leave no room below
	unrated                    // nobody has rated it
	fit                        // the scores leave room
)

// fits says how well translations can be damaged, by the scores that damaged texts would be compared with now.
func (m *checkMaker) fits(translations []records.CopiedTranslation) (map[string]fitness, error) {
	out := map[string]fitness{}
	rule := m.c.Settings.CheckRule(m.c.Rules)
	var id string
	var score float64
	for err := range database.EachRow(m.tx.Raw(
		`SELECT r.translation_id, coalesce(avg(CASE WHEN a.user_id = ? THEN r.gate_score END), avg(r.gate_score)) FROM ratings r JOIN assignments a ON a.id = r.assignment_id
		WHERE r.translation_id IN ? AND a.state = 'submitted' AND a.round = 1 GROUP BY r.translation_id`,
		m.userID,
		idsOf(translations),
	), &id, &score) {
		if err != nil {
			return out, err
		}
		if out[id] = fit; rule.Uncounted(campaign.DegradedCheck, score) != "" {
			out[id] = unfit
		}
	}
	return out, nil
}

// A storedText is the damaged text of a translation.
type storedText struct {
	OfTranslation, Text string
	Removed             bool
}

func (m *checkMaker) storedTexts(translations []records.CopiedTranslation) (map[string]storedText, error) {
	var rows []storedText
	err := m.tx.Raw("SELECT of_translation, text, removed FROM degraded_texts WHERE campaign_id = ? AND of_translation IN ?",
		m.checks.ID, idsOf(translations)).
		Scan(&rows).
		Error
	out := make(map[string]storedText, len(rows))
	for _, r := range rows {
		out[r.OfTranslation] = r
	}
	return out, err
}

// damage returns the damaged text of a translation. It is made and stored the first time, so that every
// annotator gets the same.
func (m *checkMaker) damage(t records.CopiedTranslation, document []records.CopiedTranslation, stored map[string]storedText) (text string, ok bool, err error) {
	if t.Suggested {
		return "", false, nil
	}
	if s, ok := stored[t.ID]; ok {
		return s.Text, !s.Removed, nil
	}
	var others []string
	for _, o := range document {
		if o.System == t.System && o.SegmentID != t.SegmentID {
			others = append(others, o.Text)
		}
	}
	if len(others) == 0 {
		if others, err = m.textsNear(t); err != nil {
			return "", false, err
		}
	}
	text, ok = campaign.Degrade(campaign.CheckSeed(m.checks.ID, t.ID), t.Text, others)
	if !ok {
		return "", false, nil
	}
	return text, true, m.tx.Exec(
		"INSERT INTO degraded_texts (campaign_id, of_translation, text, made_at) VALUES (?, ?, ?, ?)", m.checks.ID, t.ID, text,
		database.InstantOf(m.tx.Now()),
	).Error
}

// textsNear reads translations by the system of t in the segments before and after that of t, for a
// document that has no other segment.
func (m *checkMaker) textsNear(t records.CopiedTranslation) (texts []string, err error) {
	err = m.tx.Raw(`SELECT n.text FROM segments s JOIN segments e ON e.campaign_id = s.campaign_id AND e.position BETWEEN s.position - 5 AND s.position + 5 AND e.id <> s.id
		JOIN translations n ON n.segment_id = e.id JOIN translations o ON o.id = ? AND o.system_id = n.system_id WHERE s.id = ? ORDER BY e.position`, t.ID, t.SegmentID).
		Scan(&texts).
		Error
	return texts, err
}
