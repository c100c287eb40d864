package ingest

import (
	"fmt"
	"slices"
)

// An objectArray describes a field that is an array of objects.
type objectArray struct {
	example string   // an element
	most    int      // the most elements that are kept
	keys    []string // the keys of an element
}

// each calls do with each element of the array v: its index, its field such as spans[0], its
// offset, and its members with known keys. It refuses elements that are no objects.
func (a objectArray) each(r *record, field string, v jsonValue, do func(i int, field string, at int, f fields)) {
	if jsonKind(r.Text, v) != '[' {
		r.Refuse(v.Start, field, "must be an array such as [%s], not %s", a.example, r.KindName(v))
		return
	}
	i := 0
	for e := range jsonElements(r.Text, v) {
		if i == a.most {
			r.Refuse(e.Start, field, "there are more than %d elements, the most that is kept; leave some out", a.most)
			return
		}
		element := fmt.Sprintf("%s[%d]", field, i)
		if jsonKind(r.Text, e) == '{' {
			f := fields{}
			r.Known(e, element+".", func(key string) bool { return slices.Contains(a.keys, key) }, f)
			do(i, element, e.Start, f)
		} else {
			r.Refuse(e.Start, element, "must be an object such as %s, not %s", a.example, r.KindName(e))
		}
		i++
	}
}
