package campaign

import (
	"reflect"
	"sync"
)

// Hidden returns a copy of v in which the people are named by pseudonyms. A nil p returns v itself. The
// tags of fields say what they hold:
//
//   - `person:"login"`: a login or a list of logins, which pseudonyms replace;
//   - `person:"name"`: a name, which is left out;
//   - `person:"text"`: a text, or a list of texts, in which pseudonyms replace logins and names.
//
// Values that v points to are copied too, so v may be shared. Only exported fields are looked at.
func Hidden[T any](p *Pseudonyms, v T) T {
	if p == nil {
		return v
	}
	return p.hidden(reflect.ValueOf(&v).Elem(), "").Interface().(T)
}

// hidden returns a copy of v. role is the tag of the field that v comes from.
func (p *Pseudonyms) hidden(v reflect.Value, role string) reflect.Value {
	if role == "" && !namesPeople(v.Type()) {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		switch role {
		case "login":
			out.SetString(p.Login(v.String()))
		case "name":
			out.SetString("")
		case "text":
			out.SetString(p.Text(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(p.hidden(v.Elem(), role))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(p.hidden(v.Index(i), role))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out.Field(i).Set(p.hidden(v.Field(i), f.Tag.Get("person")))
			}
		}
	}
	return out
}

// naming keeps for each type whether its values may name people.
var naming sync.Map

// namesPeople reports whether a type has fields with the tag person, at any depth.
func namesPeople(t reflect.Type) bool {
	if known, ok := naming.Load(t); ok {
		return known.(bool)
	}
	naming.Store(t, false) // a type that holds itself does not name people by that
	found := false
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		found = namesPeople(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && (f.Tag.Get("person") != "" || namesPeople(f.Type)) {
				found = true
			}
		}
	}
	naming.Store(t, found)
	return found
}
