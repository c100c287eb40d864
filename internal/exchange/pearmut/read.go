package pearmut

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"path"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/exchange/jsonfile"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

// read implements [exchange.Format].Read. Files are read twice, since later lines of a log replace earlier
// ones.
func read(files []exchange.File, p *protocol.Protocol, opt ingest.Options) iter.Seq2[campaign.SegmentLine, error] {
	if opt.Notes == nil {
		opt.Notes = &ingest.Notes{}
	}
	return exchange.Unite(exchange.Lines(func(yield func(campaign.SegmentLine, error) error) error {
		r := &reading{
			p: p, opt: opt, campaigns: map[string]*info{}, byFile: map[string]*info{},
			latest: map[submission]int{}, resets: map[submission]int{}, naming: newNaming(), pairing: exchange.Pairing{Options: opt},
		}
		r.yield = func(line campaign.SegmentLine, err error) error {
			r.found = r.found || err == nil
			return yield(line, err)
		}
		return r.all(files)
	}), opt.Notes)
}

// A reading is the state of reading the files of a campaign.
type reading struct {
	p         *protocol.Protocol
	opt       ingest.Options
	campaigns map[string]*info   // by campaign_id
	byFile    map[string]*info   // the infos of campaigns, by file
	latest    map[submission]int // the line that counts
	resets    map[submission]int // the last reset, of any system
	naming    *naming
	pairing   exchange.Pairing
	older     int // the sum of wholeBy
	yield     func(campaign.SegmentLine, error) error
	found     bool // a segment
}

// An info holds what a campaign says about its annotations.
type info struct {
	Protocol               string
	Sliders                []string          // nil: there is one score
	PostEditing            bool              // text fields begin with the translation
	Tokens                 []string          // after each translation
	Systems                map[string]string // the names of renamed systems, by their names in the file
	SourceLang, TargetLang string
	Pair                   string // in the name of the campaign, such as eng_Latn---zho_Hans
	Unknown                bool   // whether the file of the campaign is missing
}

var noInfo = &info{PostEditing: true, Tokens: []string{missing}, Unknown: true}

// missing is the token that marks an omission.
const missing = "[missing]"

// A submission identifies lines of a log that replace each other. Lines with different systems do not, since
// a dynamic campaign shows a document to the same user again with other systems.
type submission struct {
	file                           int
	log, user, item, round, system string
}

// A document is a list of items, in a campaign or in a line of a log.
type document struct {
	file  string
	items jsonfile.Value
	info  *info
}

// all reads all files: the logs for the lines that count and the campaigns for their info, then the campaigns, then the logs.
func (r *reading) all(files []exchange.File) error {
	kinds := make([]kind, len(files))
	for i, f := range files {
		head, err := f.Head()
		if err != nil {
			return err
		}
		if kinds[i] = kindOf(head.Bytes); kinds[i] == unknown {
			return &campaign.Problem{File: f.Name, Field: "format",
				Msg: "the file is neither a campaign nor a log of Pearmut; " +
					"choose a file CAMPAIGN.json or CAMPAIGN.jsonl of its folder data, or a download of its annotations"}
		}
	}
	count := 0
	for i, f := range files {
		if err := r.open(f, func(in *jsonfile.Reader) error {
			if kinds[i] == isCampaign {
				return r.facts(in, f.Name)
			}
			return r.lines(in, f.Name, kinds[i], func(log string, v jsonfile.Value, err error) error {
				count++
				r.older += wholeBy(v)
				if s := submissionOf(i, log, v); err == nil && isReset(v) {
					r.resets[s] = count
				} else if err == nil {
					for s.system = range systemsOf(v) {
						r.latest[s] = count
					}
				}
				return nil
			})
		}); err != nil && !isProblem(err) {
			return err
		}
	}
	for i, f := range files {
		if kinds[i] == isCampaign {
			if err := r.reported(r.open(f, func(in *jsonfile.Reader) error { return r.campaign(in, f.Name) })); err != nil {
				return err
			}
		}
	}
	count = 0
	for i, f := range files {
		if kinds[i] == isCampaign {
			continue
		}
		err := r.open(f, func(in *jsonfile.Reader) error {
			return r.lines(in, f.Name, kinds[i], func(log string, v jsonfile.Value, err error) error {
				if count++; err != nil {
					r.found = true
					return r.yield(campaign.SegmentLine{File: f.Name}, err)
				}
				s := submissionOf(i, log, v)
				replaced := systemsOf(v)
				for system := range replaced {
					of := s
					of.system = system
					replaced[system] = r.latest[of] > count || r.resets[s] > count
				}
				return r.submitted(f.Name, v, r.infoOf(log), replaced)
			})
		})
		if err := r.reported(err); err != nil {
			return err
		}
	}
	if !r.found && len(files) > 0 {
		return r.yield(campaign.SegmentLine{}, &campaign.Problem{File: files[0].Name,
			Msg: "there are no items to annotate in it; check that it is the right file"})
	}
	return nil
}

func (r *reading) open(f exchange.File, do func(*jsonfile.Reader) error) error {
	return f.Read(func(in io.Reader) error { return do(jsonfile.NewReader(in, f.Name, r.opt.MaxLine)) })
}

func isProblem(err error) bool {
	_, ok := errors.AsType[*campaign.Problem](err)
	return ok
}

// reported yields a problem, and returns any other error.
func (r *reading) reported(err error) error {
	if p, ok := errors.AsType[*campaign.Problem](err); ok {
		r.found = true
		return r.yield(campaign.SegmentLine{File: p.File, Line: p.Line}, p)
	}
	return err
}

// lines calls do for each line of a log: with the name of the log, and with the line or its problem.
func (r *reading) lines(in *jsonfile.Reader, file string, k kind, do func(log string, v jsonfile.Value, err error) error) error {
	if k == isDownload {
		err := in.Members(func(log string) error {
			return in.Elements(func() error {
				v, err := in.Value()
				if err != nil {
					return err
				}
				return do(log, v, nil)
			})
		})
		if err != nil {
			return err
		}
		return in.End()
	}
	log := strings.TrimSuffix(path.Base(file), ".jsonl")
	for {
		v, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil && !isProblem(err) {
			return err
		}
		if err := do(log, v, err); err != nil {
			return err
		}
	}
}

func submissionOf(file int, log string, v jsonfile.Value) submission {
	item := v.Key("item_i")
	return submission{file: file, log: log, user: v.Key("user_id").Text, item: string(item.Kind) + item.Text, round: v.Key("round").Text}
}

// annotationOf returns the annotation of each item of a line.
func annotationOf(line jsonfile.Value) jsonfile.Value {
	if v := line.Key("annotation"); !v.IsNull() {
		return v
	}
	return line.Key("annotations")
}

// itemsOf returns the items of a line.
func itemsOf(line jsonfile.Value) jsonfile.Value {
	v := line.Key("item")
	if v.Kind == '{' {
		return v.Key("payload")
	}
	return v
}

func isReset(line jsonfile.Value) bool {
	v := annotationOf(line)
	return v.Kind == '"' && v.Text == reset
}

// systemsOf returns the keys of the systems in a line, or "" if it has none.
func systemsOf(line jsonfile.Value) map[string]bool {
	out := map[string]bool{}
	for _, item := range itemsOf(line).Elems {
		outputs, _ := outputs(document{info: noInfo}, item, "")
		for _, o := range outputs {
			out[o.key] = false
		}
	}
	if len(out) == 0 {
		out[""] = false
	}
	return out
}

// infoOf returns the info of the campaign of a log: the one with its name, or else the only one.
func (r *reading) infoOf(log string) *info {
	of := noInfo
	if i, ok := r.campaigns[log]; ok {
		of = i
	} else if len(r.campaigns) == 1 {
		for _, i := range r.campaigns {
			of = i
		}
	}
	if pair := exchange.NamedPair(log); pair != "" && pair != of.Pair {
		other := *of
		other.Pair = pair
		return &other
	}
	return of
}

// facts reads the info of a campaign.
func (r *reading) facts(in *jsonfile.Reader, file string) error {
	id, i := file, *noInfo
	i.PostEditing, i.Unknown = false, false
	err := in.Members(func(key string) error {
		if key != "info" && key != "campaign_id" {
			return in.Skip()
		}
		v, err := in.Value()
		if err != nil {
			return err
		}
		if key == "campaign_id" {
			id = v.Text
			return nil
		}
		i.read(v)
		return nil
	})
	i.Pair = exchange.NamedPair(id)
	r.campaigns[id], r.byFile[file] = &i, &i
	return err
}

func (i *info) read(v jsonfile.Value) {
	i.Protocol = v.Key("protocol").Text
	i.PostEditing = v.Key("textfield").Text == "prefilled"
	i.SourceLang, i.TargetLang = v.Key("source_lang").Text, v.Key("target_lang").Text
	if tokens := v.Key("special_tokens"); tokens.Kind == '[' {
		i.Tokens = nil
		for _, t := range tokens.Elems {
			i.Tokens = append(i.Tokens, t.Text)
		}
	}
	if sliders := v.Key("sliders"); sliders.Kind == '[' {
		i.Sliders = []string{}
		for _, s := range sliders.Elems {
			i.Sliders = append(i.Sliders, cmp.Or(s.Text, s.Key("name").Text))
		}
	}
	names := v.Key("system_names")
	for k, key := range names.Keys {
		if i.Systems == nil {
			i.Systems = map[string]string{}
		}
		i.Systems[key] = names.Elems[k].Text
	}
}

// campaign yields the segments of a campaign.
func (r *reading) campaign(in *jsonfile.Reader, file string) error {
	i := r.byFile[file]
	if len(r.campaigns) > 1 {
		r.opt.Notes.Add("{campaign|campaigns} joined into one", file, 1)
	}
	err := in.Members(func(key string) error {
		switch key {
		case "data":
			return r.documents(in, file, i, 3)
		case "data_welcome", "data_random":
			if c, err := in.Peek(); err != nil || c != '[' {
				return in.Skip()
			}
			return in.Elements(func() error {
				r.opt.Notes.Add("{document|documents} of "+key+", tutorials, forms or checks of attention, left out", file, in.Line())
				return in.Skip()
			})
		}
		return in.Skip()
	})
	if err != nil {
		return err
	}
	return in.End()
}

// documents walks through lists of lists of items, or objects of lists, to the lists of items.
func (r *reading) documents(in *jsonfile.Reader, file string, i *info, depth int) error {
	c, err := in.Peek()
	switch {
	case err != nil:
		return err
	case c == '{' && depth == 3:
		return in.Members(func(string) error { return r.documents(in, file, i, depth-1) })
	case c != '[' || depth == 0:
		return &campaign.Problem{File: file, Line: in.Line(), Field: "data",
			Msg: "must have documents, which are arrays of items with a key tgt; correct it"}
	}
	d := document{file: file, items: jsonfile.Value{Kind: '[', Line: in.Line()}, info: i}
	size := 0
	err = in.Elements(func() error {
		if c, err := in.Peek(); err == nil && c != '{' {
			return r.documents(in, file, i, depth-1)
		}
		v, err := in.Value()
		if size += in.Size(); err == nil && size > maxDocument {
			return &campaign.Problem{File: file, Line: v.Line, Field: "data",
				Msg: "the document is longer than 64 MiB, the most that is read; divide it"}
		}
		d.items.Elems = append(d.items.Elems, v)
		return err
	})
	if err != nil || len(d.items.Elems) == 0 {
		return err
	}
	return r.document(d)
}

// maxDocument is the length of the items of a document, in bytes.
const maxDocument = 64 << 20

// protocolOf implements [exchange.Format].Of.
func protocolOf(files []exchange.File, _ ingest.Options) (string, error) {
	r := &reading{campaigns: map[string]*info{}, byFile: map[string]*info{}}
	var asked *info
	for _, f := range files {
		head, err := f.Head()
		if err != nil {
			return "", err
		}
		k := kindOf(head.Bytes)
		err = r.open(f, func(in *jsonfile.Reader) error {
			if k == isCampaign {
				return r.facts(in, f.Name)
			}
			return r.lines(in, f.Name, k, func(_ string, v jsonfile.Value, err error) error {
				asked = asked.seen(v)
				return nil
			})
		})
		if err != nil && !isProblem(err) {
			return "", err
		}
	}
	for _, i := range r.campaigns {
		asked = i
	}
	if asked == nil {
		return "", nil
	}
	return asked.protocol(), nil
}

// seen returns an info that is completed from the annotations of a line.
func (i *info) seen(line jsonfile.Value) *info {
	for _, annotated := range annotationOf(line).Elems {
		if annotated.Has("score") || annotated.Has("error_spans") {
			annotated.Elems = []jsonfile.Value{annotated}
		}
		for _, v := range annotated.Elems {
			if i == nil && v.Kind == '{' {
				i = &info{}
			}
			if sliders := v.Key("sliders"); sliders.Kind == '{' && i.Sliders == nil {
				i.Sliders = append([]string{}, sliders.Keys...)
			}
			for _, s := range v.Key("error_spans").Elems {
				if s.Has("category") {
					i.Protocol = "MQM"
				}
			}
		}
	}
	return i
}

// protocol returns the id of the built-in protocol that asks for the same.
func (i *info) protocol() string {
	for _, id := range protocol.IDs() {
		p, _ := protocol.Lookup(id)
		same := !p.OfSegments() && len(p.Scores) == len(i.Sliders) && len(p.Scores) > 0
		for _, s := range p.Scores {
			same = same && sliderOf(s, i.Sliders) >= 0
		}
		if same {
			return id
		}
	}
	if strings.EqualFold(i.Protocol, "MQM") {
		return "mqm"
	}
	return "esa"
}

// sliderOf returns the index of the slider with the name of a score, or -1.
func sliderOf(s protocol.Score, sliders []string) int {
	for i, name := range sliders {
		if strings.EqualFold(name, s.Name) || strings.EqualFold(name, s.Label) {
			return i
		}
	}
	return -1
}

// roundOf returns the round of a line. Only this program writes it.
func roundOf(file string, v jsonfile.Value) (int, *campaign.Problem) {
	v = v.Key("round")
	if v.IsNull() {
		return 1, nil
	}
	n, err := strconv.Atoi(v.Text)
	if v.Kind != '0' || err != nil || n < 1 {
		return 0, v.Problem(file, "round", "must be a whole number from 1")
	}
	return n, nil
}
