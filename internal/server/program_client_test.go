package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/server/programtest"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// TestGeneratedClient: a client that was made from the description creates a campaign, imports a file, reads its counts and
// exports it. A null in an answer, such as a statistic that is undefined, is no error.
func TestGeneratedClient(t *testing.T) {
	s := newSite(t)
	client := clientOf(t, s, s.token(s.Lead, accounts.NewToken{Writes: true, Everywhere: true}))
	ctx, protocol := t.Context(), "esa"
	made := storetest.Must(client.CreateCampaignWithResponse(ctx, programtest.NewCampaignCallBody{Slug: "fresh", Protocol: &protocol}))(t)
	if made.JSON201 == nil || made.JSON201.Settings["redundancy"] != "2" {
		t.Fatalf("create: %s", made.Body)
	}
	again := storetest.Must(client.CreateCampaignWithResponse(ctx, programtest.NewCampaignCallBody{Slug: "fresh"}))(t)
	if p := again.ApplicationproblemJSONDefault; p == nil || *p.Status != http.StatusConflict {
		t.Errorf("create twice: %s", again.Body)
	}
	end := func(j *programtest.Job) []byte { return resultOf(t, client, j) }
	line := `{"segment_id": "1", "source": "你好", "source_lang": "zh", "target_lang": "en", "translations": {"a": "hello"}}`
	name := "x.jsonl"
	started := storetest.Must(client.ImportWithBodyWithResponse(ctx, "fresh", &programtest.ImportParams{Name: &name}, "application/octet-stream", strings.NewReader(line)))(t)
	if started.JSON202 == nil {
		t.Fatalf("import: %s", started.Body)
	}
	if got := string(end(started.JSON202)); !strings.HasPrefix(got, `{"segments":1,`) {
		t.Errorf("import: %s", got)
	}
	shown := storetest.Must(client.GetCampaignWithResponse(ctx, "fresh"))(t)
	if shown.JSON200 == nil || shown.JSON200.Segments != 1 || shown.JSON200.Statuses["pending"] != 1 {
		t.Errorf("show: %s", shown.Body)
	}
	progress := storetest.Must(client.GetProgressWithResponse(ctx, "fresh"))(t)
	if progress.JSON200 == nil || progress.JSON200.Alpha != nil {
		t.Errorf("progress: %s", progress.Body)
	}
	agreement := storetest.Must(client.ComputeAgreementWithResponse(ctx, "fresh", nil))(t)
	if got := string(end(agreement.JSON202)); !strings.Contains(got, `"alpha":null`) {
		t.Errorf("agreement: %s", got)
	}
	written := storetest.Must(client.ExportWithResponse(ctx, "fresh", "jsonl", nil))(t)
	if !strings.Contains(string(written.Body), "你好") {
		t.Errorf("export: %d %s", written.StatusCode(), written.Body)
	}
}

// TestProgramFollows: a program makes a campaign follow another one, takes over what is ready, and stops; with a token for the follower alone
// it may not name the other campaign.
func TestProgramFollows(t *testing.T) {
	s := newSite(t)
	client, ctx := clientOf(t, s, s.token(s.Lead, accounts.NewToken{Writes: true, Everywhere: true})), t.Context()
	name, protocol := "x.jsonl", "review"
	for _, body := range []programtest.NewCampaignCallBody{{Slug: "prev", Protocol: &protocol}, {Slug: "next"}} {
		if made := storetest.Must(client.CreateCampaignWithResponse(ctx, body))(t); made.JSON201 == nil {
			t.Fatalf("create: %s", made.Body)
		}
	}
	for format, text := range []string{
		`{"segment_id":"1","source":"eins","source_lang":"de","target_lang":"en","reference":"one"}`,
		`{"segment_id":"1","annotator":"ann","answers":{"verdict":"accept"}}`,
	} {
		id := []string{"jsonl", "ratings"}[format]
		started := storetest.Must(client.ImportWithBodyWithResponse(ctx, "prev", &programtest.ImportParams{Name: &name, Format: &id}, "application/octet-stream", strings.NewReader(text)))(t)
		if started.JSON202 == nil {
			t.Fatalf("import: %s", started.Body)
		}
		if got := string(resultOf(t, client, started.JSON202)); !strings.HasPrefix(got, `{"segments":`) {
			t.Errorf("import: %s", got)
		}
	}
	rule := programtest.FollowCallBody{From: "prev", Where: &[]string{"verdict=accept,edit"}, Carry: &[]string{"reference"}}
	if wrong := storetest.Must(client.FollowWithResponse(ctx, "next", programtest.FollowCallBody{From: "prev", Where: &[]string{"verdict=maybe"}}))(t); wrong.StatusCode() != http.StatusUnprocessableEntity {
		t.Errorf("a wrong condition: %d %s", wrong.StatusCode(), wrong.Body)
	}
	if f := storetest.Must(client.FollowWithResponse(ctx, "next", rule))(t).JSON200; f == nil || f.Ready != 1 || *f.From != "prev" || (*f.Where)[0] != "verdict=accept,edit" {
		t.Fatalf("follow: %+v", f)
	}
	taken := storetest.Must(client.TakeOverWithResponse(ctx, "next"))(t)
	if taken.JSON202 == nil {
		t.Fatalf("take over: %s", taken.Body)
	}
	if got := string(resultOf(t, client, taken.JSON202)); !strings.HasPrefix(got, `{"segments":1,`) {
		t.Errorf("take over: %s", got)
	}
	if f := storetest.Must(client.GetFollowingWithResponse(ctx, "next"))(t).JSON200; f == nil || f.Ready != 0 {
		t.Errorf("after it: %+v", f)
	}
	again := storetest.Must(client.TakeOverWithResponse(ctx, "next"))(t)
	if got := string(resultOf(t, client, again.JSON202)); !strings.Contains(got, "no segment of prev is ready") {
		t.Errorf("take over again: %s", got)
	}
	if none := storetest.Must(client.TakeNewTextsWithResponse(ctx, "next", programtest.NewTextsCallBody{Reason: "it was rewritten"}))(t); none.StatusCode() != http.StatusConflict {
		t.Errorf("no new texts: %d %s", none.StatusCode(), none.Body)
	}
	narrow := clientOf(t, s, s.token(s.Lead, accounts.NewToken{Writes: true, Campaigns: []string{"next"}}))
	if refused := storetest.Must(narrow.FollowWithResponse(ctx, "next", rule))(t); refused.StatusCode() != http.StatusUnprocessableEntity {
		t.Errorf("a token for the follower alone: %d %s", refused.StatusCode(), refused.Body)
	}
	if stopped := storetest.Must(client.StopFollowingWithResponse(ctx, "next"))(t); stopped.StatusCode() != http.StatusOK {
		t.Errorf("stop: %d %s", stopped.StatusCode(), stopped.Body)
	}
	if f := storetest.Must(client.GetFollowingWithResponse(ctx, "next"))(t).JSON200; f == nil || f.From != nil {
		t.Errorf("after stopping: %+v", f)
	}
}

// clientOf is a generated client with a token.
func clientOf(t *testing.T, s *sampleSite, token string) *programtest.ClientWithResponses {
	t.Helper()
	return storetest.Must(programtest.NewClientWithResponses(s.url+site.APIPath, programtest.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	})))(t)
}

// resultOf waits for the end of a job and returns its result.
func resultOf(t *testing.T, client *programtest.ClientWithResponses, j *programtest.Job) []byte {
	t.Helper()
	wait := int64(60)
	for j.State == "running" {
		j = storetest.Must(client.GetJobWithResponse(t.Context(), j.Campaign, j.Id, &programtest.GetJobParams{Wait: &wait}))(t).JSON200
	}
	return storetest.Must(client.GetJobResultWithResponse(t.Context(), j.Campaign, j.Id))(t).Body
}
