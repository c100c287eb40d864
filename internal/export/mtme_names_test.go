package export

import (
	"testing"
)

// The names are valid file names on every operating system.
func TestToken(t *testing.T) {
	for name, want := range map[string]string{
		"GPT4-5shot": "GPT4-5shot", "a b": "a_b", "a/b\\c": "a_b_c", ".hidden": "_hidden", "ONLINE-B.": "ONLINE-B_", ".": "_",
		"a:b": "a_b", `<a*b?"c|d>`: "_a_b__c_d_", "con": "con_", "NUL.tar.gz": "NUL_.tar.gz", "COM1": "COM1_", "COM10": "COM10", "console": "console", "系统": "系统",
	} {
		if got := token(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
