package judgeruns_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"annotate/internal/judgeruns"
	"annotate/internal/provider"
	"annotate/internal/store/storetest"
)

// An engine is a scripted search engine. It fails for one query and finds nothing for any other.
type engine struct {
	mu      sync.Mutex
	queries []string
}

func (e *engine) Search(_ context.Context, query string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queries = append(e.queries, query)
	if query == "huang le slang" {
		return "", errors.New("the engine is down")
	}
	return "It means that a plan came to nothing.", nil
}

// The agents of rate use the search engine of the run. The agents read that a search failed, and the
// run goes on. The results of a search are stored like a reply.
func TestSearch(t *testing.T) {
	tool := func(name string, args ...string) string {
		for i := 0; i < len(args); i += 2 {
			name += "\n<arg_key>" + args[i] + "</arg_key><arg_value>" + args[i+1] + "</arg_value>"
		}
		return "<tool_call>" + name + "</tool_call>"
	}
	s := newSite(t, storetest.Open(t), func(c provider.Chat) provider.Answer {
		finish := provider.Answer{Text: tool("finish_evaluation", "final_score", "3")}
		switch last := c.Last(); {
		case strings.Contains(last, "Turn the request into queries"):
			return provider.Answer{Text: tool("search", "search_query", `[{"q": "huang le meaning"}, {"q": "huang le slang"}]`)}
		case strings.Contains(last, "These are the results of the search"):
			if !strings.Contains(last, "huang le meaning: It means that a plan came to nothing.") || !strings.Contains(last, "huang le slang: no result") {
				t.Errorf("the search agent was given %q", last)
			}
			return provider.Answer{Text: `{"answer": "it failed"}`}
		case strings.Contains(last, "it failed"), !strings.Contains(c.Messages[0].Text, "search_agent"):
			return finish
		}
		return provider.Answer{Text: tool("search_agent", "query", "huang le")}
	}, storetest.Segments(1), storetest.Systems(1))
	var found engine
	o := options(t, "rate")
	o.Searcher = &found
	if p := s.run(t, o); p.State != judgeruns.JudgeDone || p.Judged != 1 || *s.lines(t)[0].Score != 3 {
		t.Fatalf("it ended %+v", p)
	}
	var searches []string
	for _, call := range s.lines(t)[0].Trace {
		if call.Role == "search engine" {
			searches = append(searches, call.Prompt+" -> "+call.Reply)
		}
	}
	slices.Sort(searches)
	if want := []string{"huang le meaning -> It means that a plan came to nothing.", "huang le slang -> (no reply: the engine is down)"}; !slices.Equal(searches, want) {
		t.Errorf("the trace has the searches %q, want %q", searches, want)
	}
	asked := s.Asked()
	o.Name = "again"
	if p := s.run(t, o); p.State != judgeruns.JudgeDone || s.Asked() != asked || len(found.queries) != 3 { // only the failed search is repeated
		t.Errorf("another judge ended %+v after %d calls and the queries %q", p, s.Asked()-asked, found.queries)
	}
	o.Name, o.Searcher = "without", nil
	if p := s.run(t, o); p.State != judgeruns.JudgeDone || p.Judged != 1 || s.Asked() != asked+1 || len(found.queries) != 3 {
		t.Errorf("without an engine it ended %+v after %d calls", p, s.Asked()-asked)
	}
	o.Name = "j"
	if _, err := s.Store.JudgeRuns.Run(t.Context(), s.Campaign, s.provider, o); err == nil || !strings.Contains(err.Error(), "search engine") {
		t.Errorf("a judge goes on without its search engine: %v", err)
	}
}
