package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	events := []string{
		`{"Action":"start","Package":"a"}`,
		`{"Action":"run","Package":"a","Test":"TestGood"}`,
		`{"Action":"output","Package":"a","Test":"TestGood","Output":"=== RUN   TestGood\n"}`,
		`{"Action":"output","Package":"a","Test":"TestGood","Output":"    a_test.go:3: said in passing\n"}`,
		`{"Action":"output","Package":"a","Test":"TestBad/part","Output":"    a_test.go:7: got 1, want 2\n"}`,
		`{"Action":"output","Package":"a","Test":"TestBad/part","Output":"    --- FAIL: TestBad/part (0.10s)\n"}`,
		`{"Action":"fail","Package":"a","Test":"TestBad/part","Elapsed":0.1}`,
		`{"Action":"output","Package":"a","Test":"TestBad","Output":"--- FAIL: TestBad (3.00s)\n"}`,
		`{"Action":"fail","Package":"a","Test":"TestBad","Elapsed":3}`,
		`{"Action":"pass","Package":"a","Test":"TestGood","Elapsed":1.25}`,
		`{"Action":"output","Package":"a","Test":"TestNot","Output":"    a_test.go:9: no hammer\n"}`,
		`{"Action":"output","Package":"a","Test":"TestNot","Output":"--- SKIP: TestNot (0.00s)\n"}`,
		`{"Action":"skip","Package":"a","Test":"TestNot","Elapsed":0}`,
		`{"Action":"output","Package":"a","Test":"TestNot","Output":"    a_test.go:9: no hammer\n"}`,
		`{"Action":"output","Package":"a","Test":"TestNot","Output":"--- SKIP: TestNot (0.00s)\n"}`,
		`{"Action":"skip","Package":"a","Test":"TestNot","Elapsed":0}`,
		`{"Action":"output","Package":"a","Test":"TestNot","Output":"    a_test.go:9: no hammer\n"}`,
		`{"Action":"output","Package":"a","Test":"TestNot","Output":"--- SKIP: TestNot (0.00s)\n"}`,
		`{"Action":"skip","Package":"a","Test":"TestNot","Elapsed":0}`,
		`{"Action":"output","Package":"a","Test":"TestNot","Output":"    a_test.go:9: no hammer\n"}`,
		`{"Action":"output","Package":"a","Test":"TestNot","Output":"--- SKIP: TestNot (0.00s)\n"}`,
		`{"Action":"skip","Package":"a","Test":"TestNot","Elapsed":0}`,
		`{"Action":"output","Package":"a","Output":"FAIL\n"}`,
		`{"Action":"fail","Package":"a","Elapsed":4.31}`,
		`{"ImportPath":"b","Action":"build-output","Output":"b.go:1: undefined: x\n"}`,
		`{"ImportPath":"b","Action":"build-fail"}`,
		`go: warning: something`,
		`{"Action":"skip","Package":"c","Elapsed":0}`,
		`{"Action":"output","Package":"d","Output":"ok  \td\t(cached)\n"}`,
		`{"Action":"pass","Package":"d","Elapsed":0}`,
	}
	const want = `    a_test.go:7: got 1, want 2
    --- FAIL: TestBad/part (0.10s)
--- FAIL: TestBad (3.00s)
FAIL
fail a 4.3 s
b.go:1: undefined: x
go: warning: something
skip c 0.0 s
pass d 0.0 s
    3.0 s a TestBad
    1.2 s a TestGood
failed: a TestBad/part
failed: a TestBad
failed: a
skipped: no hammer: a TestNot, a TestNot, a TestNot and 1 more
1 tests passed, 2 failed, 4 skipped
packages that have not changed, with the results of an earlier run: 1
`
	var out strings.Builder
	if err := report(strings.NewReader(strings.Join(events, "\n")), &out); err != nil || out.String() != want {
		t.Errorf("got %v and\n%swant\n%s", err, &out, want)
	}
}
