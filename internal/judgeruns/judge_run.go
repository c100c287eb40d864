package judgeruns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/outbox"
	"annotate/internal/records"
	"annotate/internal/wording"
)

// A JudgeSpec identifies a judge and its settings. Two runs with the same name must have equal
// specs, except for the threshold and the limits.
type JudgeSpec struct {
	Name, Method, Model string
	MethodVersion       int
	PromptHash          string
	Settings            records.JudgeSettings
}

// A JudgeState is the state of a run.
type JudgeState string

// The states of a run.
const (
	JudgeRunning JudgeState = "running"
	JudgeStopped JudgeState = "stopped"
	JudgeDone    JudgeState = "done"
)

// Words returns the state in words. A run that ended is not plainly done if answers could not be read.
func (s JudgeState) Words(unparsable int) string {
	if s == JudgeDone && unparsable > 0 {
		return fmt.Sprintf("done, %s unreadable", wording.Count(unparsable))
	}
	return string(s)
}

// JudgeInterrupted is the reason why a run stopped if its program ended before the run.
const JudgeInterrupted = "interrupted"

// A JudgeRun is the run of a judge.
type JudgeRun struct {
	JudgeID string
	JudgeSpec
	State       JudgeState
	Reason      string // why the run stopped
	Interrupted bool   // nobody stopped the run, and no program works on it
	Stopping    bool   // somebody asked the run to stop
	// Calls, InputTokens and OutputTokens count all replies that were received.
	Calls, InputTokens, OutputTokens int64
	Failed                           int64     // translations whose calls failed in the latest run
	BeganAt                          time.Time // begin of the judge's first run
	Since                            time.Time // begin of the judge's latest run
	ChangedAt                        time.Time
	beat                             int64
}

// Tokens is the sum of all tokens.
func (r JudgeRun) Tokens() int64 { return r.InputTokens + r.OutputTokens }

type judgeRunRow struct {
	JudgeID, Name, Method, Model, PromptHash, Settings, State, Reason, Runner string
	MethodVersion                                                             int
	Beat                                                                      int64
	Stop                                                                      bool
	Calls, InputTokens, OutputTokens, Failed                                  int64
	BeganAt, Since, ChangedAt                                                 database.Instant
}

const judgeRunColumns = `SELECT r.*, j.name, j.method, j.model FROM judge_runs r JOIN judges j ON j.id = r.judge_id`

func (row judgeRunRow) run() (JudgeRun, error) {
	r := JudgeRun{
		JudgeID: row.JudgeID, JudgeSpec: JudgeSpec{Name: row.Name, Method: row.Method, Model: row.Model, MethodVersion: row.MethodVersion, PromptHash: row.PromptHash},
		State: JudgeState(
			row.State,
		), Reason: row.Reason, Stopping: row.Stop, Calls: row.Calls, InputTokens: row.InputTokens, OutputTokens: row.OutputTokens, Failed: row.Failed,
		BeganAt: row.BeganAt.Time(), Since: row.Since.Time(), ChangedAt: row.ChangedAt.Time(), beat: row.Beat,
	}
	if err := json.Unmarshal([]byte(row.Settings), &r.Settings); err != nil {
		return r, fmt.Errorf("decode the settings of the judge %s: %w", row.Name, err)
	}
	return r, nil
}

// JudgeRuns lists the runs of the judges of a campaign, by name of the judge. A run that no
// program has worked on for a while is marked as interrupted.
func (s *Store) JudgeRuns(ctx context.Context, campaignID string) ([]JudgeRun, error) {
	var rows []judgeRunRow
	if err := s.db.Read(ctx).Raw(judgeRunColumns+" WHERE j.campaign_id = ?", campaignID).Scan(&rows).Error; err != nil {
		return nil, err
	}
	out := make([]JudgeRun, len(rows))
	for i, row := range rows {
		r, err := row.run()
		if err != nil {
			return nil, err
		}
		r.Interrupted = s.isSilent(r) || r.State == JudgeStopped && r.Reason == JudgeInterrupted
		out[i] = r
	}
	slices.SortFunc(out, func(a, b JudgeRun) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// isSilent reports whether a run has the state running and has not changed for [silentAfter]. Its
// program has then probably ended.
func (s *Store) isSilent(r JudgeRun) bool {
	return r.State == JudgeRunning && s.db.Now().Sub(r.ChangedAt) > silentAfter
}

// silentAfter is how long the row of a running run may stay unchanged. A run changes it at least
// every two seconds.
const silentAfter = 30 * time.Second

// A RunningJudge is a run that this program works on. Its methods fail with ErrConflict once
// another program has taken it over.
type RunningJudge struct {
	JudgeRun
	s          *Store
	campaignID string
	id         string // of this program's work
}

// BeginJudge begins or resumes the run of a judge. It makes the judge if the campaign lacks it. The
// error is an ErrConflict if another program runs the judge or the campaign is archived. It is a
// *campaign.InvalidError if a metric or an imported judge has the name, or if a judge with this
// name was run with other settings.
func (s *Store) BeginJudge(ctx context.Context, c campaign.Campaign, spec JudgeSpec, byID string) (*RunningJudge, error) {
	r := &RunningJudge{s: s, campaignID: c.ID, id: database.NewID()}
	var last *JudgeRun
	var seen time.Time
	for {
		var other *JudgeRun // the run, if another program may be working on it
		err := s.db.Write(ctx, func(tx *database.Tx) (err error) {
			other = nil
			if _, err := records.LockToChange(tx, c.ID); err != nil {
				return err
			}
			run, err := findOrMakeJudge(tx, c, spec)
			if err != nil {
				return err
			}
			if run.State == JudgeRunning && !s.isSilent(run) && (last == nil || run.beat != last.beat || time.Since(seen) < s.db.DeadAfter) {
				other = &run
				return nil
			}
			r.JudgeRun = run
			r.State, r.Reason, r.Stopping = JudgeRunning, "", false
			r.Settings.Concurrency, r.Settings.MaxTokens = spec.Settings.Concurrency, spec.Settings.MaxTokens
			if spec.Settings.Fresh != "" {
				r.Settings.Fresh = spec.Settings.Fresh
			}
			settings, err := json.Marshal(r.Settings)
			if err != nil {
				return err
			}
			now := database.InstantOf(tx.Now())
			if err := tx.Exec("UPDATE judge_runs SET state = 'running', reason = '', stop = FALSE, failed = 0, settings = ?, runner = ?, beat = beat + 1, since = ?, changed_at = ? WHERE judge_id = ?",
				string(settings), r.id, now, now, run.JudgeID).Error; err != nil {
				return err
			}
			return s.records.Audit(tx, c.ID, byID, "run judge", fmt.Sprintf("%s: %s with %s", spec.Name, spec.Method, spec.Model), "")
		})
		switch {
		case err != nil:
			return nil, err
		case other == nil:
			return r, nil
		case last != nil && other.beat != last.beat:
			return nil, fmt.Errorf("the judge %s is being run by another program; wait until it is over, or stop it there: %w",
				spec.Name, campaign.ErrConflict)
		case last == nil:
			last, seen = other, time.Now()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(time.Second, s.db.DeadAfter)):
		}
	}
}

// CheckJudge returns the *campaign.InvalidError that BeginJudge would return.
func (s *Store) CheckJudge(ctx context.Context, c campaign.Campaign, spec JudgeSpec) error {
	_, err := findJudge(s.db.Read(ctx), c, spec)
	if errors.Is(err, campaign.ErrNotFound) {
		return nil
	}
	return err
}

// findJudge returns the run of a judge. The error is ErrNotFound if there is none, and a
// *campaign.InvalidError if the judge can't be run as asked.
func findJudge(db *gorm.DB, c campaign.Campaign, spec JudgeSpec) (JudgeRun, error) {
	if spec.Name == "" || spec.Name != database.Storable(spec.Name) || len(spec.Name) > 200 {
		return JudgeRun{}, campaign.Invalid("as", "give the judge a name of 1 to 200 bytes")
	}
	var row judgeRunRow
	err := db.Raw(judgeRunColumns+" WHERE j.campaign_id = ? AND j.name = ?", c.ID, spec.Name).Take(&row).Error
	if err == nil {
		run, err := row.run()
		if err != nil {
			return run, err
		}
		return run, run.sameAs(spec)
	}
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return JudgeRun{}, err
	}
	var metrics, judges, all int
	if err := database.Scan(db.Raw("SELECT count(*) FROM metrics WHERE campaign_id = ? AND name = ?", c.ID, spec.Name), &metrics); err != nil {
		return JudgeRun{}, err
	}
	if err := database.Scan(db.Raw("SELECT count(*) FROM all_judges WHERE campaign_id = ? AND name = ?", c.ID, spec.Name), &judges); err != nil {
		return JudgeRun{}, err
	}
	if err := database.Scan(db.Raw("SELECT count(*) FROM judges WHERE campaign_id = ?", c.ID), &all); err != nil {
		return JudgeRun{}, err
	}
	switch {
	case metrics > 0:
		return JudgeRun{}, campaign.Invalid(
			"as", fmt.Sprintf("the campaign has a metric %q, and a judge is a metric, too; give the judge another name", spec.Name),
		)
	case judges > 0:
		return JudgeRun{}, campaign.Invalid("as",
			fmt.Sprintf("the judgements of %q were imported; give the judge that you run another name", spec.Name))
	}
	if all >= campaign.MaxJudges {
		return JudgeRun{}, campaign.Invalid(
			"as",
			fmt.Sprintf(
				"the campaign has %d judges, the most that are compared with each other; go on with one of them, or run the judge in another campaign",
				all,
			),
		)
	}
	return JudgeRun{}, campaign.ErrNotFound
}

// findOrMakeJudge returns the run of a judge. If there is none, it makes a stopped one.
func findOrMakeJudge(tx *database.Tx, c campaign.Campaign, spec JudgeSpec) (JudgeRun, error) {
	if _, err := records.LockToImport(tx, c.ID); err != nil {
		return JudgeRun{}, err
	}
	if run, err := findJudge(tx.DB, c, spec); !errors.Is(err, campaign.ErrNotFound) {
		return run, err
	}
	settings, err := json.Marshal(spec.Settings)
	if err != nil {
		return JudgeRun{}, err
	}
	now := database.InstantOf(tx.Now())
	run := JudgeRun{JudgeID: database.NewID(), JudgeSpec: spec, State: JudgeStopped, BeganAt: now.Time(), ChangedAt: now.Time()}
	if err := tx.Exec("INSERT INTO all_judges (id, campaign_id, name, method, model, made_at) VALUES (?, ?, ?, ?, ?, ?)",
		run.JudgeID, c.ID, spec.Name, spec.Method, spec.Model, now).Error; err != nil {
		return run, err
	}
	return run, tx.Exec("INSERT INTO judge_runs (judge_id, method_version, prompt_hash, settings, state, began_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		run.JudgeID, spec.MethodVersion, spec.PromptHash, string(settings), string(JudgeStopped), now, now).Error
}

// sameAs returns a *campaign.InvalidError if the judge was run with other settings than spec has.
func (r JudgeRun) sameAs(spec JudgeSpec) error {
	differs := func(what string) error {
		return campaign.Invalid("as", fmt.Sprintf("the judge %q was run with another %s; give the judge that you run another name", r.Name, what))
	}
	given := spec.Settings.Threshold
	switch {
	case r.Method != spec.Method:
		return differs("method")
	case r.MethodVersion != spec.MethodVersion:
		return differs("version of its method")
	case r.Settings.Variant != spec.Settings.Variant:
		return differs("variant of its method")
	case r.Settings.Search != spec.Settings.Search:
		return differs("use of a search engine")
	case r.PromptHash != spec.PromptHash:
		return differs("text of its prompts")
	case r.Model != spec.Model:
		return differs("model")
	case r.Settings.Server != "" && r.Settings.Server != spec.Settings.Server:
		return differs("server of its model, " + r.Settings.Server)
	case r.Settings.Retries != spec.Settings.Retries:
		return differs("number of retries")
	case r.Settings.Seed != spec.Settings.Seed:
		return differs("seed")
	case given != nil && (r.Settings.Threshold == nil || *r.Settings.Threshold != *given):
		return differs("threshold")
	}
	return nil
}

// own returns an ErrConflict if another program has taken over the run.
func (r *RunningJudge) own(tx *database.Tx, set string, args ...any) error {
	args = append(args, database.InstantOf(tx.Now()), r.JudgeID, r.id)
	res := tx.Exec("UPDATE judge_runs SET "+set+" beat = beat + 1, changed_at = ? WHERE judge_id = ? AND runner = ? AND state = 'running'", args...)
	if res.Error == nil && res.RowsAffected == 0 {
		return fmt.Errorf("another program has taken over the judge %s: %w", r.Name, campaign.ErrConflict)
	}
	return res.Error
}

// Beat stores that the program still works on the run. stop reports whether somebody asked the run
// to stop.
func (r *RunningJudge) Beat(ctx context.Context) (stop bool, err error) {
	err = r.s.db.Write(ctx, func(tx *database.Tx) error {
		if err := r.own(tx, ""); err != nil {
			return err
		}
		return database.Scan(tx.Raw("SELECT stop FROM judge_runs WHERE judge_id = ?", r.JudgeID), &stop)
	})
	return stop, err
}

// KeepThreshold stores the threshold that the run found, and the segments that it found it with. The judge
// does not judge these segments.
func (r *RunningJudge) KeepThreshold(ctx context.Context, threshold float64, segmentIDs []string) error {
	settings := r.Settings
	settings.Threshold = &threshold
	text, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	err = r.s.db.Write(ctx, func(tx *database.Tx) error {
		if err := r.own(tx, "settings = ?,", string(text)); err != nil {
			return err
		}
		rows := database.NewRows("judge_calibrations", "judge_id", "segment_id")
		for _, id := range segmentIDs {
			rows.Add(r.JudgeID, id)
		}
		return rows.Insert(tx)
	})
	if err == nil {
		r.Settings = settings
	}
	return err
}

// KeptReply reads the stored reply to a question. It is empty if there is none.
func (r *RunningJudge) KeptReply(ctx context.Context, id string) (reply string, err error) {
	err = database.Scan(r.s.db.Read(ctx).Raw("SELECT reply FROM judge_replies WHERE campaign_id = ? AND id = ?", r.campaignID, id), &reply)
	if errors.Is(err, database.ErrNoRows) {
		return "", nil
	}
	return reply, err
}

// keepsReplies reports whether a reply is stored for the campaign.
func (r *RunningJudge) keepsReplies(ctx context.Context) (keeps bool, err error) {
	err = database.Scan(r.s.db.Read(ctx).Raw("SELECT EXISTS (SELECT 1 FROM judge_replies WHERE campaign_id = ?)", r.campaignID), &keeps)
	return keeps, err
}

// keptReplies reads the stored replies to questions, by id.
func (r *RunningJudge) keptReplies(ctx context.Context, ids []string) (map[string]storedReply, error) {
	out := map[string]storedReply{}
	for some := range slices.Chunk(ids, 500) {
		var rows []struct{ ID, Reply string }
		if err := r.s.db.Read(ctx).Raw("SELECT id, reply FROM judge_replies WHERE campaign_id = ? AND id IN ?",
			r.campaignID, some).Scan(&rows).Error; err != nil {
			return nil, err
		}
		for _, row := range rows {
			var reply storedReply
			if err := json.Unmarshal([]byte(row.Reply), &reply); err != nil {
				return nil, err
			}
			out[row.ID] = reply
		}
	}
	return out, nil
}

// KeepReply stores a reply with its tokens.
func (r *RunningJudge) KeepReply(ctx context.Context, id, reply string, inputTokens, outputTokens int) error {
	return r.s.db.Write(ctx, func(tx *database.Tx) error {
		if err := r.own(tx, "calls = calls + 1, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,",
			inputTokens, outputTokens); err != nil {
			return err
		}
		return tx.Exec("INSERT INTO judge_replies (campaign_id, id, reply) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			r.campaignID, id, reply).Error
	})
}

// judgeID is the row id of a judge; empty if there is none.
func (s *Store) judgeID(ctx context.Context, campaignID, name string) (id string, err error) {
	err = database.Scan(s.db.Read(ctx).Raw("SELECT id FROM judges WHERE campaign_id = ? AND name = ?", campaignID, name), &id)
	if errors.Is(err, database.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// A KeptJudgement is a judgement of a translation with its trace.
type KeptJudgement struct {
	TranslationID string
	campaign.Judgement
	Trace []campaign.TraceCall
}

// Keep stores all judgements of a unit or none, and deletes the stored replies that could not be
// parsed. A translation that already has a judgement keeps it. A judgement of a translation that was
// deleted meanwhile, as undoing an import does, is dropped. stop reports whether somebody asked the
// run to stop.
func (r *RunningJudge) Keep(ctx context.Context, judgements []KeptJudgement, unread []string) (stop bool, err error) {
	rows := make([][]any, len(judgements))
	traces := make([]string, len(judgements))
	translations := make([]string, len(judgements))
	for i, j := range judgements {
		translations[i] = j.TranslationID
		row := records.EncodeJudgement(j.Judgement)
		rows[i] = []any{j.TranslationID, r.JudgeID, row.Status, row.Score, row.Scores, row.Spans, row.Unplaced, row.Why}
		if traces[i], err = records.EncodeTrace(j.Trace); err != nil {
			return false, err
		}
	}
	err = r.s.db.Write(ctx, func(tx *database.Tx) error {
		if err := r.own(tx, ""); err != nil {
			return err
		}
		if err := database.Scan(tx.Raw("SELECT stop FROM judge_runs WHERE judge_id = ?", r.JudgeID), &stop); err != nil {
			return err
		}
		var there []string
		if err := tx.Raw("SELECT id FROM translations WHERE id IN ?", translations).Scan(&there).Error; err != nil {
			return err
		}
		for i, row := range rows {
			if !slices.Contains(there, translations[i]) {
				continue
			}
			res := tx.Exec(
				"INSERT INTO all_judgements (translation_id, judge_id, status, score, scores, spans, unplaced, why) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
				row...)
			if res.Error != nil {
				return res.Error
			}
			if res.RowsAffected == 0 {
				continue
			}
			if err := tx.Exec("INSERT INTO judgement_traces (translation_id, judge_id, trace) VALUES (?, ?, ?)",
				row[0], r.JudgeID, traces[i]).Error; err != nil {
				return err
			}
		}
		if len(unread) == 0 {
			return nil
		}
		return tx.Exec("DELETE FROM judge_replies WHERE campaign_id = ? AND id IN ?", r.campaignID, unread).Error
	})
	return stop, err
}

// Fail counts translations whose calls failed. They stay in the queue.
func (r *RunningJudge) Fail(ctx context.Context, translations int) error {
	return r.s.db.Write(ctx, func(tx *database.Tx) error { return r.own(tx, "failed = failed + ?,", translations) })
}

// End ends the work of this program on the run.
func (r *RunningJudge) End(ctx context.Context, state JudgeState, reason string) error {
	return r.s.db.Write(ctx, func(tx *database.Tx) error {
		if err := r.own(tx, "reason = ?,", database.Storable(reason)); err != nil {
			return err
		}
		if err := tx.Exec("UPDATE judge_runs SET state = ?, runner = '' WHERE judge_id = ?", string(state), r.JudgeID).Error; err != nil {
			return err
		}
		if err := desk.NoteImport(tx, r.campaignID); err != nil {
			return err
		}
		return r.s.outbox.Tell(
			tx, r.campaignID, outbox.JudgeEnded, outbox.Judge{Name: r.Name, Method: r.Method, Model: r.Model, State: string(state), Reason: reason},
		)
	})
}

// StopJudge asks the program that runs a judge to stop. The error is ErrNotFound if the judge
// is not running.
func (s *Store) StopJudge(ctx context.Context, campaignID, judge, byID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		res := tx.Exec(
			"UPDATE judge_runs SET stop = TRUE WHERE state = 'running' AND judge_id IN (SELECT id FROM judges WHERE campaign_id = ? AND name = ?)",
			campaignID, judge,
		)
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			return fmt.Errorf("the judge %q is not running: %w", judge, campaign.ErrNotFound)
		}
		return s.records.Audit(tx, campaignID, byID, "stop judge", judge, "")
	})
}
