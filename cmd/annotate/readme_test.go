package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/config"
	"annotate/internal/protocol"
)

// TestREADME keeps the tables of the README equal to what the program knows.
// Run with UPDATE=1 to write them.
func TestREADME(t *testing.T) {
	const file = "../../README.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old := string(b)
	text := old
	for _, table := range []struct{ mark, rows string }{{"options", optionRows()}, {"settings", settingRows()}} {
		from := strings.Index(text, "<!-- "+table.mark)
		to := strings.Index(text, "<!-- /"+table.mark+" -->")
		if from < 0 || to < from {
			t.Errorf("README.md has no place for the %s", table.mark)
			continue
		}
		rule := strings.Index(text[from:to], "|---|")
		if rule < 0 {
			t.Errorf("README.md: the table of %s has no head", table.mark)
			continue
		}
		head, _, _ := strings.Cut(text[from+rule:to], "\n")
		start := from + rule + len(head) + 1
		text = text[:start] + table.rows + text[to:]
	}
	if text == old {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatal("README.md is not current; run UPDATE=1 go test ./cmd/annotate -run README")
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func optionRows() string {
	var b strings.Builder
	for _, o := range config.Options {
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
