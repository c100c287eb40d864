package records

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
)

// An AuditFilter chooses entries of the audit log. An empty field chooses all.
type AuditFilter struct {
	Act    string
	Login  string // a login, or [CommandLine]
	Text   string // part of a subject or reason; ignores case, on SQLite that of ASCII letters only
	Offset int
	Limit  int
	// After is the [readmodel.AuditEntry.Place] of an entry. It chooses the entries that
	// follow it, so that paging is not disturbed by entries that are written meanwhile.
	After string
}

// CommandLine is the Login in an [AuditFilter] that chooses what the command line did. No
// real login begins with "-".
const CommandLine = "-"

// auditOf chooses the entries l of a campaign, whose id is given twice, and of its side campaigns.
// Acts on its training and its checks are logged in the side campaigns.
const auditOf = "(l.campaign_id = ? OR l.campaign_id IN (SELECT k.id FROM campaigns k WHERE k.part_of = ?))"

// FindAudit lists the entries of the audit log of a campaign, its training and its checks that a
// filter chooses, the latest first. It also returns their number without Limit and Offset.
func (s *Store) FindAudit(ctx context.Context, campaignID string, f AuditFilter) ([]readmodel.AuditEntry, int, error) {
	where, args := auditOf, []any{campaignID, campaignID}
	if f.Act != "" {
		where, args = where+" AND l.act = ?", append(args, f.Act)
	}
	switch f.Login {
	case "":
	case CommandLine:
		where += " AND l.user_id IS NULL"
	default:
		where, args = where+" AND u.login = ?", append(args, f.Login)
	}
	if f.Text != "" {
		like := " LIKE ? ESCAPE '\\'"
		if s.db.Dialect == database.Postgres {
			like = " ILIKE ? ESCAPE '\\'"
		}
		pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(f.Text) + "%"
		where, args = where+" AND (l.subject"+like+" OR l.reason"+like+")", append(args, pattern, pattern)
	}
	if f.After != "" {
		at, id, err := auditPlace(f.After)
		if err != nil {
			return nil, 0, err
		}
		where, args = where+" AND (l.at < ? OR l.at = ? AND l.id < ?)", append(args, at, at, id)
	}
	const from = " FROM audit_log l LEFT JOIN users u ON u.id = l.user_id WHERE "
	var total int
	if err := database.Scan(s.db.Read(ctx).Raw("SELECT count(*)"+from+where, args...), &total); err != nil {
		return nil, 0, database.Translate(err)
	}
	var rows []struct {
		ID      string
		At      database.Instant
		Login   string
		Act     string
		Subject string
		Reason  string
		Before  string
		After   string
		Side    campaign.Side
	}
	err := s.db.Read(ctx).Raw("SELECT l.id, l.at, coalesce(u.login, '') AS login, l.act, l.subject, l.reason, l.before, l.after, (SELECT k.side FROM campaigns k WHERE k.id = l.campaign_id) AS side"+from+where+
		" ORDER BY l.at DESC, l.id DESC LIMIT ? OFFSET ?", append(args, f.Limit, max(0, f.Offset))...).Scan(&rows).Error
	out := make([]readmodel.AuditEntry, len(rows))
	for i, r := range rows {
		out[i] = readmodel.AuditEntry{At: r.At.Time(), Login: r.Login, Act: r.Act, Subject: r.Subject, Reason: r.Reason, Before: r.Before, After: r.After, Side: r.Side, Place: fmt.Sprintf("%d.%s", r.At, r.ID)}
	}
	return out, total, database.Translate(err)
}

// auditPlace parses a [readmodel.AuditEntry.Place].
func auditPlace(place string) (at database.Instant, id string, err error) {
	moment, id, _ := strings.Cut(place, ".")
	n, err := strconv.ParseInt(moment, 10, 64)
	if err != nil {
		return 0, "", campaign.Invalid("after", "is not a place in the audit log; open the log again")
	}
	return database.Instant(n), id, nil
}

// AuditChoices lists the acts in the audit log of a campaign, its training and its checks, and the
// logins of those who did them. Each is listed once, sorted. The command line is left out.
func (s *Store) AuditChoices(ctx context.Context, campaignID string) (acts, logins []string, err error) {
	db := s.db.Read(ctx)
	if err := db.Raw("SELECT DISTINCT l.act FROM audit_log l WHERE "+auditOf+" ORDER BY l.act", campaignID, campaignID).Scan(&acts).Error; err != nil {
		return nil, nil, database.Translate(err)
	}
	err = db.Raw("SELECT DISTINCT u.login FROM audit_log l JOIN users u ON u.id = l.user_id WHERE "+auditOf+" ORDER BY u.login", campaignID, campaignID).Scan(&logins).Error
	return acts, logins, database.Translate(err)
}

// Audit writes an entry of the audit log. userID is empty for the command line.
func (s *Store) Audit(tx *database.Tx, campaignID, userID, act, subject, reason string) error {
	log := NewAuditRows()
	s.AddAudit(log, campaignID, userID, act, subject, reason, "", "")
	return log.Insert(tx)
}

// NewAuditRows returns an empty list of entries of the audit log; see [Store.AddAudit].
func NewAuditRows() *database.Rows {
	return database.NewRows("audit_log", "id", "campaign_id", "user_id", "act", "subject", "reason", "before", "after", "at")
}

// AddAudit adds an entry to a list that [NewAuditRows] returned. before and after describe
// what the act changed, in words.
func (s *Store) AddAudit(log *database.Rows, campaignID, userID, act, subject, reason, before, after string) {
	var by any
	if userID != "" {
		by = userID
	}
	log.Add(database.NewID(), campaignID, by, act, database.Storable(subject), database.Storable(reason), before, after, database.InstantOf(s.db.Now()))
}
