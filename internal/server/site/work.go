package site

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v5"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/parallel"
)

const (
	// workKept is how long a job of a program is remembered after its end, as long as its runner keeps its result.
	workKept = time.Hour
	// maxWait is how long a request for the status of a job may wait for its end.
	maxWait = 60 * time.Second
)

// A Job is long work that a program has started.
type Job struct {
	ID       string           `json:"id"`
	Kind     string           `json:"kind" doc:"what the job does, such as import or export"`
	Campaign string           `json:"campaign" doc:"slug"`
	State    string           `json:"state" enum:"running,done,failed"`
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
	JSON  any                         // is answered as JSON, if Send is nil
	Send  func(c *echo.Context) error // sends a file
	Notes []string
}

// running is what a [parallel.Job] has, whatever its result is.
type running interface {
	Progress() (words string, share float64)
	Done() <-chan struct{}
	Over() bool
	Ended() time.Time
}

// A work is a job with what it takes to answer about it.
type work struct {
	id, kind, campaignID, byID string
	who                        People // who started it, in the campaign
	began                      time.Time
	job                        running
	result                     func() (Result, error) // valid once the job is over
}

// Works are the jobs that programs have started on this server.
type Works struct {
	now func() time.Time

	mu  sync.Mutex
	all map[string]*work
}

// Track remembers a job that the program of the request has started, and answers where its status is. result returns what it
// made, or its error, once it is over.
func Track[T any](s *Site, c *echo.Context, kind string, j *parallel.Job[T], result func(T) (Result, error)) Job {
	w := &work{id: uuid.NewString(), kind: kind, campaignID: Here(c).Campaign.ID, byID: Me(c).ID, who: kindOf(c), began: s.Now(), job: j, result: func() (Result, error) {
		got, err := j.Result()
		if err != nil {
			return Result{}, err
		}
		return result(got)
	}}
	s.Works.add(w)
	return w.about(Here(c).Campaign)
}

func (w *Works) add(one *work) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, old := range w.all {
		if old.job.Over() && w.now().Sub(old.job.Ended()) >= workKept {
			delete(w.all, id)
		}
	}
	w.all[one.id] = one
}

// find returns a job that the user of the request has started in the campaign, as somebody who may still do so.
func (w *Works) find(c *echo.Context, id string) (*work, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.all[id]
	if one == nil || one.campaignID != Here(c).Campaign.ID || one.byID != Me(c).ID || one.who&^kindOf(c) != 0 {
		return nil, fmt.Errorf("there is no job %q of yours in this campaign; jobs are forgotten an hour after their end, and when the server stops: %w", id, campaign.ErrNotFound)
	}
	return one, nil
}

// about says how far a job is.
func (w *work) about(of campaign.Campaign) Job {
	j := Job{ID: w.id, Kind: w.kind, Campaign: of.Slug, State: "running", BeganAt: w.began}
	if !w.job.Over() {
		j.Doing, j.Share = w.job.Progress()
		return j
	}
	ended := w.job.Ended()
	j.EndedAt, j.Share = &ended, 1
	got, err := w.result()
	if err != nil {
		j.State, j.Problem = "failed", ProblemOf(err)
		return j
	}
	j.State, j.Notes, j.Result = "done", got.Notes, APIPath+"/campaigns/"+of.Slug+"/jobs/"+w.id+"/result"
	return j
}

// OfJob names a job in an address.
type OfJob struct {
	Slug string `path:"slug"`
	Job  string `path:"job" doc:"id of the job"`
}

// JobRoutes are the routes of the jobs that programs have started.
func (s *Site) JobRoutes() []Route {
	return []Route{
		Operation(s, Op{Operation: huma.Operation{OperationID: "get-job", Method: http.MethodGet, Path: "/campaigns/{slug}/jobs/{job}", Summary: "How far a job is", Tags: []string{"jobs"}}, Who: Readers}, func(c *echo.Context, in *struct {
			OfJob
			Wait int `query:"wait" minimum:"0" maximum:"60" doc:"seconds to wait for the end of the job"`
		}) (Job, error) {
			w, err := s.Works.find(c, in.Job)
			if err != nil {
				return Job{}, err
			}
			limit := time.NewTimer(min(maxWait, time.Duration(in.Wait)*time.Second))
			defer limit.Stop()
			select {
			case <-w.job.Done():
			case <-limit.C:
			case <-c.Request().Context().Done():
			}
			return w.about(Here(c).Campaign), nil
		}),
		Sends(s, Op{Operation: huma.Operation{OperationID: "get-job-result", Method: http.MethodGet, Path: "/campaigns/{slug}/jobs/{job}/result", Summary: "What a job has made", Description: "A file, or the JSON that the command line prints.", Tags: []string{"jobs"}}, Who: Readers}, func(c *echo.Context, in *OfJob) error {
			w, err := s.Works.find(c, in.Job)
			if err != nil {
				return err
			}
			if !w.job.Over() {
				return fmt.Errorf("the job is still running; ask for its status until it is done: %w", campaign.ErrConflict)
			}
			got, err := w.result()
			switch {
			case err != nil:
				return err
			case got.Send != nil:
				return got.Send(c)
			}
			c.Response().Header().Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
			c.Response().WriteHeader(http.StatusOK)
			return api.WriteJSON(c.Response(), got.JSON)
		}, api.Agreement{}, api.Metaeval{}, api.ImportReport{}, api.Import{}, api.Judge{}),
	}
}
