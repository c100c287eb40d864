package setup

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/judge"
	"annotate/internal/judgeruns"
	"annotate/internal/server/site"
	"annotate/web/templates/setup"
)

// newJudgeForm returns the form with the default values.
func newJudgeForm(cfg site.JudgeConfig) setup.JudgeForm {
	return setup.JudgeForm{
		Model:       cfg.Model,
		Concurrency: strconv.Itoa(judgeruns.DefaultConcurrency),
		Retries:     strconv.Itoa(judgeruns.DefaultRetries),
		Seed:        strconv.Itoa(judgeruns.DefaultSeed),
	}
}

// readJudgeForm reads the form from the sent values.
func readJudgeForm(sent url.Values) setup.JudgeForm {
	get := func(name string) string { return strings.TrimSpace(sent.Get(name)) }
	return setup.JudgeForm{
		Method: get("method"), Variant: get("variant"), Model: get("model"), As: get("as"),
		Concurrency: get("concurrency"), Retries: get("retries"),
		MaxTokens: get("max_tokens"), Threshold: get("threshold"), Seed: get("seed"), Fresh: get("fresh") != "",
	}
}

// resumeForm returns the form that runs a judge again with the same settings.
func resumeForm(r judgeruns.JudgeRun) setup.JudgeForm {
	f := setup.JudgeForm{
		Method: r.Method, Variant: r.Settings.Variant, Model: r.Model, As: r.Name, Concurrency: strconv.Itoa(r.Settings.Concurrency),
		Retries: strconv.Itoa(r.Settings.Retries),
		Seed:    strconv.FormatUint(r.Settings.Seed, 10),
	}
	if r.Settings.Concurrency == 0 {
		f.Concurrency = strconv.Itoa(judgeruns.DefaultConcurrency)
	}
	if r.Settings.MaxTokens > 0 {
		f.MaxTokens = strconv.FormatInt(r.Settings.MaxTokens, 10)
	}
	return f
}

// notResumable says why the page can't run a judge again. It is empty if the page can.
func notResumable(r judgeruns.JudgeRun) string {
	m, err := judge.Lookup(r.Method)
	switch {
	case err != nil || m.Version != r.MethodVersion:
		return "Its method has changed since the run, so it can't be resumed. Run the method under another name."
	case m.PromptHash() != r.PromptHash:
		return "Its prompts came from a file or have changed since the run. Resume it on the command line with --prompts."
	}
	return ""
}

// judgeOptions returns the options of a form, and the errors of its fields by their names. server is the
// address of the model's server.
func judgeOptions(f setup.JudgeForm, server string) (o judgeruns.Options, wrong map[string]string) {
	o, wrong = judgeruns.Options{Name: f.As, Variant: f.Variant, Server: server, Model: f.Model, Fresh: f.Fresh}, map[string]string{}
	var err error
	if f.Method == "" {
		wrong["method"] = "name the method"
	} else if o.Method, err = judge.Lookup(f.Method); err != nil {
		wrong["method"] = err.Error()
	}
	whole := func(name, value, example string, read func() error) {
		if value == "" && name == "max_tokens" {
			return
		}
		if read() != nil {
			wrong[name] = fmt.Sprintf("%q is not a whole number; write it as %s", value, example)
		}
	}
	whole("concurrency", f.Concurrency, "4", func() (err error) { o.Concurrency, err = strconv.Atoi(f.Concurrency); return err })
	whole("retries", f.Retries, "2", func() (err error) { o.Retries, err = strconv.Atoi(f.Retries); return err })
	whole("max_tokens", f.MaxTokens, "2000000", func() (err error) { o.MaxTokens, err = strconv.ParseInt(f.MaxTokens, 10, 64); return err })
	whole("seed", f.Seed, "4", func() (err error) { o.Seed, err = strconv.ParseUint(f.Seed, 10, 64); return err })
	if f.Threshold != "" {
		threshold, err := strconv.ParseFloat(f.Threshold, 64)
		if err != nil || threshold-threshold != 0 { // infinite or NaN
			wrong["threshold"] = fmt.Sprintf("%q is not a number; write it as -0.5", f.Threshold)
		}
		o.Threshold = &threshold
	}
	return o, wrong
}

// judgeFault turns an error about the options of a judge into the error of a field of the form. It
// returns any other error.
func judgeFault(err error) (map[string]string, error) {
	invalid, ok := errors.AsType[*campaign.InvalidError](err)
	if !ok {
		return nil, err
	}
	field := strings.ReplaceAll(invalid.Field, "-", "_")
	if field == "languages" { // the form has no field for them
		field = ""
	}
	return map[string]string{field: invalid.Msg}, nil
}
