// Command testreport reads the events of go test -json from standard input and prints
// what a person wants to know: what failed with its output, what was skipped with the
// reason, how long each package took, and which tests took longest.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

const (
	longest = 10 // how many tests are named as those that took longest
	named   = 3  // how many tests are named for each reason to skip some
)

func main() {
	if err := report(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

// An event is a line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// A test is one that ended, or a package where name is empty.
type test struct {
	pkg, name string
	seconds   float64
}

func report(in io.Reader, out io.Writer) error {
	output := map[test][]string{}    // of tests that have not ended
	count := map[string]int{}        // tests by how they ended
	cached := 0                      // packages whose result is that of an earlier run
	skipped := map[string][]string{} // tests by reason
	var failed []string
	var took []test
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(out, lines.Text()) // go itself has something to say
			continue
		}
		of := test{pkg: e.Package, name: e.Test}
		switch e.Action {
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "output":
			if e.Test == "" && strings.HasSuffix(e.Output, "\t(cached)\n") {
				cached++
			}
			if !progress.MatchString(e.Output) {
				output[of] = append(output[of], e.Output)
			}
		case "pass", "fail", "skip":
			if e.Action == "fail" {
				fmt.Fprint(out, strings.Join(output[of], ""))
				failed = append(failed, strings.TrimSpace(e.Package+" "+e.Test))
			}
			if e.Test == "" {
				fmt.Fprintf(out, "%s %s %.1f s\n", e.Action, e.Package, e.Elapsed)
			} else {
				count[e.Action]++
				if e.Action == "skip" {
					why := reason(output[of])
					skipped[why] = append(skipped[why], e.Package+" "+e.Test)
				}
				if !strings.Contains(e.Test, "/") {
					took = append(took, test{e.Package, e.Test, e.Elapsed})
				}
			}
			delete(output, of)
		}
	}
	slices.SortStableFunc(took, func(a, b test) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range took[:min(longest, len(took))] {
		if t.seconds < 0.1 {
			break
		}
		fmt.Fprintf(out, "%7.1f s %s %s\n", t.seconds, t.pkg, t.name)
	}
	for _, name := range failed {
		fmt.Fprintf(out, "failed: %s\n", name)
	}
	for _, why := range slices.Sorted(maps.Keys(skipped)) {
		tests := skipped[why]
		fmt.Fprintf(out, "skipped: %s: %s", why, strings.Join(tests[:min(named, len(tests))], ", "))
		if more := len(tests) - named; more > 0 {
			fmt.Fprintf(out, " and %d more", more)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%d tests passed, %d failed, %d skipped\n", count["pass"], count["fail"], count["skip"])
	if cached > 0 {
		fmt.Fprintf(out, "packages that have not changed, with the results of an earlier run: %d\n", cached)
	}
	return lines.Err()
}

// progress is output that only says that a test begins, waits or goes on, or that it
// passed.
var progress = regexp.MustCompile(`^(=== |\s*--- (PASS|SKIP): |PASS\n|ok )`)

// reason is what a skipped test says, without the place in its source.
func reason(output []string) string {
	text := strings.TrimSpace(strings.Join(output, ""))
	return place.ReplaceAllString(text, "")
}

var place = regexp.MustCompile(`^\w+\.go:\d+: `)
