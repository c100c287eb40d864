package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/protocol"
)

// TestGuideTables keeps the tables of the guides equal to what the program knows.
// Run with UPDATE=1 to write them.
func TestGuideTables(t *testing.T) {
	for _, table := range []struct{ guide, mark, rows string }{{"operating.md", "options", optionRows()}, {"lead.md", "settings", settingRows()}} {
		file := filepath.Join("..", "..", "docs", table.guide)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		from := strings.Index(text, "<!-- "+table.mark)
		to := strings.Index(text, "<!-- /"+table.mark+" -->")
		if from < 0 || to < from {
			t.Errorf("docs/%s has no place for the %s", table.guide, table.mark)
			continue
		}
		rule := strings.Index(text[from:to], "|---|")
		if rule < 0 {
			t.Errorf("docs/%s: the table of %s has no head", table.guide, table.mark)
			continue
		}
		head, _, _ := strings.Cut(text[from+rule:to], "\n")
		start := from + rule + len(head) + 1
		switch current := text[:start] + table.rows + text[to:]; {
		case current == text:
		case os.Getenv("UPDATE") == "":
			t.Errorf("docs/%s is not current; run UPDATE=1 go test ./cmd/annotate -run GuideTables", table.guide)
		default:
			if err := os.WriteFile(file, []byte(current), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSecurityNamesTests: each test that docs/security.md names exists.
func TestSecurityNamesTests(t *testing.T) {
	guide, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			defined[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(guide), -1)
	if len(named) < 50 {
		t.Errorf("the guide names %d tests", len(named))
	}
	for _, m := range named {
		if !defined[m[1]] {
			t.Errorf("docs/security.md names %s, which is no test", m[1])
		}
	}
}

// TestGuideLinks follows the links between the README and the guides: each file is there, and has the heading that a
// link names.
func TestGuideLinks(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^):]*)\)`)
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			path, heading, _ := strings.Cut(m[1], "#")
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			content, err := os.ReadFile(target)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if heading != "" && !slices.Contains(headings(string(content)), heading) {
				t.Errorf("%s links to %s, which has no such heading", file, m[1])
			}
		}
	}
}

// headings lists the headings of a Markdown text as links name them.
func headings(text string) (out []string) {
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			out = append(out, strings.ReplaceAll(strings.ToLower(dropped.ReplaceAllString(strings.TrimSpace(title), "")), " ", "-"))
		}
	}
	return out
}

func optionRows() string {
	var b strings.Builder
	for _, o := range command.Options {
		fmt.Fprintf(&b, "| `[%s]` `%s` | `%s` | %s | %s |\n", o.Section, o.Name, o.Env(), code(o.Default), o.Help)
	}
	return b.String()
}

func settingRows() string {
	p, _ := protocol.Lookup("sqm")
	defaults := campaign.DefaultSettings(p)
	var b strings.Builder
	for _, k := range campaign.SettingList {
		help := k.Help
		if len(k.OneOf) > 0 {
			help += " (" + strings.Join(k.OneOf, ", ") + ")"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Key, code(k.Get(defaults)), help)
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
