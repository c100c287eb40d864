// Command faults puts small faults into the code, one at a time, and tells which of them the
// tests notice. The work tree is not changed: go test builds with an overlay, and the
// JavaScript tests run in a copy.
//
//	go run ./scripts/faults [-run PATTERN] [-list] [FILE…]
//
// The faults stand in list/*.txt beside this file; see [read] for the form. A fault is
//
//	noticed      a test that it names fails
//	NOT noticed  all of them pass
//	outdated     its old text is not in the tree, or not only once
//	broken       the code with the fault does not compile, a test that it names does not exist, or
//	             its tests fail without the fault, too
//	not tried    the environment lacks a variable that it needs
//
// The exit status is 1 unless every chosen fault is noticed. Faults that need PostgreSQL or a browser say
// so; this command tries all of them:
//
//	ANNOTATE_TEST_CHROMIUM=$(command -v chromium) scripts/with-postgres go run ./scripts/faults
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	pattern := flag.String("run", "", "try only the faults whose id matches this regular `expression`")
	list := flag.Bool("list", false, "print the faults and where they apply, and run nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missed, err := run(ctx, *pattern, *list, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(2)
	}
	if missed {
		os.Exit(1)
	}
}

// run tries the faults of the files, or of all lists, and reports whether one of them is
// anything but noticed.
func run(ctx context.Context, pattern string, list bool, files []string) (missed bool, err error) {
	chosen, err := regexp.Compile(pattern)
	if err != nil {
		return false, err
	}
	if len(files) == 0 {
		files, err = filepath.Glob("scripts/faults/list/*.txt")
		if err != nil || len(files) == 0 {
			return false, fmt.Errorf("no scripts/faults/list/*.txt here; run this at the top of the repository")
		}
	}
	faults, err := read(files)
	if err != nil {
		return false, err
	}
	tree, err := openTree(ctx)
	if err != nil {
		return false, err
	}
	defer tree.close()
	for _, f := range faults {
		if chosen.MatchString(f.id) {
			tree.expect(f)
		}
	}
	count := map[verdict]int{}
	began := time.Now()
	for _, f := range faults {
		if !chosen.MatchString(f.id) {
			continue
		}
		start := time.Now()
		var v verdict
		var why string
		if list {
			v, why = tree.find(f)
			fmt.Printf("%-40s %s\n%-40s %s\n", f.id, f.what, "", why)
		} else {
			v, why = tree.try(ctx, f)
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			fmt.Printf("%-12s %-40s %5.1f s  %s\n", v, f.id, time.Since(start).Seconds(), why)
			if v == unnoticed {
				fmt.Printf("%-12s %s\n", "", f.what)
			}
		}
		count[v]++
	}
	fmt.Print("\n")
	for _, v := range []verdict{applies, noticed, unnoticed, outdated, broken, untried} {
		if count[v] > 0 {
			fmt.Printf("%4d %s\n", count[v], v)
		}
		if v != applies && v != noticed && count[v] > 0 {
			missed = true
		}
	}
	fmt.Printf("     in %s\n", time.Since(began).Round(time.Second))
	return missed, nil
}
