package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/provider"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// A run of a judge whose server has faults is killed three times. At the end every
// translation has exactly one judgement, no stored reply was asked for again, and the tokens
// add up.
func TestKilledJudge(t *testing.T) { killedJudge(t, 40) }

// The same with 10,000 translations.
func TestSoakKilledJudge(t *testing.T) {
	testenv.SoakTime(t)
	killedJudge(t, 3334)
}

func killedJudge(t *testing.T, segments int) {
	const key, atOnce = "sk-never-to-be-seen-0123", 4
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Segments(segments), storetest.Systems(3))
	translations := 3 * segments
	var mu sync.Mutex
	var process *os.Process // to kill at the next mark
	replies := 0
	server := testenv.Scripted(func(c provider.Chat) provider.Answer {
		h := fnv.New64a()
		for _, m := range c.Messages {
			fmt.Fprint(h, m.Text)
		}
		if c.Key != key {
			return provider.Answer{Status: 401, Text: "wrong key " + c.Key}
		}
		if x := h.Sum64() % 100; x < 5 && c.Time == 1 {
			return []provider.Answer{{Status: 500, Text: key}, {Status: 503}, {Text: "cut off here", Cut: true}, {Nonsense: "<html>"}, {Status: 429, RetryAfter: "0.01"}}[x]
		}
		mu.Lock()
		defer mu.Unlock()
		if replies++; process != nil && replies%(translations/2) == 0 {
			_ = process.Kill()
			process = nil
		}
		if strings.Contains(c.Last(), "Critical:") || len(c.Messages) > 1 {
			return provider.Answer{Text: "Major:\nno-error\nMinor:\nfluency/grammar - \"Translation\""}
		}
		return provider.Answer{Text: "75"}
	})
	web := httptest.NewServer(server)
	defer web.Close()
	var output bytes.Buffer
	run := func(kill bool) error {
		cmd := exec.Command("annotate", "judge", "run", s.Campaign.Slug, "--method", "gemba-esa", "--model", "m", "--as", "j", "--base-url", web.URL+"/v1", "--concurrency", fmt.Sprint(atOnce))
		cmd.Dir = filepath.Dir(db.Config.DSN)
		cmd.Env = append(os.Environ(), "ANNOTATE_JUDGE_API_KEY="+key, "ANNOTATE_LOG_LEVEL=debug", "ANNOTATE_DATABASE_DSN="+db.Config.DSN)
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		if process = nil; kill {
			process = cmd.Process
		}
		mu.Unlock()
		return cmd.Wait()
	}
	const kills = 3
	for range kills {
		if err := run(true); err == nil {
			t.Fatal("the run ended before it was killed")
		}
		// As after the time in which a program shows no sign of life.
		storetest.Exec(t, db, "UPDATE judge_runs SET state = 'stopped'")
	}
	if err := run(false); err != nil {
		t.Fatalf("%v\n%s", err, &output)
	}
	if n := storetest.Count(t, db, "all_judgements"); n != translations {
		t.Errorf("%d judgements of %d translations", n, translations)
	}
	if n := server.Repeats(); n > kills*atOnce {
		t.Errorf("%d replies were asked for again, and at most %d were in flight", n, kills*atOnce)
	}
	if n := storetest.Count(t, db, "judge_replies"); n != 2*translations {
		t.Errorf("%d replies are stored, want %d", n, 2*translations)
	}
	runs, err := db.JudgeRuns.JudgeRuns(t.Context(), s.Campaign.ID)
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	t.Logf("%d translations after %d kills: %d calls, %d tokens, %d replies asked for again, %d requests with those that met a fault", translations, kills, runs[0].Calls, runs[0].Tokens(), server.Repeats(), server.Asked())
	input, out := 0, 0
	err = db.Records.EachJudgement(t.Context(), s.Campaign, true, func(j campaign.JudgementLine) error {
		if *j.Score != 75 || len(j.Spans) != 1 || len(j.Trace) != 2 {
			t.Errorf("%+v", j)
		}
		for _, call := range j.Trace {
			input, out = input+call.InputTokens, out+call.OutputTokens
			if strings.Contains(call.Prompt+call.Reply, key) {
				t.Error("a trace has the key")
			}
		}
		return nil
	})
	if err != nil || int64(input) != runs[0].InputTokens || int64(out) != runs[0].OutputTokens || runs[0].Calls != int64(2*translations) {
		t.Errorf("the traces have %d and %d tokens, the run %+v, %v", input, out, runs[0], err)
	}
	// The key is in no output and no file.
	if strings.Contains(output.String(), key) {
		t.Errorf("the output has the key:\n%s", &output)
	}
	for _, args := range [][]string{{"judge", "export", s.Campaign.Slug, "--out", "j.jsonl"}, {"report", s.Campaign.Slug, "--out", "report"}, {"judge", "list", s.Campaign.Slug}} {
		cmd := exec.Command("annotate", args...)
		cmd.Dir = filepath.Dir(db.Config.DSN)
		cmd.Env = append(os.Environ(), "ANNOTATE_DATABASE_DSN="+db.Config.DSN, "ANNOTATE_JUDGE_API_KEY="+key)
		if got, err := cmd.CombinedOutput(); err != nil || bytes.Contains(got, []byte(key)) {
			t.Errorf("%v: %v\n%s", args, err, got)
		}
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(db.Config.DSN), "report", "data", "segments.jsonl"))
	if lines := bytes.Count(data, []byte("\n")); err != nil || lines != segments {
		t.Errorf("the folder of the report has %d segments, want %d: %v", lines, segments, err)
	}
	err = filepath.WalkDir(filepath.Dir(db.Config.DSN), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if text, err := os.ReadFile(path); err != nil || bytes.Contains(text, []byte(key)) {
			t.Errorf("%s has the key, or %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
