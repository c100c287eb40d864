package protocol

import (
	"errors"
	"strings"
	"testing"
)

// TestReadListsAll: all mistakes in a file are listed at once, each with its line and field.
func TestReadListsAll(t *testing.T) {
	text, _ := custom(t)
	for _, tt := range []struct{ name, from, to, want string }{
		{"names of fields and rules", `"name":`, `"nme": "x", "nme":`, "line 3: nme: there is no such field"},
		{"names of fields and rules", `"name":`, `"nme": "x", "nme":`, "nme: is given twice"},
		{"names of fields and rules", `"name":`, `"nme": "x", "nme":`, "name: missing"},
		{"types", `"name":`, `"about": 7, "gate_by_default": [1], "name":`, "about: must be text in double quotes, not a number"},
		{"types", `"name":`, `"about": 7, "gate_by_default": [1], "name":`, "gate_by_default: must be text in double quotes, not a list"},
	} {
		_, err := Read(strings.NewReader(strings.Replace(text, tt.from, tt.to, 1)))
		if _, ok := errors.AsType[*ReadError](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestStartingPoint: the file of each protocol that comes with the program can be used as a protocol of one's own.
func TestStartingPoint(t *testing.T) {
	for _, id := range IDs() {
		text, ok := StartingPoint(id)
		p, err := ReadOwn(strings.NewReader(text))
		if !ok || err != nil || p.ID != "my_"+id {
			t.Errorf("%s: %v, %v", id, p, err)
			continue
		}
		if p.ID = id; encode(t, p) != encode(t, lookup(t, id)) {
			t.Errorf("%s: the file is another protocol", id)
		}
	}
	if _, ok := StartingPoint("../sqm"); ok {
		t.Error("a file that is no protocol")
	}
}
