package mtme

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/ingest"
	"annotate/internal/wording"
)

// testSets maps the folder of each test set among some files to its language pairs: those with a file of
// sources and outputs of systems. The top folder is "".
func testSets(names []string) map[string][]string {
	outputs := map[string]bool{}
	for _, name := range names {
		if isText(name) {
			outputs[path.Dir(name)] = true
		}
	}
	sets := map[string][]string{}
	for _, name := range names {
		dir := path.Dir(name)
		if path.Base(dir) != "sources" || !isText(name) {
			continue
		}
		root, pair := path.Dir(dir), strings.TrimSuffix(path.Base(name), path.Ext(name))
		if strings.Contains(pair, "-") && outputs[path.Join(root, "system-outputs", pair)] && !slices.Contains(sets[root], pair) {
			sets[root] = append(sets[root], pair)
		}
	}
	for _, pairs := range sets {
		slices.Sort(pairs)
	}
	return sets
}

func isText(name string) bool { return path.Ext(name) == ".txt" || path.Ext(name) == ".jsonl" }

func is(files []exchange.Head) bool {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return len(testSets(names)) > 0
}

// open returns the language pair of opt in some files, with its languages. The error is a *[campaign.Problem]
// if no pair or several fit.
func open(files []exchange.File, opt ingest.Options) (d *ingest.Directory, source, target string, err error) {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	sets := testSets(names)
	refuse := func(option, format string, args ...any) (*ingest.Directory, string, string, error) {
		return nil, "", "", &campaign.Problem{File: opt.File, Msg: fmt.Sprintf(format, args...), Option: option}
	}
	if len(sets) == 0 {
		return refuse("", "there is no test set: a folder that has the files sources/LP.txt and system-outputs/LP/SYSTEM.txt, "+
			"where LP is a language pair such as en-de")
	}
	if len(sets) > 1 {
		return refuse("", "there are several test sets: %s; give the folder of one", wording.ListUpTo(slices.Sorted(maps.Keys(sets)), 20))
	}
	for root, pairs := range sets {
		pair, others := "", []string(nil)
		for _, p := range pairs {
			s, t, bad := ingest.ParseLanguagePair(p, opt.SourceLang, opt.TargetLang)
			switch {
			case bad != nil && len(pairs) == 1:
				return refuse("", "%v; rename its files", bad)
			case bad == nil && (opt.SourceLang == "" || ingest.SameLang(s, opt.SourceLang)) &&
				(opt.TargetLang == "" || ingest.SameLang(t, opt.TargetLang)) && pair == "":
				pair, source, target = p, s, t
			default:
				others = append(others, p)
			}
		}
		list := wording.ListUpTo(pairs, 50)
		switch {
		case pair == "":
			return refuse("", "there is no language pair %s-%s; there are %s; give the folder that has it, or import into a campaign of such languages",
				opt.SourceLang, opt.TargetLang, list)
		case len(others) > 0 && opt.SourceLang == "":
			return refuse("--language-pair "+pair, "there are several language pairs: %s; choose one", list)
		}
		for _, p := range others {
			opt.Notes.AddNamed("language {pair|pairs} left out", p, opt.File, 0)
		}
		d, err = ingest.OpenFolder(folder(files, root), pair)
	}
	return d, source, target, err
}

// folder returns the folder root of some files. Hidden files are left out.
func folder(files []exchange.File, root string) ingest.Folder {
	byPath := make(map[string]exchange.File, len(files))
	below := map[string][]string{}
	for _, f := range files {
		byPath[f.Name] = f
		if dir, name := path.Split(f.Name); !strings.HasPrefix(name, ".") {
			below[path.Clean(dir)] = append(below[path.Clean(dir)], name)
		}
	}
	return ingest.Folder{
		Files: func(folder string) ([]string, error) { return below[path.Join(root, folder)], nil },
		Open: func(file string) (io.ReadCloser, error) {
			if f, ok := byPath[path.Join(root, file)]; ok {
				return f.Open()
			}
			return nil, fs.ErrNotExist
		},
		Name: func(file string) string { return path.Join(root, file) },
	}
}
