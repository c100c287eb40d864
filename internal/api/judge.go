package api

import (
	"context"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/judgeruns"
	"annotate/internal/readmodel"
	"annotate/internal/store"
)

// Judges is a list of the judges of a campaign, by name.
type Judges struct {
	Judges []Judge `json:"judges"`
}

// A Judge is a judge with its latest run.
type Judge struct {
	Name         string     `json:"name"`
	Method       string     `json:"method"`
	Variant      string     `json:"variant"`
	Model        string     `json:"model"`
	About        string     `json:"about"`
	Judged       int        `json:"judged"`
	Unparsable   int        `json:"unparsable"`
	Left         int        `json:"left" doc:"translations that it has not judged"`
	State        string     `json:"state" doc:"imported, running, done, stopped, failed or interrupted"`
	Reason       string     `json:"reason,omitempty" doc:"why the run stopped"`
	Failed       int64      `json:"failed"`
	Calls        int64      `json:"calls"`
	InputTokens  int64      `json:"input_tokens"`
	OutputTokens int64      `json:"output_tokens"`
	Since        *time.Time `json:"since" doc:"the beginning of its latest run; null if it was imported"`
	LeftOut      []string   `json:"left_out,omitempty" doc:"segments with which it found its threshold"`
}

// ReadJudges reads the judges of a campaign with their runs.
func ReadJudges(ctx context.Context, st *store.Store, c campaign.Campaign) (Judges, error) {
	out := Judges{Judges: []Judge{}}
	all, err := st.Records.Judges(ctx, c.ID)
	if err != nil {
		return out, err
	}
	runs, err := st.JudgeRuns.JudgeRuns(ctx, c.ID)
	if err != nil {
		return out, err
	}
	for _, j := range all {
		line := Judge{
			Name:       j.Name,
			Method:     j.Method,
			Model:      j.Model,
			About:      j.About,
			Judged:     j.OK + j.Unparsable,
			Unparsable: j.Unparsable,
			Left:       j.Left,
			State:      "imported",
		}
		for _, r := range runs {
			if r.JudgeID == j.ID {
				line.addRun(r)
			}
		}
		if line.LeftOut, err = st.Records.CalibrationSegments(ctx, j.ID); err != nil {
			return out, err
		}
		out.Judges = append(out.Judges, line)
	}
	return out, nil
}

func (j *Judge) addRun(r judgeruns.JudgeRun) {
	j.Variant, j.State, j.Reason, j.Since = r.Settings.Variant, string(r.State), r.Reason, moment(r.Since)
	j.Failed, j.Calls, j.InputTokens, j.OutputTokens = r.Failed, r.Calls, r.InputTokens, r.OutputTokens
	if r.Interrupted {
		j.State = "interrupted"
	}
}

// Tokens is the sum of all tokens.
func (j Judge) Tokens() int64 { return j.InputTokens + j.OutputTokens }

// A JudgeForecast says what a run of a judge would take.
type JudgeForecast struct {
	Judge        string `json:"judge"`
	Asks         string `json:"asks" doc:"the method and the source of its prompts"`
	Translations int    `json:"translations"`
	Segments     int    `json:"segments"`
	Calls        int    `json:"calls"`
	LeastCalls   int    `json:"least_calls"`
	MostCalls    int    `json:"most_calls"`
	Kept         int    `json:"kept" doc:"calls whose replies are stored"`
	InputTokens  int64  `json:"input_tokens"`
	OutputTokens int64  `json:"output_tokens"`
	Measured     bool   `json:"measured" doc:"the tokens are estimated from the judge's calls so far"`
	Skipped      int    `json:"skipped" doc:"translations that the method can't judge"`
	Lacks        string `json:"lacks,omitempty" doc:"what their segments lack"`
}

// JudgeForecastOf returns a forecast as it is written. asks says what the method asks for.
func JudgeForecastOf(f readmodel.JudgeForecast, asks string) JudgeForecast {
	return JudgeForecast{
		Judge: f.Judge, Asks: asks, Translations: f.Translations, Segments: f.Segments, Calls: f.Usual, LeastCalls: f.Least,
		MostCalls: f.Most, Kept: f.Kept,
		InputTokens: f.InputTokens, OutputTokens: f.OutputTokens, Measured: f.Measured, Skipped: f.Skipped, Lacks: f.Lacks,
	}
}
