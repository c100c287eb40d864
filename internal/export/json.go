package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An object appends a JSON object to buf, member by member, and keeps the first
// error.
type object struct {
	buf   []byte
	open  bool // the current object has no member yet
	err   error
	lines *lines // where the object is a line; nil if it is none
}

func newObject(buf []byte) *object { return &object{buf: append(buf, '{'), open: true} }

func (o *object) end() { o.buf, o.open = append(o.buf, '}'), false }

// key begins a member. The caller appends its value.
func (o *object) key(name string) {
	if !o.open {
		o.buf = append(o.buf, ',')
	}
	o.open = false
	o.string(name)
	o.buf = append(o.buf, ':')
}

func (o *object) text(key, s string) {
	o.key(key)
	o.string(s)
}

// optional writes a text unless it is empty.
func (o *object) optional(key, s string) {
	if s != "" {
		o.text(key, s)
	}
}

func (o *object) number(key string, x float64) {
	o.key(key)
	o.float(x)
}

func (o *object) bool(key string, yes bool) {
	o.key(key)
	o.buf = strconv.AppendBool(o.buf, yes)
}

// begin begins an object as the value of key. end ends it.
func (o *object) begin(key string) {
	o.key(key)
	o.buf, o.open = append(o.buf, '{'), true
}

// objects appends an array of n objects. member appends the members of each.
func (o *object) objects(n int, member func(i int)) {
	o.buf = append(o.buf, '[')
	for i := range n {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf, o.open = append(o.buf, '{'), true
		member(i)
		o.end()
	}
	o.buf = append(o.buf, ']')
}

// line ends an object that [lines.object] began.
func (o *object) line() {
	o.end()
	o.lines.buf = append(o.buf, '\n')
	o.lines.fail(o.err)
}

// float appends x with the fewest digits that give the same float64. Whole numbers have
// no decimal point.
func (o *object) float(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		o.fail(fmt.Errorf("%v can't be written as a number", x))
		return
	}
	o.buf = strconv.AppendFloat(o.buf, x, 'f', -1, 64)
}

// decimal is like float, but the number always has a decimal point, as in Python.
func (o *object) decimal(x float64) {
	n := len(o.buf)
	o.float(x)
	if !slices.Contains(o.buf[n:], '.') {
		o.buf = append(o.buf, ".0"...)
	}
}

func (o *object) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// string appends s in quotes. It escapes only what JSON requires and three further
// characters at which some readers break lines: U+0085, U+2028 and U+2029.
func (o *object) string(s string) {
	if !utf8.ValidString(s) {
		o.fail(fmt.Errorf("text %q is not UTF-8", s))
		return
	}
	buf := append(o.buf, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		escape, n := "", 1
		switch {
		case c == '"' || c == '\\':
			escape = `\` + string(c)
		case c < ' ':
			if escape = shortEscape[c]; escape == "" {
				escape = fmt.Sprintf(`\u%04x`, c)
			}
		case c == 0xC2 && strings.HasPrefix(s[i:], "\u0085"):
			escape, n = `\u0085`, 2
		case c == 0xE2 && strings.HasPrefix(s[i:], "\u2028"):
			escape, n = `\u2028`, 3
		case c == 0xE2 && strings.HasPrefix(s[i:], "\u2029"):
			escape, n = `\u2029`, 3
		default:
			continue
		}
		buf = append(append(buf, s[from:i]...), escape...)
		i += n - 1
		from = i + 1
	}
	o.buf = append(append(buf, s[from:]...), '"')
}

var shortEscape = [' ']string{'\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
