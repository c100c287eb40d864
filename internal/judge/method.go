package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Method is a way to judge translations, or sources, with a model.
type Method struct {
	Name  string // as on the command line, e.g. "gemba-da"
	Title string // of the published method that it follows, e.g. "GEMBA-DA"
	// Version goes up with every change to the method that changes a call or a score. A change to a
	// prompt alone changes PromptHash instead.
	Version int
	Scale   Scale
	Needs   Needs
	// PerSource is set if one task holds all translations of a source, since what the method
	// learns from one is used for the next. They are judged in the order of the task; a run gives
	// them in byte order of their texts, so that results do not depend on the order of a file.
	// Otherwise a task holds one translation.
	PerSource bool
	// OfSource is set if the method judges sources and not translations. A task then holds one translation without
	// text, and runs take campaigns whose protocol has the segment as its unit.
	OfSource bool
	Spans    bool // the method names errors, not only a score
	// RetriesInReplay is set if a saved reply that cannot be read may be followed by the reply to the
	// same question, asked again.
	RetriesInReplay bool
	Variants        []Variant // variants of the method beside the default
	Prompts         []Prompt  // in the order in which they are used
	// Wordings are the hashes of the prompts that the method has had here, the latest last. Their numbers
	// count from 1: runs are told apart by them, so a change to a prompt adds a hash.
	Wordings   []string
	PromptFile string   // SHA-256 in hexadecimal of the file that the prompts came from; empty: they are the method's own
	Calls      Forecast // calls of the default

	// judge gives the judgements, one for each translation of the task. It runs again after each
	// reply, from its first line. While a call is open its result is not looked at.
	judge func(*run) []Judgement
}

// A Variant is a form of a method with prompts or calls of its own.
type Variant struct {
	Name      string // for Task.Variant, e.g. "one_step"
	Calls     Forecast
	Reference bool // the variant requires a reference
}

// Object is the word for what the method judges: source or translation.
func (m Method) Object() string {
	if m.OfSource {
		return "source"
	}
	return "translation"
}

// variant returns a variant by name. An empty name is the default.
func (m Method) variant(name string) (Variant, error) {
	if name == "" {
		return Variant{Calls: m.Calls}, nil
	}
	for _, v := range m.Variants {
		if v.Name == name {
			return v, nil
		}
	}
	return Variant{}, fmt.Errorf("the method %s has no variant %q; variants: %s", m.Name, name, cmp.Or(strings.Join(m.VariantNames(), ", "), "none"))
}

// VariantNames returns the names of the variants.
func (m Method) VariantNames() []string {
	var names []string
	for _, v := range m.Variants {
		names = append(names, v.Name)
	}
	return names
}

// Forecast returns the number of calls of a variant. An empty name is the default. The error is not
// nil if the method does not have the variant.
func (m Method) Forecast(variant string) (Forecast, error) {
	v, err := m.variant(variant)
	return v.Calls, err
}

// A Scale is the range of a method's scores. Higher is better in all methods.
type Scale struct {
	Lowest  float64 // -Inf if there is no lowest score
	Highest float64
}

// Needs says what a method uses besides the source and the translation.
type Needs struct {
	Term, Explication bool // required: a marked term of the source and what it means
	Reference         bool // used if the segment has one; a variant may require it
	LogProbs          bool // used where the provider gives them
	Search            bool // used where Task.Search is set
}

// A Forecast is the number of calls to the model for one translation, or one source, without retries. Usual is an
// estimate to plan with.
type Forecast struct{ Least, Usual, Most int }

// methods holds all methods; each file of a method adds its own.
var methods []Method

func register(m Method) { methods = append(methods, m) }

// Methods returns all methods in order of their names.
func Methods() []Method {
	return slices.SortedFunc(slices.Values(methods), func(a, b Method) int { return cmp.Compare(a.Name, b.Name) })
}

// Names returns the names of all methods, in order.
func Names() []string {
	var names []string
	for _, m := range Methods() {
		names = append(names, m.Name)
	}
	return names
}

// Lookup returns the method of a name.
func Lookup(name string) (Method, error) {
	for _, m := range methods {
		if m.Name == name {
			return m, nil
		}
	}
	return Method{}, fmt.Errorf("there is no method %q; methods: %s", name, strings.Join(Names(), ", "))
}

// Begin begins the work on a task. It is an error if the task lacks what the method needs.
func (m Method) Begin(t Task) (*Machine, error) {
	if err := m.check(t); err != nil {
		return nil, err
	}
	return &Machine{method: m, task: t, answers: map[key]Reply{}, made: map[key]Call{}}, nil
}

// A NeedsError says that a task lacks something that the method cannot work without.
type NeedsError struct{ Method, Field string }

func (e *NeedsError) Error() string {
	return fmt.Sprintf("%s: the method %s needs it, but it is missing or empty", e.Field, e.Method)
}

func (m Method) check(t Task) error {
	variant, err := m.variant(t.Variant)
	switch {
	case err != nil:
		return fmt.Errorf("variant: %w", err)
	case t.Source == "":
		return &NeedsError{m.Name, "source"}
	case m.OfSource && (len(t.Translations) != 1 || t.Translations[0] != ""):
		return fmt.Errorf("translation: the method %s judges a source alone; leave translations out", m.Name)
	case m.OfSource:
		return nil
	case len(t.Translations) == 0 || slices.Contains(t.Translations, ""):
		return &NeedsError{m.Name, "translation"}
	case len(t.Translations) > 1 && !m.PerSource:
		return fmt.Errorf("translations: the method %s judges one translation at a time, not %d; give each its own task", m.Name, len(t.Translations))
	case m.Needs.Term && t.Term == "":
		return &NeedsError{m.Name, "term"}
	case m.Needs.Explication && t.Explication == "":
		return &NeedsError{m.Name, "explication"}
	case variant.Reference && t.Reference == "":
		return &NeedsError{m.Name, "reference"}
	}
	return nil
}
