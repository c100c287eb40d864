package main

import (
	"context"
	"net/http/httptest"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/judge"
	"annotate/internal/judging"
	"annotate/internal/protocol"
	"annotate/internal/provider"
	"annotate/internal/sample"
	"annotate/internal/server"
	"annotate/internal/store"
)

// judgePages returns the pages of judges in their states.
var judgePages = []picture{
	{name: "judges", login: sample.Lead, path: "/campaigns/" + markedMQM + "/judges"},
	{name: "judges-researcher", login: sample.Researcher, path: "/campaigns/" + markedMQM + "/judges"},
	{name: "judges-empty", login: sample.Lead, path: "/campaigns/" + markedRATE + "/judges"},
	{name: "judges-archived", login: sample.Lead, path: archived + "/judges"},
	{name: "judges-forecast", login: sample.Researcher, path: "/campaigns/" + markedRATE + "/judges?method=himate&model=gpt-4o&as=&max_tokens=2000&concurrency=4&retries=2&threshold=&seed=4"},
	{name: "judges-resume", login: sample.Lead, path: "/campaigns/" + markedMQM + "/judges?method=gemba-da&model=qwen2.5-7b-instruct&as=limited&max_tokens=300&concurrency=4&retries=2&threshold=&seed=4"},
	{name: "judges-refused", login: sample.Lead, path: "/campaigns/" + markedMQM + "/judges?method=gemba-da&model=&as=outside&max_tokens=none&concurrency=0&retries=2&threshold=&seed=4"},
	{name: "judges-unread", login: sample.Lead, path: "/campaigns/" + markedMQM + "/judges/unread?judge=gemba-mqm-gpt-4o"},
	{name: "judges-segment", login: sample.Lead, path: "/campaigns/" + markedMQM + "/segments/chat/chat"},
	{name: "judges-trace", login: sample.Lead, path: "/campaigns/" + markedMQM + "/segments/chat/chat", before: follow("a[href*=trace]")},
}

// modelServer starts a model's server for the pictures. It returns the configuration that names the
// server, and a function that stops it.
func modelServer() (server.JudgeConfig, func()) {
	web := httptest.NewServer(provider.Scripted(func(c provider.Chat) provider.Answer {
		switch {
		case c.Model == "no-such-model":
			return provider.Answer{Status: provider.NotFound, Text: "The model `no-such-model` does not exist or you do not have access to it."}
		case strings.Contains(c.Last(), "Critical:"):
			_, rest, _ := strings.Cut(c.Last(), "translation:\n```")
			text, _, _ := strings.Cut(rest, "```")
			words := strings.Fields(text + " x")
			return provider.Answer{Text: "Critical:\nno-error\nMajor:\naccuracy/mistranslation - \"" + words[0] + "\"\nMinor:\nfluency/grammar - \"" + words[len(words)/2] + "\"\nstyle/awkward - \"words that stand nowhere\""}
		}
		return provider.Answer{Text: "85"}
	}))
	return server.JudgeConfig{
		BaseURL: "https://llm.example.org/v1", HasKey: true, Model: "gpt-4o",
		Provider: func(concurrency int, _ func(*provider.Error)) (provider.Provider, error) {
			return provider.NewOpenAI(provider.Options{BaseURL: web.URL + "/v1", Concurrency: concurrency})
		},
	}, web.Close
}

// judges fills a campaign with judges in every state.
func judges(ctx context.Context, st *store.Store, cfg server.JudgeConfig) {
	c, lead := must(st.Records.Campaign(ctx, markedMQM)), must(st.Accounts.UserByLogin(ctx, sample.Lead))
	asks := must(cfg.Provider(1, nil))
	run := func(method, model, name string, maxTokens int64) {
		o := judging.Options{Name: name, Method: must(judge.Lookup(method)), Model: model, Concurrency: 1, Retries: 2, Seed: 4, MaxTokens: maxTokens, ByID: lead.ID}
		must(st.Judging.Run(ctx, c, asks, o))
	}
	run("gemba-mqm", "gpt-4o", "", 0)
	run("gemba-da", "qwen2.5-7b-instruct", "limited", 300)
	run("eaprompt", "no-such-model", "", 0)
	m := must(judge.Lookup("m-mad"))
	must(st.Judging.BeginJudge(ctx, c, judging.JudgeSpec{Name: "running-now", Method: m.Name, Model: "llama-3.3-70b-instruct-with-a-very-long-name-q4_k_m.gguf", MethodVersion: m.Version, PromptHash: m.PromptHash()}, lead.ID))
	lines := func(yield func(campaign.NumberedJudgement, error) bool) {
		yield(campaign.NumberedJudgement{Line: 1, Judgement: campaign.JudgementLine{
			DocID: "chat", SegmentID: "chat", System: must(st.Records.Systems(ctx, c.ID))[0],
			Judgement: campaign.Judgement{Judge: "outside", Status: campaign.JudgementOK, Spans: []protocol.ErrorSpan{}},
		}}, nil)
	}
	must(st.Intake.ImportJudgements(ctx, c.ID, lines, intake.ImportOptions{File: "outside.jsonl", ByID: lead.ID}))
}
