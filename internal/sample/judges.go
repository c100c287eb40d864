package sample

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/judge"
	"annotate/internal/judgeruns"
	"annotate/internal/provider"
	"annotate/internal/store"
)

// The models of the judges. They do not exist; data/mqm-zh-en.judges.jsonl has their replies. The large model
// finds most errors. The small model overlooks many errors and finds errors in good translations.
const (
	LargeModel = "demo-large"
	SmallModel = "demo-small"
)

// judges are the judges of the campaign [MQM], with their methods.
var judges = []struct{ method, model string }{
	{"gemba-mqm", LargeModel},
	{"gemba-esa", SmallModel},
}

// judgesAtOnce is the number of calls that a judge makes at a time. Replies arrive at once, so the writes take
// most of the time of a run. Writes at the same time share one sync of the disk.
const judgesAtOnce = 32

// runJudges runs every judge to its end.
func runJudges(ctx context.Context, st *store.Store, c campaign.Campaign, replies []judged, byID string) error {
	for _, j := range judges {
		method, err := judge.Lookup(j.method)
		if err != nil {
			return err
		}
		got, err := st.JudgeRuns.Run(ctx, c, scriptOf(replies).Provider(), judgeruns.Options{
			Method: method, Model: j.model, Concurrency: judgesAtOnce, Retries: judgeruns.DefaultRetries, Seed: judgeruns.DefaultSeed, ByID: byID,
		})
		if err != nil {
			return err
		}
		if got.State != judgeruns.JudgeDone {
			return fmt.Errorf("the judge %s %s: %s", j.model, got.State, got.Reason)
		}
	}
	return nil
}

// A judged translation has the replies of the models to its calls, in the order of the calls.
type judged struct {
	SegmentID string   `json:"segment_id"`
	System    string   `json:"system"`
	Large     []string `json:"demo-large"`
	Small     []string `json:"demo-small"`

	source, translation string
}

// of returns the replies of a model.
func (j judged) of(model string) []string {
	if model == LargeModel {
		return j.Large
	}
	return j.Small
}

// readJudged reads the replies of the models and the texts that they judge.
func readJudged(ctx context.Context, st *store.Store, c campaign.Campaign, file string) ([]judged, error) {
	r, err := read(file)
	if err != nil {
		return nil, err
	}
	var out []judged
	for in := json.NewDecoder(r); ; {
		var j judged
		if err := in.Decode(&j); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, j)
	}
	for seg, err := range st.Records.AllSegments(ctx, c) {
		if err != nil {
			return nil, err
		}
		for _, tr := range seg.Translations {
			i := slices.IndexFunc(out, func(j judged) bool { return j.SegmentID == seg.SegmentID && j.System == tr.System })
			if i < 0 {
				return nil, fmt.Errorf("%s has no replies about segment %s of %s", file, seg.SegmentID, tr.System)
			}
			out[i].source, out[i].translation = seg.Source, tr.Text
		}
	}
	return out, nil
}

// scriptOf returns a script that answers a chat with the reply about the texts of its last message. Later calls
// for the same texts contain the reply to the earlier call.
func scriptOf(replies []judged) provider.Script {
	return func(c provider.Chat) provider.Answer {
		asked := c.Last()
		for _, j := range replies {
			if !strings.Contains(asked, "```"+j.source+"```") || !strings.Contains(asked, "```"+j.translation+"```") {
				continue
			}
			given := j.of(c.Model)
			if len(given) > 1 && strings.Contains(asked, given[0]) {
				given = given[1:]
			}
			return provider.Answer{Text: given[0]}
		}
		return provider.Answer{Status: provider.BadRequest, Text: "the sample has no reply to this chat"}
	}
}
