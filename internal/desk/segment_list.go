package desk

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/parallel"
	"annotate/internal/readmodel"
)

// SegmentFilter chooses segments of a campaign; empty fields choose all.
type SegmentFilter struct {
	Status campaign.Status
	Domain string
	// Annotator is the login of somebody who has submitted the segment, in any round.
	Annotator string
	Text      string // part of an id or of the source, without regard to case (on SQLite that of ASCII letters only)
	// Step is where in a chain the segments are, such as [campaign.StepGold].
	Step string
	// Metric names a metric or a judge, and Number in its place a number that annotators give. The segments get its scores. With Least or Most only segments with a score
	// in these limits are listed.
	Metric      string
	Number      *RatedNumber
	Least, Most *float64
	// Sort is SortPosition where empty, or another of the Sort constants but SortSince. SortScore needs Metric or Number.
	Sort    string
	Reverse bool // the other way round; the order within ties too
	Offset  int
	Limit   int
}

// Segments lists segments, in the order of import unless the filter says otherwise,
// and counts all that match.
func (s *Store) Segments(ctx context.Context, campaignID string, f SegmentFilter) ([]readmodel.Segment, int, error) {
	db := s.db.Read(ctx)
	find, err := s.searchFor(db, campaignID, f)
	if err != nil {
		return nil, 0, err
	}
	var ids []string
	switch {
	case f.Sort == SortScore && f.Number != nil && f.Number.Campaign.ID == campaignID && f.Step == "" && !f.described() && !f.limited():
		ids, err = byNumber(db, f)
	case f.submitted():
		ids, err = submitted(db, campaignID, f)
	case f.Text != "" && f.Annotator == "" && f.Offset <= 0 && len(find.order) == 1 && s.db.Dialect == database.SQLite:
		ids, err = s.inHalves(ctx, find, campaignID, f)
	default:
		ids, err = find.page(db, f)
	}
	if err != nil {
		return nil, 0, err
	}
	total := len(ids)
	switch {
	case find.n != unknownCount && f.Step != "" && !f.described() && !f.limited():
		total = find.n
	case f.Text == "" && f.Step == "" && !f.limited():
		total, err = countSegments(db, campaignID, f)
	case len(ids) > 0 && len(ids) < f.Limit: // these were the last, and every text was looked at
		total = max(0, f.Offset) + len(ids)
	case f.Offset > 0 || total >= f.Limit:
		total, err = find.count(db, f, ids)
	}
	if err != nil {
		return nil, 0, err
	}
	out, err := entriesOf(db, ids)
	if err != nil || !f.scored() || len(ids) == 0 {
		return out, total, err
	}
	scores, err := s.scoresOf(db, campaignID, f, ids)
	for i := range out {
		out[i].Score = math.NaN()
		if x, ok := scores[out[i].ID]; ok {
			out[i].Score = x
		}
	}
	return out, total, err
}

// described reports whether the filter asks for more than a step and scores.
func (f SegmentFilter) described() bool {
	return f.Status != "" || f.Domain != "" || f.Annotator != "" || f.Text != ""
}

// scored reports whether segments get scores.
func (f SegmentFilter) scored() bool { return f.Metric != "" || f.Number != nil }

// limited reports whether only segments with a score are listed.
func (f SegmentFilter) limited() bool { return f.Least != nil || f.Most != nil }

// submitted reports whether the filter asks for all that an annotator has submitted, in the order of import.
func (f SegmentFilter) submitted() bool {
	return f.Annotator != "" && f.Status == "" && f.Domain == "" && f.Text == "" && f.Step == "" && !f.limited() && (f.Sort == "" || f.Sort == SortPosition)
}

// countSegments counts what a filter without a text finds.
func countSegments(db *gorm.DB, campaignID string, f SegmentFilter) (int, error) {
	if f.Annotator != "" {
		return countSubmitted(db, campaignID, f)
	}
	table, err := readTable(db, campaignID, "kind = ?", kindStatus)
	n := 0
	for k, sums := range table {
		status, domain, _ := strings.Cut(k.Name, "/")
		if (f.Status == "" || status == string(f.Status)) && (f.Domain == "" || domain == f.Domain) {
			n += int(sums.N)
		}
	}
	return n, err
}

// isSubmittedBy is the condition for an assignment a to be one that the annotator with a login has submitted in a campaign. The parameters are
// the login and the id of the campaign.
const isSubmittedBy = "a.user_id = (SELECT u.id FROM users u WHERE u.login = ?) AND a.campaign_id = ? AND a.state = 'submitted'"

// submitted reads the row ids of a page of all that an annotator has submitted, in the order of import. An index has all that it reads.
func submitted(db *gorm.DB, campaignID string, f SegmentFilter) (ids []string, err error) {
	order := ""
	if f.Reverse {
		order = " DESC"
	}
	err = db.Raw("SELECT a.segment_id FROM assignments a WHERE "+isSubmittedBy+` AND (NOT EXISTS (SELECT 1 FROM staged_imports)
			OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = a.campaign_id AND a.at_position > i.after_position))
		GROUP BY a.at_position, a.segment_id ORDER BY a.at_position`+order+" LIMIT ? OFFSET ?", f.Annotator, campaignID, max(0, f.Limit), max(0, f.Offset)).
		Scan(&ids).
		Error
	return ids, err
}

// countSubmitted counts what a filter by annotator, without a text, finds.
func countSubmitted(db *gorm.DB, campaignID string, f SegmentFilter) (n int, err error) {
	from, where, args := "assignments a", isSubmittedBy, []any{f.Annotator, campaignID}
	if f.Status != "" || f.Domain != "" {
		from += " JOIN segment_tallies k ON k.segment_id = a.segment_id"
	}
	if f.Status != "" {
		where, args = where+" AND k.status = ?", append(args, string(f.Status))
	}
	if f.Domain != "" {
		where, args = where+" AND k.domain = ?", append(args, f.Domain)
	}
	err = database.Scan(db.Raw("SELECT count(DISTINCT a.segment_id) FROM "+from+" WHERE "+where, args...), &n)
	return n, err
}

// A segmentSearch is the parts of an SQL query for the row ids of segments.
type segmentSearch struct {
	id, from, where string
	args            []any
	order           []string
	n               int // number of segments at the step of the filter; unknownCount if it has to be counted
	// scores is a query ([Store.scores]) for the rows x that limit the segments or put them in order; empty if none do. limits is a
	// condition about x.
	scores, limits        string
	scoreArgs, limitsArgs []any
}

// read reads the result of a query of columns from tables, with scores among them if the search has some, where a condition holds. end
// follows the condition.
func (q segmentSearch) read(db *gorm.DB, dest any, columns, tables, where, end string, endArgs ...any) error {
	args := slices.Concat(q.scoreArgs, q.args, q.limitsArgs, endArgs)
	return db.Raw("SELECT "+columns+" FROM "+tables+" WHERE "+where+q.limits+end, args...).Scan(dest).Error
}

// byScores are tables and a condition by which SQLite begins with the segments that have a score.
func (q segmentSearch) byScores() (tables, where string) {
	if q.scores == "" {
		return q.from, q.where
	}
	return "(" + q.scores + ") x CROSS JOIN " + q.from, "g.id = x.segment_id AND " + q.where
}

// page reads the row ids of the page that a filter asks for.
func (q segmentSearch) page(db *gorm.DB, f SegmentFilter) (ids []string, err error) {
	page := func(tables, where string, order []string) error {
		end := " ORDER BY " + strings.Join(order, ", ") + " LIMIT ? OFFSET ?"
		return q.read(db, &ids, q.id, tables, where, end, max(0, f.Limit), max(0, f.Offset))
	}
	tables, where := q.byScores()
	if q.scores != "" && f.Sort != SortScore { // SQLite begins with the segments in their order, and stops when the page is full
		tables = q.from + " CROSS JOIN (" + q.scores + ") x"
	}
	err = page(tables, where, q.order)
	if err == nil && q.scores != "" && !f.limited() && len(ids) < f.Limit { // the page also has segments without a score, which come last
		ids = nil
		err = page(q.from+" LEFT JOIN ("+q.scores+") x ON x.segment_id = g.id", q.where, append([]string{"x.score IS NULL"}, q.order...))
	}
	return ids, err
}

// inHalves reads the first page of a search for a text, in the order of import. The text may be rare, and then the text of each segment is
// compared: two connections compare those of half of the campaign each, on two cores.
func (s *Store) inHalves(ctx context.Context, q segmentSearch, campaignID string, f SegmentFilter) ([]string, error) {
	var last int
	err := database.Scan(s.db.Read(ctx).Raw("SELECT coalesce(max(position), 0) FROM all_segments WHERE campaign_id = ?", campaignID), &last)
	if err != nil {
		return nil, err
	}
	position, reversed := strings.CutSuffix(q.order[0], " DESC")
	halves := [2]string{position + " <= ?", position + " > ?"}
	if reversed {
		slices.Reverse(halves[:])
	}
	var found [2][]string
	var errs [2]error
	err = parallel.Each(ctx, len(halves), func(i int) {
		half := q
		half.where, half.args = q.where+" AND "+halves[i], append(slices.Clone(q.args), last/2)
		found[i], errs[i] = half.page(s.db.Read(ctx), f)
	})
	ids := slices.Concat(found[0], found[1])
	return ids[:min(len(ids), max(0, f.Limit))], cmp.Or(err, errs[0], errs[1])
}

// count counts what the search finds. ids are those of the page that the filter asks for: in the order of import, only what comes after them is
// looked at once more.
func (q segmentSearch) count(db *gorm.DB, f SegmentFilter, ids []string) (n int, err error) {
	if !f.limited() { // segments without a score are found too
		q.scores, q.scoreArgs = "", nil
	}
	tables, where := q.byScores()
	switch {
	case q.scores != "" && f.Step == "" && !f.described(): // the segments need not be read
		q.args, tables, where = nil, "("+q.scores+") x", "(NOT EXISTS (SELECT 1 FROM staged_imports) OR EXISTS (SELECT 1 FROM segments g WHERE g.id = x.segment_id))"
	case len(q.order) == 1 && len(ids) > 0:
		position, reversed := strings.CutSuffix(q.order[0], " DESC")
		after := position + " > "
		if reversed {
			after = position + " < "
		}
		err = q.read(db, &n, "count(*)", tables, where, " AND "+after+"(SELECT l.position FROM all_segments l WHERE l.id = ?)", ids[len(ids)-1])
		return max(0, f.Offset) + len(ids) + n, err
	}
	return n, q.read(db, &n, "count(*)", tables, where, "")
}

// searchFor is the query for the segments of a filter.
func (s *Store) searchFor(db *gorm.DB, campaignID string, f SegmentFilter) (out segmentSearch, err error) {
	from, alias := "segment_tallies k", "k"
	id, order := "k.segment_id", []string{"k.position"}
	var step stepCondition
	if f.Step != "" {
		if step, err = s.isAt(db, campaignID, f.Step); err != nil {
			return out, err
		}
	}
	switch f.Sort {
	case SortStatus:
		order = []string{"k.status", "k.position"}
	case SortRound:
		order = []string{"k.round", "k.position"}
	case SortLowest:
		order = []string{"k.lowest", "k.position"}
	case SortChanged:
		order = []string{"k.changed_at", "k.position"}
		f.Reverse = !f.Reverse
	case SortID:
		// SQLite reads the tables of a CROSS JOIN in their order, which is that of the list.
		from, alias, id, order = "documents d CROSS JOIN segments g", "g", "g.id", []string{"d.doc_id", "g.segment_id"}
		if s.db.Dialect == database.Postgres {
			order = []string{`d.doc_id COLLATE "C"`, `g.segment_id COLLATE "C"`}
		}
	default:
		if f.Status == "" && f.Domain == "" && !step.ofTallies || f.Text != "" {
			from, alias, id, order = "segments g", "g", "g.id", []string{"g.position"}
		}
	}
	where, args := alias+".campaign_id = ?", []any{campaignID}
	switch {
	case f.Sort == SortID: // the campaign of a segment is that of its document, and an index has all else that is compared of the segment
		where = "g.document_id = d.id AND d.campaign_id = ?"
	case f.Annotator != "" && s.db.Dialect == database.SQLite:
		where, args = "TRUE", nil // the assignments tell the campaign; with it here, SQLite would read all segments of the campaign in their order
	}
	if f.Status != "" {
		where, args = where+" AND "+alias+".status = ?", append(args, string(f.Status))
	}
	if f.Domain != "" {
		where, args = where+" AND "+alias+".domain = ?", append(args, f.Domain)
	}
	if f.Annotator != "" {
		// Found once and looked up; to ask of each segment costs three times as much.
		where += " AND " + id + " IN (SELECT a.segment_id FROM assignments a WHERE " + isSubmittedBy + ")"
		args = append(args, f.Annotator, campaignID)
	}
	if f.Text != "" {
		if alias == "k" {
			from += " JOIN segments g ON g.id = k.segment_id"
		}
		like, pattern := s.contains(f.Text)
		where, args = where+" AND (g.source"+like+" OR g.segment_id"+like, append(args, pattern, pattern)
		const documents = "SELECT id FROM documents WHERE campaign_id = ? AND doc_id"
		var some bool // to look for the document of every segment takes long
		if err := database.Scan(db.Raw("SELECT EXISTS ("+documents+like+")", campaignID, pattern), &some); err != nil {
			return out, err
		}
		if some {
			where, args = where+" OR g.document_id IN ("+documents+like+")", append(args, campaignID, pattern)
		}
		where += ")"
	}
	switch ofSegments := f.Step != "" && !step.ofTallies || f.limited() || f.Sort == SortScore; {
	case alias == "k" && ofSegments && f.Text == "":
		from += " JOIN segments g ON g.id = k.segment_id"
	case alias == "g" && step.ofTallies:
		from += " JOIN segment_tallies k ON k.segment_id = g.id"
	}
	if f.Step != "" {
		where, args = where+" AND "+step.sql, append(args, step.args...)
	}
	if f.scored() && (f.limited() || f.Sort == SortScore) {
		if out.scores, out.scoreArgs, err = s.scores(db, campaignID, f); err != nil {
			return out, err
		}
		if f.Least != nil {
			out.limits, out.limitsArgs = " AND x.score >= CAST(? AS DOUBLE PRECISION)", []any{*f.Least}
		}
		if f.Most != nil {
			out.limits, out.limitsArgs = out.limits+" AND x.score <= CAST(? AS DOUBLE PRECISION)", append(out.limitsArgs, *f.Most)
		}
		if f.Sort == SortScore {
			order = []string{"x.score", "g.position"}
		}
	}
	if f.Reverse {
		for i := range order {
			order[i] += " DESC"
		}
	}
	out.id, out.from, out.where, out.args, out.order, out.n = id, from, where, args, order, step.n
	return out, nil
}

// entriesOf reads segments by row id, in the order of the ids.
func entriesOf(db *gorm.DB, ids []string) ([]readmodel.Segment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []struct {
		readmodel.Segment `gorm:"embedded"`
		Lowest            float64
		Changed           database.Instant
	}
	err := db.Raw(`SELECT g.id, d.doc_id, g.segment_id, g.domain, g.source, g.status, g.round, g.taken, g.held,
			(SELECT count(*) FROM assignments a WHERE a.segment_id = g.id AND a.round = g.round AND a.state = 'submitted') AS submitted,
			coalesce(k.lowest, ?) AS lowest, coalesce(k.changed_at, 0) AS changed
		FROM segments g JOIN documents d ON d.id = g.document_id LEFT JOIN segment_tallies k ON k.segment_id = g.id
		WHERE g.id IN ?`, undefinedR, ids).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(ids))
	for i, id := range ids {
		at[id] = i
	}
	out := make([]readmodel.Segment, len(ids))
	for _, r := range rows {
		e := r.Segment
		if e.LowestR = r.Lowest; r.Lowest == undefinedR {
			e.LowestR = math.NaN()
		}
		e.ChangedAt = r.Changed.Time()
		out[at[e.ID]] = e
	}
	return slices.DeleteFunc(out, func(e readmodel.Segment) bool { return e.ID == "" }), nil
}

// Domains lists the domains of a campaign's segments by name, without the empty
// one.
func (s *Store) Domains(ctx context.Context, campaignID string) ([]string, error) {
	table, err := readTable(s.db.Read(ctx), campaignID, "kind = ?", kindStatus)
	var names []string
	for k := range table {
		if _, domain, _ := strings.Cut(k.Name, "/"); domain != "" {
			names = append(names, domain)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// contains returns an SQL operator with a parameter, and the parameter, for columns that contain a
// text, without regard to case (on SQLite that of ASCII letters only).
func (s *Store) contains(text string) (like, pattern string) {
	like = " LIKE ? ESCAPE '\\'"
	if s.db.Dialect == database.Postgres {
		like = " ILIKE ? ESCAPE '\\'"
	}
	return like, "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
}
