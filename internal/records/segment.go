package records

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// HumanScored counts the segments with at least one imported human score of a name.
func (s *Store) HumanScored(ctx context.Context, campaignID, name string) (n int, err error) {
	// Most databases have none at all. CROSS JOIN makes SQLite begin with the scores
	// instead of with all translations of the campaign.
	err = database.Scan(s.db.Read(ctx).Raw(`SELECT count(DISTINCT t.segment_id) FROM human_scores h CROSS JOIN translations t CROSS JOIN segments g
		WHERE t.id = h.translation_id AND g.id = t.segment_id AND g.campaign_id = ? AND h.name = ?`, campaignID, name), &n)
	return n, err
}

// SegmentRowID finds the row id of a segment by its external ids. The error is ErrNotFound
// if there is none.
func (s *Store) SegmentRowID(ctx context.Context, campaignID, docID, segmentID string) (string, error) {
	var id string
	err := database.Scan(s.db.Read(ctx).Raw(`SELECT g.id FROM segments g JOIN documents d ON d.id = g.document_id
		WHERE g.campaign_id = ? AND d.doc_id = ? AND g.segment_id = ?`, campaignID, docID, segmentID), &id)
	return id, err
}

// A SegmentRow is a row that [SegmentColumns] selects.
type SegmentRow struct {
	ID         string
	DocID      string
	SegmentID  string
	Position   int
	Domain     string
	DataSource string
	Source     string
	Context    string
	Note       string

	Term, Explication string
	Status            string
	Round             int
	Held              bool
	DecidingAct       string `gorm:"column:holding"`
	Complete          int
}

// SegmentColumns begins a query that selects each [SegmentRow] as g, with its document as d.
const SegmentColumns = `SELECT g.id, d.doc_id, g.segment_id, g.position, g.domain, g.data_source, g.source, g.context, g.note, g.term, g.explication, g.status, g.round, g.held, g.holding, g.complete
	FROM segments g JOIN documents d ON d.id = g.document_id`

// ExportBatch is the number of segments that are read, and held in memory, at once.
const ExportBatch = 200

// AllSegments yields every segment of a campaign in the order of import, with [Everything].
// [database.Batches] says how they are read.
func (s *Store) AllSegments(ctx context.Context, c campaign.Campaign) iter.Seq2[campaign.Segment, error] {
	return s.Segments(ctx, c, Everything)
}

// Segments is [Store.AllSegments] for a reader that needs only some parts of each segment.
func (s *Store) Segments(ctx context.Context, c campaign.Campaign, parts Parts) iter.Seq2[campaign.Segment, error] {
	return database.Batches(ctx, s.db, func(*gorm.DB) (func(*gorm.DB) (func() ([]campaign.Segment, error), error), error) {
		position := 0
		return func(db *gorm.DB) (func() ([]campaign.Segment, error), error) {
			var rows []SegmentRow
			err := db.Raw(SegmentColumns+" WHERE g.campaign_id = ? AND g.position > ? ORDER BY g.position LIMIT ?", c.ID, position, ExportBatch).
				Scan(&rows).
				Error
			if err != nil || len(rows) == 0 {
				return nil, err
			}
			position = rows[len(rows)-1].Position
			return func() ([]campaign.Segment, error) { return readSegments(db, c, rows, parts) }, nil
		}, nil
	})
}

// SegmentsByID reads segments of a campaign by their row ids, as [Store.AllSegments] does. Ids of other
// segments are ignored.
func (s *Store) SegmentsByID(ctx context.Context, c campaign.Campaign, ids []string) ([]campaign.Segment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	db := s.db.Read(ctx)
	var rows []SegmentRow
	if err := db.Raw(SegmentColumns+" WHERE g.campaign_id = ? AND g.id IN ? ORDER BY g.position", c.ID, ids).Scan(&rows).Error; err != nil {
		return nil, err
	}
	out, err := CompleteSegments(db, c, rows)
	return out, err
}

// ExportFacts are what the writer of an export must know before the first segment.
type ExportFacts struct {
	Logins  []string // of everyone with a submitted rating, in byte order
	Ratings int
}

// ExportFacts reads who has rated in a campaign, and how many ratings there are, from the sums that
// package desk keeps.
func (s *Store) ExportFacts(ctx context.Context, campaignID string) (ExportFacts, error) {
	var rows []struct {
		Login string
		Rated int
	}
	err := s.db.Read(ctx).Raw(`SELECT u.login, k.n AS rated FROM tallies k JOIN users u ON u.id = k.user_id
		WHERE k.campaign_id = ? AND k.kind = 'total' AND k.x > 0`, campaignID).Scan(&rows).Error
	var f ExportFacts
	for _, r := range rows {
		f.Logins = append(f.Logins, r.Login)
		f.Ratings += r.Rated
	}
	slices.Sort(f.Logins)
	return f, err
}

// Systems lists the systems of a campaign in byte order; nil before the first
// import.
func (s *Store) Systems(ctx context.Context, campaignID string) ([]string, error) {
	names, err := SystemNames(s.db.Read(ctx), campaignID)
	return names, err
}

// SystemNames lists the systems of a campaign in byte order; nil without any.
func SystemNames(db *gorm.DB, campaignID string) ([]string, error) {
	var names []string
	err := db.Raw("SELECT name FROM systems WHERE campaign_id = ?", campaignID).Scan(&names).Error
	slices.Sort(names)
	if len(names) == 0 {
		names = nil
	}
	return names, err
}

// A DocumentChange is the number of changes of a document, by the id of its row.
type DocumentChange struct {
	ID      string
	Changes int64
}

// DocumentChanges reads the numbers of changes of all documents of a campaign.
func DocumentChanges(db *gorm.DB, campaignID string) ([]DocumentChange, error) {
	var list string // one text, because a row for each document takes longer
	err := database.Scan(db.Raw("SELECT coalesce(string_agg(id || ' ' || changes, ','), '') FROM documents WHERE campaign_id = ?", campaignID), &list)
	if err != nil || list == "" {
		return nil, err
	}
	out := make([]DocumentChange, 0, strings.Count(list, ",")+1)
	for entry := range strings.SplitSeq(list, ",") {
		id, changes, _ := strings.Cut(entry, " ")
		n, err := strconv.ParseInt(changes, 10, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, DocumentChange{id, n})
	}
	return out, nil
}

// DeleteSegments deletes segments with all their data.
func DeleteSegments(tx *database.Tx, ids []string) error {
	if err := LockSegmentsUnmarked(tx, ids); err != nil {
		return err
	}
	for _, query := range []string{
		"UPDATE campaign_tallies SET version = version + 1, resets = resets + 1 WHERE campaign_id IN (SELECT campaign_id FROM all_segments WHERE id IN ?)",
		"DELETE FROM problems WHERE segment_id IN ?",
		"DELETE FROM ratings WHERE assignment_id IN (SELECT id FROM assignments WHERE segment_id IN ?)",
		"DELETE FROM assignments WHERE segment_id IN ?", // with drafts
		"DELETE FROM all_segments WHERE id IN ?",        // with translations, acts and decisions
	} {
		if err := tx.Exec(query, ids).Error; err != nil {
			return err
		}
	}
	return nil
}

// HasPlace is the SQL condition that segment s has a free place in round 1: fewer places are taken
// than the redundancy, which is its parameter, or than the imported annotators if these are fewer
// ([campaign.Outcome.Places]).
const HasPlace = "s.taken < ? AND (s.imported = 0 OR s.taken < s.imported)"
