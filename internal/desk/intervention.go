package desk

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
)

// adjudicationDays sums the adjudications of a campaign by person and day.
func adjudicationDays(db *gorm.DB, c campaign.Campaign) (SumTable, error) {
	return daysOf(db, c, `SELECT a.user_id, a.submitted_at, (SELECT count(*) FROM translations t WHERE t.segment_id = a.segment_id) AS ratings, a.seconds
		FROM assignments a WHERE a.campaign_id = ? AND a.state = 'adjudicated'`)
}

// Interventions reads what leads did to a campaign that a reader of its data has to
// know.
func (s *Store) Interventions(ctx context.Context, campaignID string) (campaign.Interventions, error) {
	var out campaign.Interventions
	db := s.db.Read(ctx)
	var asides []struct {
		Login, ByLogin, Reason string
		At, RestoredAt         database.Instant
		Ratings                int
	}
	err := db.Raw(`SELECT u.login, coalesce(b.login, '') AS by_login, x.reason, x.at, x.restored_at, x.ratings
		FROM set_asides x JOIN users u ON u.id = x.user_id LEFT JOIN users b ON b.id = x.by_id
		WHERE x.campaign_id = ? ORDER BY x.at, u.login`, campaignID).Scan(&asides).Error
	if err != nil {
		return out, err
	}
	for _, a := range asides {
		out.SetAside = append(
			out.SetAside,
			campaign.SetAside{Annotator: a.Login, At: a.At.Time(), By: a.ByLogin, Reason: a.Reason, Ratings: a.Ratings, RestoredAt: a.RestoredAt.Time()},
		)
	}
	var changes []struct {
		Setting, Was, Became, ByLogin string
		At                            database.Instant
	}
	err = db.Raw(`SELECT x.setting, x.was, x.became, coalesce(b.login, '') AS by_login, x.at FROM settings_changes x
		LEFT JOIN users b ON b.id = x.by_id WHERE x.campaign_id = ? ORDER BY x.at, x.id`, campaignID).Scan(&changes).Error
	if err != nil {
		return out, err
	}
	for _, c := range changes {
		out.Settings = append(out.Settings, campaign.SettingChange{Key: c.Setting, From: c.Was, To: c.Became, At: c.At.Time(), By: c.ByLogin})
	}
	err = database.Scan(db.Raw(`SELECT count(CASE WHEN c.round > 0 THEN 1 END), count(DISTINCT CASE WHEN c.round > 0 THEN g.id END),
			count(CASE WHEN c.round = 0 THEN 1 END), count(DISTINCT CASE WHEN c.round = 0 THEN g.id END)
		FROM segments g JOIN acts c ON c.id = g.holding JOIN adjudicated x ON x.act_id = c.id
		WHERE g.campaign_id = ?`, campaignID), &out.Entered, &out.EnteredSegments, &out.Adjudicated, &out.AdjudicatedSegments)
	if err != nil {
		return out, err
	}
	err = database.Scan(
		db.Raw("SELECT count(*) FROM segments g JOIN acts c ON c.id = g.holding WHERE g.campaign_id = ? AND c.kind = 'accept mean'", campaignID),
		&out.MeansAccepted,
	)
	return out, err
}

// keptFigures are what was known of an annotator when their work was set aside. An
// undefined number is null.
type keptFigures struct {
	Segments    int             `json:"segments"`
	Ratings     int             `json:"ratings"`
	Seconds     float64         `json:"seconds"`
	Mean        *float64        `json:"mean"`
	Deviation   *float64        `json:"deviation"`
	Compared    int             `json:"compared"`
	Difference  *float64        `json:"difference"`
	LeaveOneOut *float64        `json:"leave_one_out"`
	Drift       *float64        `json:"drift"`
	Flags       []campaign.Flag `json:"flags"`
}

// An Aside is why an annotator's work is set aside, and what was known of them then.
type Aside struct {
	campaign.SetAside
	Figures readmodel.Annotator // Segments to Flags
	Known   bool                // Figures were kept
}

func defined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// keepAside notes that an annotator's work is about to be set aside.
func (s *Store) keepAside(tx *database.Tx, c campaign.Campaign, userID, reason, byID string, at database.Instant) error {
	annotators, err := people(tx.DB, c.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(annotators, func(a AnnotatorProgress) bool { return a.User.ID == userID })
	if i < 0 {
		return campaign.ErrNotFound
	}
	own := annotators[i : i+1]
	if err := s.addWork(tx.DB, c, own); err != nil {
		return err
	}
	state, err := stateOf(tx.DB, c)
	if err != nil {
		return err
	}
	f, err := readFigures(tx.DB, c, append(annotatorKinds, kindAlike, kindStatus)...)
	if err != nil {
		return err
	}
	f.addFigures(&own[0])
	if err := s.apart().addConduct(tx.DB, c, state, f, own); err != nil {
		return err
	}
	a := own[0]
	figures, _ := json.Marshal(keptFigures{
		Segments: a.Segments, Ratings: a.Ratings, Seconds: a.Seconds, Mean: defined(a.Mean), Deviation: defined(a.Deviation),
		Compared: a.Compared, Difference: defined(a.Difference), LeaveOneOut: defined(a.LeaveOneOut), Drift: defined(a.Drift), Flags: a.Flags,
	}) // finite numbers and texts can't fail
	return tx.Exec("INSERT INTO set_asides (campaign_id, user_id, at, by_id, reason, ratings, figures) VALUES (?, ?, ?, ?, ?, ?, ?)",
		c.ID, userID, at, database.OrNull(byID), database.Storable(reason), a.Ratings, string(figures)).Error
}

// readAside reads why a user's work is set aside; nil if it is not.
func readAside(db *gorm.DB, campaignID, userID string) (*Aside, error) {
	var rows []struct {
		Login, ByLogin, Reason, Figures string
		At                              database.Instant
		Ratings                         int
	}
	err := db.Raw(`SELECT u.login, coalesce(b.login, '') AS by_login, x.reason, x.at, x.ratings, x.figures FROM set_asides x
		JOIN users u ON u.id = x.user_id LEFT JOIN users b ON b.id = x.by_id
		WHERE x.campaign_id = ? AND x.user_id = ? AND x.restored_at = 0 ORDER BY x.at DESC LIMIT 1`, campaignID, userID).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	r := rows[0]
	out := &Aside{
		SetAside: campaign.SetAside{Annotator: r.Login, At: r.At.Time(), By: r.ByLogin, Reason: r.Reason, Ratings: r.Ratings},
		Known:    r.Figures != "{}",
	}
	if !out.Known {
		return out, nil
	}
	var k keptFigures
	if err := json.Unmarshal([]byte(r.Figures), &k); err != nil {
		return nil, err
	}
	out.Figures = readmodel.Annotator{
		Segments: k.Segments, Ratings: k.Ratings, Seconds: k.Seconds, Mean: orNaN(k.Mean), Deviation: orNaN(k.Deviation),
		Compared: k.Compared, Difference: orNaN(k.Difference), LeaveOneOut: orNaN(k.LeaveOneOut), Drift: orNaN(k.Drift), Flags: k.Flags,
	}
	return out, nil
}

// NoteImport counts an import; see [Store.ReportState].
func NoteImport(tx *database.Tx, campaignID string) error {
	return tx.Exec("UPDATE campaigns SET imports = imports + 1 WHERE id = ?", campaignID).Error
}

// asideDays sums up, by user and day, what annotators submitted whose work is set
// aside: it counts nowhere, but was done.
func asideDays(db *gorm.DB, c campaign.Campaign) (SumTable, error) {
	// CROSS JOIN makes SQLite begin with the few members instead of with all assignments.
	return daysOf(db, c, `SELECT a.user_id, a.submitted_at, a.ratings, a.seconds FROM memberships m CROSS JOIN assignments a
		WHERE m.campaign_id = ? AND m.set_aside AND a.user_id = m.user_id AND a.campaign_id = m.campaign_id AND a.set_aside = 'submitted'`)
}

// daysOf sums the work that a query finds in a campaign, by person and day: user_id,
// submitted_at, ratings and seconds of each piece of work.
func daysOf(db *gorm.DB, c campaign.Campaign, query string) (SumTable, error) {
	var rows []struct {
		UserID      string
		SubmittedAt database.Instant
		Ratings     int
		Seconds     float64
	}
	err := db.Raw(query, c.ID).Scan(&rows).Error
	out := SumTable{}
	for _, r := range rows {
		day := ""
		if r.SubmittedAt != 0 {
			day = c.Settings.StartOfDay(r.SubmittedAt.Time()).Format(time.DateOnly)
		}
		out.Add(sumKey{Kind: kindWork, User: r.UserID, Name: day}, Sums{N: int64(r.Ratings), X: 1, Y: int64(math.Round(r.Seconds * 1000))})
	}
	return out, err
}
