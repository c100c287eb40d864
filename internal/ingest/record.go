package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// Limits on a line, so that no line takes much time or memory.
const (
	maxID       = 500  // bytes of an id
	maxSystem   = 200  // bytes of the name of a system or reference
	maxMembers  = 1000 // number of systems, references, scores, or annotators of a translation
	maxProblems = 20   // number of reported problems of a line
)

// A record is a line with its problems. Its methods read a value, given the name of its
// field and its offsets. For a wrong value they add a [campaign.Problem] and return the
// zero value.
type record struct {
	file     string
	n        int // number of the line
	text     []byte
	problems []*campaign.Problem
	notes    *Notes // may be nil
}

// fields maps the known keys of a line to their values, without those that are null.
type fields map[string]value

// nowhere is the offset of a missing value.
const nowhere = -1

func (r *record) refuse(at int, field, format string, args ...any) {
	r.refuseKind("", at, field, format, args...)
}

// refuseKind is refuse for a problem with a kind. A list of problems has only a few of each
// kind, see [campaign.Problem].
func (r *record) refuseKind(kind string, at int, field, format string, args ...any) {
	if len(r.problems) == maxProblems {
		return
	}
	p := &campaign.Problem{File: r.file, Line: r.n, Field: field, Kind: kind, Msg: fmt.Sprintf(format, args...)}
	p.Column = r.column(at)
	r.problems = append(r.problems, p)
}

// column returns the column of an offset, from 1, or 0 for nowhere.
func (r *record) column(at int) int {
	if at < 0 {
		return 0
	}
	return utf8.RuneCount(r.text[:at]) + 1
}

// blank reports whether the line has only white space.
func (r *record) blank() bool { return len(bytes.Trim(r.text, " \t\r")) == 0 }

// object checks that the line is a JSON object in UTF-8 and collects the members with known
// keys. It returns false if the line is no such object.
func (r *record) object(known func(key string) bool, into fields) bool {
	clear(into)
	if !r.isUTF8() {
		return false
	}
	v, err := scan(r.text)
	if err != nil {
		r.refuseKind("JSON", err.at, err.field, "%s", err.msg)
		return false
	}
	if kind(r.text, v) != '{' {
		r.refuse(v.start, "", "must be an object, not %s; write one JSON object a line", r.kindName(v))
		return false
	}
	r.sort(v, "", known, into)
	return true
}

// isUTF8 reports whether the line is UTF-8. If not, it refuses the line.
func (r *record) isUTF8() bool {
	if utf8.Valid(r.text) {
		return true
	}
	at := 0
	for {
		c, n := utf8.DecodeRune(r.text[at:])
		if c == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	may := ""
	if oldEncoding(r.text, at) {
		may = "; the file may be Latin-1 or Windows-1252"
	}
	r.refuseKind("UTF-8", at, "", "byte 0x%02X is not UTF-8%s; save the file as UTF-8", r.text[at], may)
	return false
}

// ignore notes a key that the format does not have. It may be a spelling mistake.
func (r *record) ignore(prefix, name string) {
	if place := strings.IndexByte(prefix, '['); place >= 0 {
		prefix = prefix[:place] + "[]." // one note for all elements of a list
	}
	if len(name) <= maxSystem {
		r.notes.add("keys "+wording.Quote(prefix+name)+" that the format does not have, ignored", r.file, r.n)
	}
}

// sort collects the members of an object with known keys. In messages, prefix precedes the
// keys.
func (r *record) sort(v value, prefix string, known func(key string) bool, into fields) {
	for key, val := range members(r.text, v) {
		name, _ := unquote(r.text[key.start:key.end])
		if !known(name) {
			r.ignore(prefix, name)
			continue
		}
		if _, twice := into[name]; twice {
			r.refuse(key.start, prefix+name, "given twice; keep one")
			continue
		}
		into[name] = val
	}
	for name, val := range into {
		if kind(r.text, val) == 'n' {
			delete(into, name)
		}
	}
}

// A member is a member of an object with arbitrary keys: systems, references or scores.
type member struct {
	name string
	at   int // the offset of the key
	val  value
}

// members lists the members of an object field in byte order of their names. It refuses
// invalid names and names that occur twice; ok is then false.
func (r *record) members(field string, v value) (out []member, ok bool) {
	if kind(r.text, v) != '{' {
		r.refuse(v.start, field, `must be an object such as {"name": …}, not %s`, r.kindName(v))
		return nil, false
	}
	ok = true
	n := 0
	for key, val := range members(r.text, v) {
		if n++; n > maxMembers {
			r.refuse(key.start, field, "there are more than %d names, the most that is read; check that each of them is meant", maxMembers)
			return nil, false
		}
		name, bad := unquote(r.text[key.start:key.end])
		switch {
		case bad != nil:
			r.refuse(key.start+bad.at, field, "%s", bad.msg)
			ok = false
		case !r.checkName(key.start, field, "name", name, maxSystem):
			ok = false
		default:
			out = append(out, member{name, key.start, val})
		}
	}
	slices.SortStableFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(out); i++ {
		if out[i].name == out[i-1].name {
			r.refuse(out[i].at, field+"."+out[i].name, "given twice; keep one")
			ok = false
		}
	}
	return out, ok
}

// checkName reports whether a name is valid. It refuses a name that is empty, has more than
// most bytes or contains control characters.
func (r *record) checkName(at int, field, what, name string, most int) bool {
	switch {
	case name == "":
		r.refuse(at, field, "the %s is empty", what)
	case len(name) > most:
		r.refuse(at, field, "the %s has %d bytes; at most %d are allowed", what, len(name), most)
	case strings.ContainsFunc(name, unicode.IsControl):
		r.refuse(at, field, "%s has a control character in the %s; remove it", wording.Quote(name), what)
	default:
		return true
	}
	return false
}

// str returns the text of a string, unchanged.
func (r *record) str(field string, v value) (string, bool) {
	if kind(r.text, v) != '"' {
		r.refuse(v.start, field, "must be a text in double quotes, not %s", r.kindName(v))
		return "", false
	}
	s, bad := unquote(r.text[v.start:v.end])
	if bad != nil {
		r.refuse(v.start+bad.at, field, "%s", bad.msg)
		return "", false
	}
	return s, true
}

// optional returns the text of a field that may be absent.
func (r *record) optional(f fields, field string) string {
	if v, ok := f[field]; ok {
		s, _ := r.str(field, v)
		return s
	}
	return ""
}

// label returns an optional short name such as a domain.
func (r *record) label(f fields, field string) string {
	s := r.optional(f, field)
	if s != "" {
		r.checkName(f[field].start, field, "name", s, maxID)
	}
	return s
}

// id returns a string, or a number as it is written. It is empty if absent or refused.
func (r *record) id(f fields, field string, required bool) string {
	v, ok := f[field]
	if !ok {
		if required {
			r.refuse(nowhere, field, "missing; give the id of the segment")
		}
		return ""
	}
	var s string
	switch kind(r.text, v) {
	case '0':
		s = string(r.text[v.start:v.end])
	case '"':
		if s, ok = r.str(field, v); !ok {
			return ""
		}
	default:
		r.refuse(v.start, field, "must be a text in double quotes or a number, not %s", r.kindName(v))
		return ""
	}
	if !r.checkName(v.start, field, "id", s, maxID) {
		return ""
	}
	return s
}

// source returns the source text, which must not be empty.
func (r *record) source(f fields, field string) string {
	v, ok := f[field]
	if !ok {
		r.refuse(nowhere, field, "missing; give the source text")
		return ""
	}
	s, ok := r.str(field, v)
	if ok && strings.TrimSpace(s) == "" {
		r.refuse(v.start, field, "empty; give the source text")
	}
	return s
}

// number returns a finite number.
func (r *record) number(field string, v value) (float64, bool) {
	if kind(r.text, v) != '0' {
		r.refuse(v.start, field, "must be a number, not %s", r.kindName(v))
		return 0, false
	}
	x, err := strconv.ParseFloat(string(r.text[v.start:v.end]), 64)
	if err != nil || math.IsInf(x, 0) {
		r.refuse(v.start, field, "%s is too large for a number; correct it", wording.Quote(string(r.text[v.start:v.end])))
		return 0, false
	}
	return x, true
}

// yes returns a boolean value.
func (r *record) yes(field string, v value) (yes, ok bool) {
	switch text := string(r.text[v.start:v.end]); text {
	case "true", "false":
		return text == "true", true
	}
	r.refuse(v.start, field, "must be true or false, not %s", r.kindName(v))
	return false, false
}

// whole returns a whole number from lo to hi.
func (r *record) whole(field string, v value, lo, hi int) (int, bool) {
	x, ok := r.number(field, v)
	if !ok {
		return 0, false
	}
	if x != math.Trunc(x) || x < float64(lo) || x > float64(hi) {
		r.refuse(v.start, field, "must be a whole number from %d to %d, not %s", lo, hi, r.text[v.start:v.end])
		return 0, false
	}
	return int(x), true
}

// login reports whether s is a valid login of an annotator. If not, it refuses it.
func (r *record) login(field string, v value, s string) bool {
	err := campaign.CheckLogin(s)
	if bad, ok := errors.AsType[*campaign.InvalidError](err); ok {
		r.refuse(v.start, field, "%s can't be an annotator; %s", wording.Quote(s), bad.Msg)
	}
	return err == nil
}

// kindName names the type of a value for messages.
func (r *record) kindName(v value) string {
	switch kind(r.text, v) {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "true or false"
}
