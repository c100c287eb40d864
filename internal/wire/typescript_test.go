package wire

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/protocol"
)

var update = flag.Bool("update", false, "write web/wire.d.ts")

// TestTypeScript compares the types that the scripts are checked with with those of this package. go generate runs it
// with -update, which writes them.
func TestTypeScript(t *testing.T) {
	const file = "../../web/wire.d.ts"
	if *update {
		if err := os.WriteFile(file, []byte(typeScript()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != typeScript() {
		t.Error("web/wire.d.ts is not what package wire says: run go generate ./internal/wire")
	}
}

// typeScript declares the types of this package for the type checker of the scripts: an
// interface for each struct, by name.
func typeScript() string {
	d := declarations{}
	for _, v := range []any{State{}, Save{}, Saved{}, Submit{}, Problem{}, Ask{}, ThreadRead{}, Thread{}, Skip{}, Next{}, Document{}, Refusal{}, Keys{}, Version{}, Job{}} {
		d.of(reflect.TypeOf(v))
	}
	var b strings.Builder
	b.WriteString("// The JSON that the scripts and the server exchange. Made of internal/wire by go generate.\n")
	for _, name := range slices.Sorted(maps.Keys(d)) {
		fmt.Fprintf(&b, "\nexport interface %s%s", name, d[name])
	}
	return b.String()
}

// declarations holds the text after the name of each interface, by name.
type declarations map[string]string

// of returns the TypeScript name of a type. If the type is a struct, it adds its declaration.
func (d declarations) of(t reflect.Type) string {
	if t == reflect.TypeFor[protocol.Side]() {
		return "'source' | 'target' | 'reference'"
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
			d[t.Name()] = "" // ends the recursion if a struct contains itself
			d[t.Name()] = d.body(t)
		}
		return t.Name()
	}
	panic(fmt.Sprint("wire: no TypeScript for ", t))
}

// body returns the declaration of a struct after its name: the interfaces that it extends, which
// are the embedded structs, and one property per line.
func (d declarations) body(t reflect.Type) string {
	var bases []string
	var b strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			bases = append(bases, d.of(f.Type))
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		// Spans always have an id in the JSON of pages.
		if strings.Contains(options, "omitempty") && !(t == reflect.TypeFor[protocol.ErrorSpan]() && name == "id") {
			name += "?"
		}
		fmt.Fprintf(&b, "  %s: %s;\n", name, d.of(f.Type))
	}
	extends := ""
	if len(bases) > 0 {
		extends = " extends " + strings.Join(bases, ", ")
	}
	return extends + " {\n" + b.String() + "}\n"
}
