package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// A Finding is the result of one check of [Store.Doctor].
type Finding struct {
	Check    string   // what was checked
	Problems []string // empty if all is well
	Repaired bool     // the problems have been repaired
}

// Doctor checks the database and reports each finding at once. It checks that the file is
// undamaged and complete, that rows refer to rows that exist, that the schema is up to date, that
// stored states and sums equal a recount, and that segments, assignments, ratings and decisions do
// not contradict each other. With repair it counts again what can be counted, and accepts an
// incomplete copy; it changes nothing else. The error says that a check could not be done.
//
// It reads everything, which takes some seconds for a campaign of a million ratings. Writes can go
// on meanwhile.
func (s *Store) Doctor(ctx context.Context, repair bool, report func(Finding)) error {
	whole, err := s.checkFile(ctx)
	if err != nil {
		return err
	}
	report(Finding{Check: "integrity of the database", Problems: whole})
	if s.DB.Dialect == database.SQLite {
		if err := s.checkComplete(repair, report); err != nil {
			return err
		}
	}
	m, err := s.DB.Migrator()
	if err != nil {
		return err
	}
	n, err := s.DB.Pending(ctx, m)
	if err != nil {
		if _, ok := errors.AsType[*database.SchemaError](err); ok {
			report(Finding{Check: "schema", Problems: []string{err.Error()}})
			return nil // the other checks read tables that may be others in that schema
		}
		return err
	}
	if n > 0 {
		report(Finding{Check: "schema", Problems: []string{fmt.Sprintf("%d migrations are pending; run: annotate migrate up", n)}})
		return nil // the other checks read tables that may not exist yet
	}
	report(Finding{Check: "schema"})
	campaigns, err := s.Records.CampaignsAndSides(ctx)
	if err != nil {
		return err
	}
	for _, c := range campaigns {
		if err := s.checkCampaign(ctx, c, repair, report); err != nil {
			return fmt.Errorf("campaign %q: %w", c.Slug, err)
		}
	}
	return nil
}

// checkComplete reports whether the file is a copy that lacks its write-ahead log. With repair it
// accepts such a copy.
func (s *Store) checkComplete(repair bool, report func(Finding)) error {
	f := Finding{Check: "completeness of the file"}
	if s.DB.Mark.Copied {
		f.Problems = []string{s.DB.CopiedWords()}
		if repair {
			if err := s.DB.Mark.Accept(); err != nil {
				return err
			}
			f.Repaired = true
		}
	}
	report(f)
	return nil
}

// checkFile lists damage of the database. On PostgreSQL, which has its own tools for that, it only
// checks that the database answers.
func (s *Store) checkFile(ctx context.Context) ([]string, error) {
	if s.DB.Dialect == database.Postgres {
		return nil, s.DB.Conn.WithContext(ctx).Exec("SELECT 1").Error
	}
	return database.CheckSQLite(s.DB.Conn.WithContext(ctx))
}

// A contradiction is a query for segments that contradict other rows. Its parameter is the id of
// the campaign.
type contradiction struct{ check, problem, query string }

// ofSegment is the beginning of the queries. It selects the ids of segments g.
const ofSegment = "SELECT d.doc_id, g.segment_id FROM segments g JOIN documents d ON d.id = g.document_id WHERE g.campaign_id = ? AND "

var contradictions = []contradiction{
	{"places", "the number of taken places is wrong", ofSegment + `g.taken <> (SELECT count(*) FROM assignments a
		WHERE a.segment_id = g.id AND ` + rounds.TakesPlace + `)`},
	{"decisions", "has a decision of a round that nobody rated", ofSegment + `EXISTS (SELECT 1 FROM decisions x WHERE x.segment_id = g.id
		AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.round = x.round AND (a.state = 'submitted' OR a.set_aside = 'submitted')))`},
	{"assignments", "has an assignment that counts another number of ratings than it has", ofSegment + `EXISTS (SELECT 1 FROM assignments a
		WHERE a.segment_id = g.id AND a.ratings <> (SELECT count(*) FROM ratings r WHERE r.assignment_id = a.id))`},
	{
		"assignments",
		"has an assignment that is of another campaign",
		ofSegment + `EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.campaign_id <> g.campaign_id)`,
	},
	{"assignments", "has ratings of an assignment that was never submitted", ofSegment + `EXISTS (SELECT 1 FROM assignments a
		WHERE a.segment_id = g.id AND a.state <> 'submitted' AND a.set_aside = '' AND a.ratings > 0)`},
	{
		"assignments",
		"has a submitted adjudication whose act is undone",
		ofSegment + `EXISTS (SELECT 1 FROM assignments a JOIN act_assignments x ON x.assignment_id = a.id
		JOIN acts c ON c.batch = x.batch AND c.segment_id = a.segment_id WHERE a.segment_id = g.id AND a.state = 'adjudicated' AND x.state = 'adjudicating' AND c.undone
		AND NOT EXISTS (SELECT 1 FROM act_assignments y JOIN acts d ON d.batch = y.batch AND d.segment_id = a.segment_id WHERE y.assignment_id = a.id AND NOT d.undone))`,
	},
	{"ratings", "has a rating of another segment's translation", ofSegment + `EXISTS (SELECT 1 FROM assignments a JOIN ratings r ON r.assignment_id = a.id
		JOIN translations t ON t.id = r.translation_id WHERE a.segment_id = g.id AND t.segment_id <> g.id)`},
	{
		"metrics",
		"has scores of a metric that lists another number of systems",
		ofSegment + `EXISTS (SELECT 1 FROM metric_segment_scores x JOIN metrics m ON m.id = x.metric_id
		WHERE x.segment_id = g.id AND length(x.scores) - length(replace(x.scores, ' ', '')) <> length(m.systems) - length(replace(m.systems, ' ', '')))`,
	},
}

func (s *Store) checkCampaign(ctx context.Context, c campaign.Campaign, repair bool, report func(Finding)) error {
	name := fmt.Sprintf("campaign %q: ", c.Slug)
	if slug, _, side := strings.Cut(c.Slug, "~"); side {
		name = fmt.Sprintf("%s of campaign %q: ", map[campaign.Side]string{campaign.Training: "training set", campaign.Checks: "checks"}[c.Side], slug)
	}
	found := map[string]*database.Differences{}
	var checks []string
	for _, x := range contradictions {
		if found[x.check] == nil {
			found[x.check] = &database.Differences{}
			checks = append(checks, x.check)
		}
		var doc, segment string
		for err := range database.EachRow(s.DB.Read(ctx).Raw(x.query+" ORDER BY g.position", c.ID), &doc, &segment) {
			if err != nil {
				return err
			}
			found[x.check].Add("segment %q of document %q: %s", segment, doc, x.problem)
		}
	}
	sums, err := s.Desk.CheckTallies(ctx, c.ID)
	if err != nil {
		return err
	}
	wrongPlaces := found["places"].N > 0
	if repair && (wrongPlaces || len(sums) > 0) {
		if err := s.repair(ctx, c.ID); err != nil {
			return err
		}
	}
	for _, check := range checks {
		problems := found[check].List()
		report(Finding{name + check, problems, repair && check == "places" && len(problems) > 0})
	}
	report(Finding{name + "sums against a recount", sums, repair && len(sums) > 0})
	return nil
}

// repair computes the states and sums of a campaign again.
func (s *Store) repair(ctx context.Context, campaignID string) error {
	err := s.DB.WriteLong(ctx, func(tx *database.Tx) error {
		c, err := records.LockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		f := s.Rounds.NewFollowing(tx, c)
		f.Facts.Fresh = true
		return f.All() // this also counts the places
	})
	if err != nil {
		return err
	}
	return s.Desk.Recount(ctx, campaignID)
}
