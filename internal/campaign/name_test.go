package campaign

import (
	"strings"
	"testing"
)

func TestCheckLogin(t *testing.T) {
	for login, sound := range map[string]bool{
		"mara": true, "m": true, "7": true, "o.b-c_d+e@f": true, "Jürgen": true, "张三": true, "नेहा": true,
		strings.Repeat("語", 100): true, strings.Repeat("語", 101): false,
		"": false, ".mara": false, "\u0301a": false, "two words": false, "line\n": false, "a\xff": false,
	} {
		if err := CheckLogin(login); (err == nil) != sound {
			t.Errorf("%q: %v", login, err)
		}
	}
}
