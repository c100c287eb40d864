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
	"annotate/internal/codepoint"
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
	campaign.Place
	Text     []byte
	Problems []*campaign.Problem
	Notes    *Notes // may be nil
}

// fields maps the known keys of a line to their values, without those that are null.
type fields map[string]jsonValue

// nowhere is the offset of a missing value.
const nowhere = -1

// Refuse adds a problem of a field, whose offset in the line is at, or nowhere.
func (r *record) Refuse(at int, field, format string, args ...any) {
	r.RefuseKind("", at, field, format, args...)
}

// RefuseKind is Refuse for a problem with a kind. A list of problems has only a few of each
// kind, see [campaign.Problem].
func (r *record) RefuseKind(kind string, at int, field, format string, args ...any) {
	if len(r.Problems) == maxProblems {
		return
	}
	p := &campaign.Problem{File: r.File, Line: r.Line, Field: field, Kind: kind, Msg: fmt.Sprintf(format, args...)}
	p.Column = r.column(at)
	r.Problems = append(r.Problems, p)
}

// column returns the column of an offset, from 1, or 0 for nowhere.
func (r *record) column(at int) int {
	if at < 0 {
		return 0
	}
	return utf8.RuneCount(r.Text[:at]) + 1
}

// blank reports whether the line has only white space.
func (r *record) blank() bool { return len(bytes.Trim(r.Text, " \t\r")) == 0 }

// Object checks that the line is a JSON object in UTF-8 and collects the members with known
// keys. It returns false if the line is no such object.
func (r *record) Object(known func(key string) bool, into fields) bool {
	clear(into)
	if !r.IsUTF8() {
		return false
	}
	v, err := scanJSON(r.Text)
	if err != nil {
		r.RefuseKind("JSON", err.At, err.Field, "%s", err.Msg)
		return false
	}
	if jsonKind(r.Text, v) != '{' {
		r.Refuse(v.Start, "", "must be an object, not %s; write one JSON object a line", r.KindName(v))
		return false
	}
	r.Known(v, "", known, into)
	return true
}

// IsUTF8 reports whether the line is UTF-8. If not, it refuses the line.
func (r *record) IsUTF8() bool {
	at := codepoint.Invalid(r.Text)
	if at < 0 {
		return true
	}
	may := ""
	if oldEncoding(r.Text, at) {
		may = "; the file may be Latin-1 or Windows-1252"
	}
	r.RefuseKind("UTF-8", at, "", "byte 0x%02X is not UTF-8%s; save the file as UTF-8", r.Text[at], may)
	return false
}

// ignore notes a key that the format does not have. It may be a spelling mistake.
func (r *record) ignore(prefix, name string) {
	if place := strings.IndexByte(prefix, '['); place >= 0 {
		prefix = prefix[:place] + "[]." // one note for all elements of a list
	}
	if len(name) <= maxSystem {
		r.Notes.Add(keyNote+wording.Quote(prefix+name)+" that the format does not have, ignored", r.File, r.Line)
	}
}

// Known collects the members of an object with known keys. In messages, prefix precedes the
// keys.
func (r *record) Known(v jsonValue, prefix string, known func(key string) bool, into fields) {
	for key, val := range jsonMembers(r.Text, v) {
		name, _ := unquoteJSON(r.Text[key.Start:key.End])
		if !known(name) {
			r.ignore(prefix, name)
			continue
		}
		if _, twice := into[name]; twice {
			r.Refuse(key.Start, prefix+name, "given twice; keep one")
			continue
		}
		into[name] = val
	}
	for name, val := range into {
		if jsonKind(r.Text, val) == 'n' {
			delete(into, name)
		}
	}
}

// A member is a member of an object with arbitrary keys: systems, references or scores.
type member struct {
	Name string
	At   int // the offset of the key
	Val  jsonValue
}

// Members lists the members of an object field in byte order of their names. It refuses
// invalid names and names that occur twice; ok is then false.
func (r *record) Members(field string, v jsonValue) (out []member, ok bool) {
	if jsonKind(r.Text, v) != '{' {
		r.Refuse(v.Start, field, `must be an object such as {"name": …}, not %s`, r.KindName(v))
		return nil, false
	}
	ok = true
	n := 0
	for key, val := range jsonMembers(r.Text, v) {
		if n++; n > maxMembers {
			r.Refuse(key.Start, field, "there are more than %d names, the most that is read; check that each of them is meant", maxMembers)
			return nil, false
		}
		name, bad := unquoteJSON(r.Text[key.Start:key.End])
		switch {
		case bad != nil:
			r.Refuse(key.Start+bad.At, field, "%s", bad.Msg)
			ok = false
		case !r.CheckName(key.Start, field, "name", name, maxSystem):
			ok = false
		default:
			out = append(out, member{name, key.Start, val})
		}
	}
	slices.SortStableFunc(out, func(a, b member) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(out); i++ {
		if out[i].Name == out[i-1].Name {
			r.Refuse(out[i].At, field+"."+out[i].Name, "given twice; keep one")
			ok = false
		}
	}
	return out, ok
}

// CheckName reports whether a name is valid. It refuses a name that is empty, has more than
// most bytes or contains control characters.
func (r *record) CheckName(at int, field, what, name string, most int) bool {
	switch {
	case name == "":
		r.Refuse(at, field, "the %s is empty", what)
	case len(name) > most:
		r.Refuse(at, field, "the %s has %d bytes; at most %d are allowed", what, len(name), most)
	case strings.ContainsFunc(name, unicode.IsControl):
		r.Refuse(at, field, "%s has a control character in the %s; remove it", wording.Quote(name), what)
	default:
		return true
	}
	return false
}

// Str returns the text of a string, unchanged.
func (r *record) Str(field string, v jsonValue) (string, bool) {
	if jsonKind(r.Text, v) != '"' {
		r.Refuse(v.Start, field, "must be a text in double quotes, not %s", r.KindName(v))
		return "", false
	}
	s, bad := unquoteJSON(r.Text[v.Start:v.End])
	if bad != nil {
		r.Refuse(v.Start+bad.At, field, "%s", bad.Msg)
		return "", false
	}
	return s, true
}

// Optional returns the text of a field that may be absent.
func (r *record) Optional(f fields, field string) string {
	if v, ok := f[field]; ok {
		s, _ := r.Str(field, v)
		return s
	}
	return ""
}

// Label returns an optional short name such as a domain.
func (r *record) Label(f fields, field string) string {
	s := r.Optional(f, field)
	if s != "" {
		r.CheckName(f[field].Start, field, "name", s, maxID)
	}
	return s
}

// ID returns a string, or a number as it is written. It is empty if absent or refused.
func (r *record) ID(f fields, field string, required bool) string {
	v, ok := f[field]
	if !ok {
		if required {
			r.Refuse(nowhere, field, "missing; give the id of the segment")
		}
		return ""
	}
	s, ok := r.textOrNumber(field, v)
	if !ok || !r.CheckName(v.Start, field, "id", s, maxID) {
		return ""
	}
	return s
}

// textOrNumber returns a text, or a number as it is written. It returns false if v is refused.
func (r *record) textOrNumber(field string, v jsonValue) (string, bool) {
	switch jsonKind(r.Text, v) {
	case '0':
		return string(r.Text[v.Start:v.End]), true
	case '"':
		return r.Str(field, v)
	}
	r.Refuse(v.Start, field, "must be a text in double quotes or a number, not %s", r.KindName(v))
	return "", false
}

// Source returns the source text, which must not be empty.
func (r *record) Source(f fields, field string) string {
	v, ok := f[field]
	if !ok {
		r.Refuse(nowhere, field, "missing; give the source text")
		return ""
	}
	s, ok := r.Str(field, v)
	if ok && strings.TrimSpace(s) == "" {
		r.Refuse(v.Start, field, "empty; give the source text")
	}
	return s
}

// Number returns a finite number.
func (r *record) Number(field string, v jsonValue) (float64, bool) {
	if jsonKind(r.Text, v) != '0' {
		r.Refuse(v.Start, field, "must be a number, not %s", r.KindName(v))
		return 0, false
	}
	x, err := strconv.ParseFloat(string(r.Text[v.Start:v.End]), 64)
	if err != nil || math.IsInf(x, 0) {
		r.Refuse(v.Start, field, "%s is too large for a number; correct it", wording.Quote(string(r.Text[v.Start:v.End])))
		return 0, false
	}
	return x, true
}

// Bool returns a boolean value.
func (r *record) Bool(field string, v jsonValue) (yes, ok bool) {
	switch text := string(r.Text[v.Start:v.End]); text {
	case "true", "false":
		return text == "true", true
	}
	r.Refuse(v.Start, field, "must be true or false, not %s", r.KindName(v))
	return false, false
}

// Whole returns a whole number from lo to hi.
func (r *record) Whole(field string, v jsonValue, lo, hi int) (int, bool) {
	x, ok := r.Number(field, v)
	if !ok {
		return 0, false
	}
	if x != math.Trunc(x) || x < float64(lo) || x > float64(hi) {
		r.Refuse(v.Start, field, "must be a whole number from %d to %d, not %s", lo, hi, r.Text[v.Start:v.End])
		return 0, false
	}
	return int(x), true
}

// Login reports whether s is a valid login of an annotator. If not, it refuses it.
func (r *record) Login(field string, v jsonValue, s string) bool {
	err := campaign.CheckLogin(s)
	if bad, ok := errors.AsType[*campaign.InvalidError](err); ok {
		r.Refuse(v.Start, field, "%s can't be an annotator; %s", wording.Quote(s), bad.Msg)
	}
	return err == nil
}

// KindName names the type of a value for messages.
func (r *record) KindName(v jsonValue) string { return KindName(jsonKind(r.Text, v)) }

// KindName names the type of a JSON value for messages. kind is the first byte of the value ({ [ " t f n), or '0' for a
// number.
func KindName(kind byte) string {
	switch kind {
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
