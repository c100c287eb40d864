package main

import (
	"annotate/internal/testenv"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"annotate/internal/command"
	"annotate/internal/provider"
)

// The server gets a provider that sends the configured key. It gets neither the key nor the query of
// the address.
func TestJudgeConfig(t *testing.T) {
	var seen string
	web := httptest.NewServer(testenv.Scripted(func(c provider.Chat) provider.Answer {
		seen = c.Key
		return provider.Answer{Text: "85"}
	}))
	defer web.Close()
	got := judgeConfig(command.Judge{BaseURL: web.URL + "/v1", APIKey: "sk-hidden", Model: "m"})
	if got.BaseURL != web.URL+"/v1" || !got.HasKey || got.Model != "m" || strings.Contains(fmt.Sprintf("%#v", got), "sk-hidden") {
		t.Errorf("the server gets %#v", got)
	}
	p, err := got.Provider(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := p.Complete(t.Context(), provider.Request{Model: "m", Messages: []provider.Message{{Role: "user", Text: "x"}}})
	if err != nil || reply.Text != "85" || seen != "sk-hidden" {
		t.Errorf("it answers %q to the key %q, %v", reply.Text, seen, err)
	}
	if got := judgeConfig(command.Judge{BaseURL: "https://llm.example.org/v1?key=sk-hidden"}); got.BaseURL != "https://llm.example.org/v1" || got.HasKey {
		t.Errorf("with a query it is %#v", got)
	}
	if got := judgeConfig(command.Judge{}); got.BaseURL != "" {
		t.Errorf("without a server it is %#v", got)
	}
}
