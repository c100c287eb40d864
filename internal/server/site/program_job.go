package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v5"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/jobs"
	"annotate/internal/parallel"
)

const (
	// maxWait is how long a request for the status of a job may wait for its end.
	maxWait = 60 * time.Second
	// lookEvery is how often such a request looks whether the job is over, wherever it runs.
	lookEvery = 100 * time.Millisecond
)

// A Job is long work that a program has started.
type Job struct {
	ID       string           `json:"id"`
	Kind     string           `json:"kind" doc:"what the job does, such as import or export"`
	Campaign string           `json:"campaign" doc:"slug"`
	State    string           `json:"state" enum:"running,done,failed,interrupted" doc:"interrupted: the server that did it has stopped"`
	Doing    string           `json:"doing,omitempty" doc:"what it is doing now"`
	Share    float64          `json:"share" doc:"of the work that is done, from 0 to 1"`
	BeganAt  time.Time        `json:"began_at"`
	EndedAt  *time.Time       `json:"ended_at"`
	Notes    []string         `json:"notes,omitempty" doc:"what was left out or changed"`
	Result   string           `json:"result,omitempty" doc:"address of what the job made, once it is done"`
	Problem  *huma.ErrorModel `json:"problem,omitempty" doc:"why the job failed, and what to do"`
}

// A Result is what a job has made.
type Result struct {
	JSON  any    // is answered as JSON, unless Opens is given
	Opens string // what the opener of the kind of job finds the result by ([Works.Opens])
	Notes []string
}

// An outcome is what came of a job, as it is stored.
type outcome struct {
	Problem *huma.ErrorModel `json:"problem,omitempty"`
	Opens   string           `json:"opens,omitempty"`
	Notes   []string         `json:"notes,omitempty"`
}

// Works are the jobs that programs have started. The database has them, so that every server answers.
type Works struct {
	jobs      *jobs.Store
	following sync.WaitGroup
	// Opens sends the results of each kind of job that are not JSON. It must not change once the server answers.
	Opens map[string]func(c *echo.Context, by string) error
}

// Wait waits until the ends of all jobs of this server are stored. The jobs are over.
func (w *Works) Wait() { w.following.Wait() }

// Track stores a job that the program of the request has started, and answers where its status is. result returns what it
// made, or its error, once it is over.
func Track[T any](s *Site, c *echo.Context, kind string, j *parallel.Job[T], result func(T) (Result, error)) (Job, error) {
	of := Here(c).Campaign
	p := jobs.ProgramJob{ID: uuid.NewString(), Kind: kind, CampaignID: of.ID, UserID: Me(c).ID, People: int(kindOf(c)), BeganAt: s.Now()}
	if err := s.Works.jobs.BeginProgram(c.Request().Context(), p); err != nil {
		return Job{}, err
	}
	s.Works.following.Go(func() {
		s.Works.jobs.FollowProgram(p.ID, j.Progress, j.Done(), func() (string, string) {
			got, err := j.Result()
			var made Result
			if err == nil {
				made, err = result(got)
			}
			return ended(made, err)
		})
	})
	p.Words, p.Share = j.Progress()
	return about(p, of)
}

// ended is the outcome of a job and the JSON that it has made. A job that ended with its server has no outcome.
func ended(made Result, err error) (stored, result string) {
	if errors.Is(err, context.Canceled) {
		return "", ""
	}
	var body strings.Builder
	if err == nil && made.Opens == "" {
		err = api.WriteJSON(&body, made.JSON)
	}
	o := outcome{Opens: made.Opens, Notes: made.Notes}
	if err != nil {
		o = outcome{Problem: ProblemOf(err)}
		body.Reset()
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "", ""
	}
	return string(text), body.String()
}

// find returns a job that the user of the request has started in the campaign, as somebody who may still do so.
func (w *Works) find(c *echo.Context, id string) (jobs.ProgramJob, error) {
	p, err := w.jobs.FindProgram(c.Request().Context(), Here(c).Campaign.ID, id)
	if errors.Is(err, campaign.ErrNotFound) || err == nil && (p.UserID != Me(c).ID || People(p.People)&^kindOf(c) != 0) {
		err = fmt.Errorf("there is no job %q of yours in this campaign; jobs are forgotten an hour after their end: %w", id, campaign.ErrNotFound)
	}
	return p, err
}

// about says how far a job is.
func about(p jobs.ProgramJob, of campaign.Campaign) (Job, error) {
	j := Job{ID: p.ID, Kind: p.Kind, Campaign: of.Slug, State: "running", BeganAt: p.BeganAt, Doing: p.Words, Share: p.Share}
	if p.EndedAt.IsZero() {
		return j, nil
	}
	j.EndedAt = &p.EndedAt
	if p.Interrupted {
		j.State, j.Problem = "interrupted", &huma.ErrorModel{Status: http.StatusServiceUnavailable,
			Title:  http.StatusText(http.StatusServiceUnavailable),
			Detail: "The server that did this job has stopped. Start it again; before you repeat an import, look whether the campaign lists it."}
		return j, nil
	}
	var o outcome
	if err := json.Unmarshal([]byte(p.Outcome), &o); err != nil {
		return j, err
	}
	j.Doing, j.Share, j.Notes, j.Problem = "", 1, o.Notes, o.Problem
	if j.State = "done"; o.Problem != nil {
		j.State = "failed"
		return j, nil
	}
	j.Result = APIPath + "/campaigns/" + of.Slug + "/jobs/" + p.ID + "/result"
	return j, nil
}

// await returns a job once it is over, or after a time.
func (w *Works) await(c *echo.Context, id string, patience time.Duration) (jobs.ProgramJob, error) {
	limit, look := time.NewTimer(patience), time.NewTicker(lookEvery)
	defer limit.Stop()
	defer look.Stop()
	for {
		p, err := w.find(c, id)
		if err != nil || !p.EndedAt.IsZero() || patience == 0 {
			return p, err
		}
		select {
		case <-look.C:
		case <-limit.C:
			patience = 0
		case <-c.Request().Context().Done():
			return p, c.Request().Context().Err()
		}
	}
}

// sendResult answers with what a job has made.
func (w *Works) sendResult(c *echo.Context, id string) error {
	p, err := w.find(c, id)
	if err != nil {
		return err
	}
	if p.EndedAt.IsZero() {
		return fmt.Errorf("the job is still running; ask for its status until it is done: %w", campaign.ErrConflict)
	}
	if p.Interrupted {
		return fmt.Errorf("the server that did this job has stopped; start it again: %w", campaign.ErrConflict)
	}
	var o outcome
	if err := json.Unmarshal([]byte(p.Outcome), &o); err != nil {
		return err
	}
	switch {
	case o.Problem != nil:
		return o.Problem
	case o.Opens != "":
		err := w.Opens[p.Kind](c, o.Opens)
		if errors.Is(err, campaign.ErrNotFound) {
			err = fmt.Errorf(
				"what the job made is not kept any more; start it again: %w",
				campaign.ErrNotFound,
			)
		}
		return err
	}
	body, err := w.jobs.ProgramResult(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, []byte(body))
}

// OfJob names a job in an address.
type OfJob struct {
	Slug string `path:"slug"`
	Job  string `path:"job" doc:"id of the job"`
}

// JobRoutes are the routes of the jobs that programs have started.
func (s *Site) JobRoutes() []Route {
	return []Route{
		Operation(s, Op{
			ID: "get-job", Method: http.MethodGet, Path: "/campaigns/{slug}/jobs/{job}", Tag: "jobs", Who: Readers,
			Summary: "How far a job is",
		}, func(c *echo.Context, in *struct {
			OfJob
			Wait int `query:"wait" minimum:"0" maximum:"60" doc:"seconds to wait for the end of the job"`
		}) (Job, error) {
			p, err := s.Works.await(c, in.Job, min(maxWait, time.Duration(in.Wait)*time.Second))
			if err != nil {
				return Job{}, err
			}
			return about(p, Here(c).Campaign)
		}),
		Sends(s, Op{
			ID: "get-job-result", Method: http.MethodGet, Path: "/campaigns/{slug}/jobs/{job}/result", Tag: "jobs", Who: Readers,
			Summary: "What a job has made", About: "A file, or the JSON that the command line prints.",
		}, func(c *echo.Context, in *OfJob) error {
			return s.Works.sendResult(c, in.Job)
		}, api.Agreement{}, api.Metaeval{}, api.ImportReport{}, api.Import{}, api.Judge{}),
	}
}
