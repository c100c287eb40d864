package records

import (
	"context"
	"fmt"
	"slices"
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
	Text   string // part of a subject or reason, of the site also of a login, act or address; ignores case, on SQLite that of ASCII letters only
	Offset int
	Limit  int
	// After is the [readmodel.AuditEntry.Place] of an entry. It chooses the entries that
	// follow it, so that paging is not disturbed by entries that are written meanwhile.
	After string
}

// CommandLine is the Login in an [AuditFilter] that chooses what the command line did. No
// real login begins with "-".
const CommandLine = "-"

// An auditLog is where the entries of a log are.
type auditLog struct {
	from    string // the table l and the condition that chooses the log
	args    []any
	columns string   // beside those that each log has
	text    []string // columns that a filter looks for texts in
}

// auditOf returns the log of a campaign, with that of its training and its checks, whose acts are logged in side
// campaigns. If campaignID is empty, it returns the log of the site.
func auditOf(campaignID string) auditLog {
	if campaignID == "" {
		return auditLog{
			from:    " FROM site_log l LEFT JOIN users u ON u.id = l.user_id WHERE 1 = 1",
			columns: "l.detail AS reason, l.address, l.request_id AS request",
			text:    []string{"coalesce(u.login, '')", "l.act", "l.subject", "l.detail", "l.address"},
		}
	}
	return auditLog{
		from:    " FROM audit_log l LEFT JOIN users u ON u.id = l.user_id WHERE (l.campaign_id = ? OR l.campaign_id IN (SELECT k.id FROM campaigns k WHERE k.part_of = ?))",
		args:    []any{campaignID, campaignID},
		columns: "l.reason, l.before, l.after, (SELECT k.side FROM campaigns k WHERE k.id = l.campaign_id) AS side",
		text:    []string{"l.subject", "l.reason"},
	}
}

// FindAudit lists the entries of a log that a filter chooses, the latest first. The log is that of a campaign, its
// training and its checks or, without a campaign, that of the site. It also returns their number without Limit and
// Offset.
func (s *Store) FindAudit(ctx context.Context, campaignID string, f AuditFilter) ([]readmodel.AuditEntry, int, error) {
	log := auditOf(campaignID)
	where, args := log.from, log.args
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
		where += " AND (" + strings.Join(log.text, like+" OR ") + like + ")"
		pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(database.Storable(f.Text)) + "%"
		args = append(args, slices.Repeat([]any{pattern}, len(log.text))...)
	}
	if f.After != "" {
		at, id, err := auditPlace(f.After)
		if err != nil {
			return nil, 0, err
		}
		where, args = where+" AND (l.at < ? OR l.at = ? AND l.id < ?)", append(args, at, at, id)
	}
	var total int
	if err := database.Scan(s.db.Read(ctx).Raw("SELECT count(*)"+where, args...), &total); err != nil {
		return nil, 0, err
	}
	var rows []struct {
		ID, Login, Act, Subject, Reason, Before, After, Address, Request string
		At                                                               database.Instant
		Side                                                             campaign.Side
	}
	err := s.db.Read(ctx).Raw("SELECT l.id, l.at, coalesce(u.login, '') AS login, l.act, l.subject, "+log.columns+where+
		" ORDER BY l.at DESC, l.id DESC LIMIT ? OFFSET ?", append(args, f.Limit, max(0, f.Offset))...).Scan(&rows).Error
	out := make([]readmodel.AuditEntry, len(rows))
	for i, r := range rows {
		out[i] = readmodel.AuditEntry{
			At:      r.At.Time(),
			Login:   r.Login,
			Act:     r.Act,
			Subject: r.Subject,
			Reason:  r.Reason,
			Before:  r.Before,
			After:   r.After,
			Side:    r.Side,
			Address: r.Address,
			Request: r.Request,
			Place:   fmt.Sprintf("%d.%s", r.At, r.ID),
		}
	}
	return out, total, err
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

// AuditChoices lists the acts in a log as [Store.FindAudit] has it, and the logins of those who did them. Each is
// listed once, sorted. The command line is left out.
func (s *Store) AuditChoices(ctx context.Context, campaignID string) (acts, logins []string, err error) {
	db, log := s.db.Read(ctx), auditOf(campaignID)
	if err := db.Raw("SELECT DISTINCT l.act"+log.from+" ORDER BY l.act", log.args...).Scan(&acts).Error; err != nil {
		return nil, nil, err
	}
	err = db.Raw("SELECT DISTINCT u.login"+log.from+" AND u.login IS NOT NULL ORDER BY u.login", log.args...).Scan(&logins).Error
	return acts, logins, err
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
	log.Add(database.NewID(), campaignID, by, act, database.Storable(subject), database.Storable(reason), before, after,
		database.InstantOf(s.db.Now()))
}

// LogSite writes an entry of the site's log. userID is empty for the command line, and otherwise need not be that of the context's
// [Actor], as when somebody signs in.
func LogSite(tx *database.Tx, userID, act, subject, detail string) error {
	a := ActorOf(tx.Context())
	return tx.Exec(
		"INSERT INTO site_log (id, at, user_id, act, subject, detail, address, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", database.NewID(),
		database.InstantOf(tx.Now()), database.OrNull(userID), act, database.Storable(subject), database.Storable(detail),
		database.Storable(a.Address), a.Request,
	).Error
}
