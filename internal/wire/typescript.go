package wire

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"annotate/internal/protocol"
)

// TypeScript declares the types of this package for the type checker of the scripts: an
// interface for each struct, by name.
func TypeScript() string {
	d := declarations{}
	for _, v := range []any{State{}, Save{}, Saved{}, Submit{}, Problem{}, Next{}, Refusal{}, Keys{}, Version{}, Job{}} {
		d.of(reflect.TypeOf(v))
	}
	var b strings.Builder
	b.WriteString("// The JSON that the scripts and the server exchange. Made of internal/wire by go generate.\n")
	for _, name := range slices.Sorted(maps.Keys(d)) {
		fmt.Fprintf(&b, "\nexport interface %s {\n%s}\n", name, d[name])
	}
	return b.String()
}

// declarations are the fields of each interface, by its name.
type declarations map[string]string

// of is what TypeScript calls a type. A struct is declared on the way.
func (d declarations) of(t reflect.Type) string {
	if t == reflect.TypeFor[protocol.Side]() {
		return "'source' | 'target'"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.Slice:
		return d.of(t.Elem()) + "[]"
	case reflect.Map:
		return "Record<string, " + d.of(t.Elem()) + ">"
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return "string"
		}
		if _, ok := d[t.Name()]; !ok {
			d[t.Name()] = "" // a struct may have itself in it
			d[t.Name()] = d.fields(t)
		}
		return t.Name()
	}
	panic(fmt.Sprint("wire: no TypeScript for ", t))
}

// fields are the properties of a struct, a line each, with those of what it embeds.
func (d declarations) fields(t reflect.Type) string {
	var b strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			b.WriteString(d.fields(f.Type))
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		// The scripts get and give no span without an id.
		if strings.Contains(options, "omitempty") && !(t == reflect.TypeFor[protocol.ErrorSpan]() && name == "id") {
			name += "?"
		}
		fmt.Fprintf(&b, "  %s: %s;\n", name, d.of(f.Type))
	}
	return b.String()
}
