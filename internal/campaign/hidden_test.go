package campaign

import (
	"reflect"
	"testing"
)

// Hidden replaces what the tags name, at any depth, and changes nothing that is shared.
func TestHidden(t *testing.T) {
	type turn struct {
		Login string `person:"login"`
		Other string
	}
	type page struct {
		Name    string   `person:"name"`
		Logins  []string `person:"login"`
		Reason  string   `person:"text"`
		Turns   []turn
		Last    *turn
		private string
	}
	p := NewPseudonyms([]Named{{Login: "ann", Name: "Ann Bee", Pseudonym: "A01"}})
	last := &turn{"ann", "ann"}
	in := page{"Ann Bee", []string{"ann", "stranger", ""}, "Ann Bee asked", []turn{{"ann", "ann"}}, last, "kept"}
	got := Hidden(p, in)
	want := page{"", []string{"A01", "X", ""}, "A01 asked", []turn{{"A01", "ann"}}, &turn{"A01", "ann"}, "kept"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("hidden: %+v, want %+v", got, want)
	}
	if in.Logins[0] != "ann" || in.Turns[0].Login != "ann" || last.Login != "ann" {
		t.Errorf("the value itself was changed: %+v", in)
	}
	if got := Hidden(nil, in); !reflect.DeepEqual(got, in) {
		t.Errorf("without pseudonyms: %+v", got)
	}
	if p.Person("A01") != "ann" || p.Person("ann") != "" || (*Pseudonyms)(nil).Person("ann") != "ann" {
		t.Error("a pseudonym finds its person, and a login finds none")
	}
}
