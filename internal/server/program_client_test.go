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
	token := s.token(s.Lead, accounts.NewToken{Writes: true, Everywhere: true})
	client := storetest.Must(programtest.NewClientWithResponses(s.url+site.APIPath, programtest.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	})))(t)
	ctx, protocol := t.Context(), "esa"
	made := storetest.Must(client.CreateCampaignWithResponse(ctx, programtest.NewCampaignCallBody{Slug: "fresh", Protocol: &protocol}))(t)
	if made.JSON201 == nil || made.JSON201.Settings["redundancy"] != "2" {
		t.Fatalf("create: %s", made.Body)
	}
	again := storetest.Must(client.CreateCampaignWithResponse(ctx, programtest.NewCampaignCallBody{Slug: "fresh"}))(t)
	if p := again.ApplicationproblemJSONDefault; p == nil || *p.Status != http.StatusConflict {
		t.Errorf("create twice: %s", again.Body)
	}
	end := func(j *programtest.Job) []byte {
		t.Helper()
		wait := int64(60)
		for j.State == "running" {
			j = storetest.Must(client.GetJobWithResponse(ctx, j.Campaign, j.Id, &programtest.GetJobParams{Wait: &wait}))(t).JSON200
		}
		return storetest.Must(client.GetJobResultWithResponse(ctx, j.Campaign, j.Id))(t).Body
	}
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
