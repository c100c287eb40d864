package web

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// importing and exporting are the statements between modules that the scripts use. Where a browser would refuse a
// name that is not there, the joined script would have an undefined value, so to join refuses it.
var (
	importing = regexp.MustCompile(`(?m)^import (?:(\{[^}]*\}) from )?'\./(\w+)\.js';$`)
	imported  = regexp.MustCompile(`(\w+)(?: as \w+)?`) // of the names between braces
	exporting = regexp.MustCompile(`(?m)^export ((?:async function|function|class|const) (\w+))`)
	between   = regexp.MustCompile(`(?m)^(?:import|export)\b.*`)
)

// joined are the scripts that are served with all modules that they import, so that a page loads one file.
var joined = []string{"js/judging.js", "js/reading.js"}

// source returns a file as it is served, but for being minified.
func source(files fs.FS, name string) ([]byte, error) {
	if slices.Contains(joined, name) {
		return join(files, name)
	}
	return fs.ReadFile(files, name)
}

// join joins a script with all modules that it imports. Each module becomes a function, which runs once, after
// those that it imports, and returns what the module exports.
func join(files fs.FS, name string) ([]byte, error) {
	j := joining{files: files, exports: map[string][]string{}}
	// Within a function, the names of the modules are shortened too.
	j.WriteString("(() => {\n")
	if err := j.add(strings.TrimSuffix(strings.TrimPrefix(name, "js/"), ".js")); err != nil {
		return nil, &fs.PathError{Op: "join", Path: name, Err: err}
	}
	j.WriteString("})();\n")
	return j.Bytes(), nil
}

// joining is a script as far as it is joined.
type joining struct {
	bytes.Buffer
	files   fs.FS
	begun   []string            // the modules that are in it, or will be after those that they import
	exports map[string][]string // what each module exports that is in it
}

// add adds a module of js/ by its name without .js.
func (j *joining) add(module string) error {
	if _, done := j.exports[module]; done {
		return nil
	}
	if slices.Contains(j.begun, module) {
		return fmt.Errorf("%s imports itself through others", module)
	}
	j.begun = append(j.begun, module)
	text, err := fs.ReadFile(j.files, "js/"+module+".js")
	if err != nil {
		return err
	}
	for _, m := range importing.FindAllSubmatch(text, -1) {
		if err := j.add(string(m[2])); err != nil {
			return err
		}
		for _, name := range imported.FindAllSubmatch(m[1], -1) {
			if !slices.Contains(j.exports[string(m[2])], string(name[1])) {
				return fmt.Errorf("%s.js imports %s, which %s.js does not export", module, name[1], m[2])
			}
		}
	}
	text = importing.ReplaceAllFunc(text, func(statement []byte) []byte {
		m := importing.FindSubmatch(statement)
		if m[1] == nil {
			return nil
		}
		return []byte("const " + strings.ReplaceAll(string(m[1]), " as ", ": ") + " = module_" + string(m[2]) + ";")
	})
	exported := []string{}
	for _, m := range exporting.FindAllSubmatch(text, -1) {
		exported = append(exported, string(m[2]))
	}
	text = exporting.ReplaceAll(text, []byte("$1"))
	if other := between.Find(text); other != nil {
		return fmt.Errorf("%s.js: this form of import or export is not known here: %s", module, other)
	}
	fmt.Fprintf(j, "const module_%s = (() => {\n%s\nreturn { %s };\n})();\n", module, text, strings.Join(exported, ", "))
	j.exports[module] = exported
	return nil
}
