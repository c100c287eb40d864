package appraise

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/exchange"
	"annotate/internal/exchange/jsonfile"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/spool"
	"annotate/internal/wording"
)

const (
	maxSpans = 10_000
	// Limits on names in bytes, as in the format jsonl.
	maxID     = 500
	maxSystem = 200
	// marker is the length of the mark for missing words that Appraise appends to a translation.
	marker = 12
)

func quote(s string) string { return wording.Quote(s) }

// read implements [exchange.Format].Read. Score files are read twice, since only the last row for an item
// counts.
func read(files []exchange.File, p *protocol.Protocol, opt ingest.Options) iter.Seq2[campaign.SegmentLine, error] {
	if opt.Notes == nil {
		opt.Notes = &ingest.Notes{}
	}
	return exchange.Unite(exchange.Lines(func(yield func(campaign.SegmentLine, error) error) error {
		pieces, err := spool.New()
		if err != nil {
			return err
		}
		defer pieces.Close()
		r := &reading{
			p: p, opt: opt, pairing: exchange.Pairing{Options: opt}, pieces: pieces, index: map[key][]place{}, numbers: map[numbered]int{},
			last: map[string]int{},
			in:   map[string]map[int32]int{}, latest: map[answered]latest{}, yield: yield,
		}
		return r.all(files)
	}), opt.Notes)
}

// A place is an item in the spool, and its batch.
type place struct{ piece, batch int32 }

// answered identifies rows of which only one counts.
type answered struct {
	login string
	key   key
	batch string
}

type latest struct {
	end float64
	row int
}

// A reading is the state of reading the files of a campaign.
type reading struct {
	p          *protocol.Protocol
	opt        ingest.Options
	pairing    exchange.Pairing
	pieces     *spool.Spool // the items
	batchCount int
	index      map[key][]place
	numbers    map[numbered]int
	last       map[string]int           // by document: the last number
	in         map[string]map[int32]int // by login and batch: the number of rows that are certainly of the batch
	latest     map[answered]latest
	yield      func(campaign.SegmentLine, error) error
	refused    bool
	found      bool // a segment that is not in the spool
}

func (r *reading) note(text, file string, line int) { r.opt.Notes.Add(text, file, line) }

func (r *reading) problem(p *campaign.Problem) error {
	r.refused = true
	return r.yield(campaign.SegmentLine{File: p.File, Line: p.Line}, p)
}

func (r *reading) all(files []exchange.File) error {
	kinds := make([]kind, len(files))
	for i, f := range files {
		head, err := f.Head()
		if err != nil {
			return err
		}
		if kinds[i] = kindOf(head.Bytes); kinds[i] == unknown {
			return r.problem(&campaign.Problem{File: f.Name, Field: "format",
				Msg: "the file has neither batches nor scores of Appraise; choose the JSON file of the batches and the CSV file of ExportSystemScoresToCSV"})
		}
	}
	for i, f := range files {
		var err error
		switch kinds[i] {
		case isBatches:
			err = open(f, r.opt.MaxLine, func(in *jsonfile.Reader) error { return r.batches(in, f.Name) })
		case isLines:
			err = r.lines(f)
		case isWMT:
			err = open(f, r.opt.MaxLine, func(in *jsonfile.Reader) error { return r.published(in, f.Name) })
		}
		if p, ok := errors.AsType[*campaign.Problem](err); ok {
			err = r.problem(p)
		}
		if err != nil {
			return err
		}
	}
	if r.pieces.Len() == 0 {
		if r.refused || r.found {
			return nil
		}
		return r.problem(&campaign.Problem{File: files[0].Name,
			Msg: "there are no items; a score file has no texts, so give the JSON file of its batches with it, or export the scores with ExportSystemScoresToJSONL"})
	}
	rows := 0
	each := func(do func(row) error) error {
		rows = 0
		for i, f := range files {
			err := eachRow(f, r.opt.MaxLine, kinds[i], func(x row) error {
				rows++
				return do(x)
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := each(func(x row) error { r.first(x, rows); return nil }); err != nil {
		return err
	}
	for i := range r.pieces.Len() {
		e, err := r.entry(i)
		if err != nil {
			return err
		}
		if !e.LeftOut {
			if err := r.yield(campaign.SegmentLine{File: e.File, Line: e.Line, Segment: e.Segment}, nil); err != nil {
				return err
			}
		}
	}
	return each(func(x row) error { return r.row(x, rows) })
}

func open(f exchange.File, most int, do func(*jsonfile.Reader) error) error {
	return f.Read(func(in io.Reader) error { return do(jsonfile.NewReader(in, f.Name, most)) })
}

func (r *reading) entry(i int) (e entry, err error) {
	piece, err := r.pieces.At(i)
	if err == nil {
		err = json.Unmarshal(piece, &e)
	}
	return e, err
}

// A row is a row of a score file.
type row struct {
	file    string
	line    int
	login   string
	key     key
	kind    string
	score   string
	errors  string
	start   string
	end     string
	batch   string
	problem *campaign.Problem
}

// dumpTail matches the last columns of a dump, where errors are not quoted.
var dumpTail = regexp.MustCompile(`,(True|False),([\[{].*)$`)

// eachRow calls do for each row of a file. Files without scores have no rows.
func eachRow(f exchange.File, most int, k kind, do func(row) error) error {
	switch k {
	case isScores, isDump:
		return open(f, most, func(in *jsonfile.Reader) error { return eachCSV(in, f.Name, k == isDump, do) })
	case isLines:
		return open(f, most, func(in *jsonfile.Reader) error {
			return eachLine(in, f.Name, func(_ jsonfile.Value, rows []row, _ *campaign.Problem) error {
				for _, x := range rows {
					if err := do(x); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	return nil
}

// eachCSV calls do for each row of a score file.
func eachCSV(in *jsonfile.Reader, file string, dump bool, do func(row) error) error {
	for {
		text, err := in.ReadLine()
		x := row{file: file, line: in.Line() - 1}
		var p *campaign.Problem
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &p):
			x.problem = p
		case err != nil:
			return err
		default:
			line := strings.TrimRight(string(text), "\r\n")
			if strings.TrimSpace(line) == "" || dump && strings.HasPrefix(line, dumpHeader) {
				continue
			}
			x.read(line, dump)
		}
		if err := do(x); err != nil {
			return err
		}
	}
}

func (x *row) refuse(field, msg string) {
	x.problem = &campaign.Problem{File: x.file, Line: x.line, Field: field, Msg: msg}
}

func (x *row) read(line string, dump bool) {
	if strings.ToValidUTF8(line, "") != line || strings.IndexByte(line, 0) >= 0 {
		x.refuse("", "the line is not UTF-8, or has the character U+0000; save the file as UTF-8")
		return
	}
	if dump {
		tail := dumpTail.FindStringSubmatchIndex(line)
		if tail == nil {
			x.refuse("mqm", "the row does not end with isCompleteDocument and a JSON array of errors; export the scores with ExportSystemScoresToCSV")
			return
		}
		f := strings.Split(line[:tail[0]], ",")
		if len(f) != 13 {
			x.refuse("", "a column has a comma in it, and the file does not quote; export the scores with ExportSystemScoresToCSV")
			return
		}
		x.login, x.key, x.kind, x.score, x.errors, x.start, x.end = f[2], key{f[5], f[12], f[1]}, f[10], f[6], line[tail[4]:tail[5]], f[7], f[8]
		return
	}
	if !x.columns(split(line, maxColumns+1)) {
		x.refuse("", "a row has 12 columns, 14 with batches, and fewer without documents or errors; correct the row, or export the scores again")
	}
}

// maxColumns is the greatest number of columns, with a source before the target and an index after the
// database's item.
const maxColumns = 16

// columns reads the columns of a score file. It is false if they are none. Campaigns without documents, without
// errors, with several targets for an item, and that of WMT25 have columns of their own.
func (x *row) columns(f []string) bool {
	at := typeAt(f)
	if at < 0 || len(f) < at+6 || len(f) > maxColumns {
		return false
	}
	x.login, x.key.target, x.key.item, x.kind, x.score = f[0], f[at-2], f[at-1], f[at], f[at+3]
	rest := f[at+4:]
	if len(rest) > 1 && isBool(rest[1]) {
		x.key.document, rest = rest[0], rest[2:]
	}
	if len(rest) > 0 && (strings.HasPrefix(rest[0], "[") || strings.HasPrefix(rest[0], "{")) {
		x.errors, rest = rest[0], rest[1:]
	}
	switch len(rest) {
	case 2, 4, 5:
		x.start, x.end = rest[0], rest[1]
	default:
		return false
	}
	if len(rest) > 2 {
		x.batch = rest[2]
	}
	return true
}

// first counts the rows of logins in batches, and finds the last row for each item.
func (r *reading) first(x row, n int) {
	if x.problem != nil {
		return
	}
	if places := r.index[x.key]; len(places) == 1 {
		if r.in[x.login] == nil {
			r.in[x.login] = map[int32]int{}
		}
		r.in[x.login][places[0].batch]++
	}
	end, _ := strconv.ParseFloat(x.end, 64)
	k := answered{x.login, x.key, x.batch}
	if before, twice := r.latest[k]; !twice || end > before.end {
		r.latest[k] = latest{end, n}
	}
}

// row yields the rating of a row.
func (r *reading) row(x row, n int) error {
	if x.problem != nil {
		return r.problem(x.problem)
	}
	e, found, p, err := r.find(x)
	switch {
	case err != nil:
		return err
	case p != nil:
		return r.problem(p)
	case !found:
		return nil
	case r.latest[answered{x.login, x.key, x.batch}].row != n:
		r.note("{row|rows} left out, since the login has a later row for the same item", x.file, x.line)
		return nil
	}
	rating, p := r.rating(x, e)
	if p != nil {
		return r.problem(p)
	}
	s := e.Segment
	s.Translations = slices.Clone(s.Translations)
	for i := range s.Translations {
		if x.key.target != e.Target && x.key.target != e.Targets[i] {
			continue // the export has a row for each of the systems
		}
		t := &s.Translations[i]
		mine := rating
		mine.Spans = slices.Clone(rating.Spans)
		if t.Suggested != nil {
			mine.Rating = exchange.Decided(*t.Suggested, mine.Rating)
		}
		t.Ratings = []campaign.Rating{mine}
	}
	return r.yield(campaign.SegmentLine{File: x.file, Line: x.line, Segment: s}, nil)
}

// find finds the item of a row. found is false if the item is left out.
func (r *reading) find(x row) (e entry, found bool, p *campaign.Problem, err error) {
	places := r.index[x.key]
	if len(places) == 0 {
		if strings.Contains(x.key.document, "tutorial") || checkMark.MatchString(x.key.document) || x.kind != "TGT" {
			r.note("{row|rows} of tutorials, of whole documents and of items that check annotators left out", x.file, x.line)
			return e, false, nil, nil
		}
		return e, false, &campaign.Problem{File: x.file, Line: x.line, Field: "documentID", Kind: campaign.UnknownSegment,
			Msg: "the batches have no item " + quote(x.key.item) + " of the document " + quote(x.key.document) + " by " + quote(x.key.target) +
				"; give the file of its batches, too"}, nil
	}
	best, most, tie := place{}, -1, false
	alike, err := r.alike(places)
	if err != nil {
		return e, false, nil, err
	}
	if alike && x.batch == "" {
		places = places[:1]
	}
	for _, at := range places {
		count := r.in[x.login][at.batch]
		if x.batch != "" {
			if e, err = r.entry(int(at.piece)); err != nil {
				return e, false, nil, err
			}
			if e.BatchNo == x.batch {
				count = math.MaxInt
			}
		}
		switch {
		case count > most:
			best, most, tie = at, count, false
		case count == most:
			tie = true
		}
	}
	if e, err = r.entry(int(best.piece)); err != nil {
		return e, false, nil, err
	}
	if e.LeftOut {
		r.note("{row|rows} of tutorials, of whole documents and of items that check annotators left out", x.file, x.line)
		return e, false, nil, nil
	}
	if len(places) > 1 && x.batch == "" {
		if tie {
			return e, false, &campaign.Problem{File: x.file, Line: x.line, Field: "itemID",
				Msg: "several batches have an item " + quote(x.key.item) + " of the document " + quote(x.key.document) +
					", and no other rows of the login tell which of them it is; export the scores with --batch-info"}, nil
		}
		r.note("{row|rows} for items that several batches have; {it belongs|they belong} to the batch with most rows of the login",
			x.file, x.line)
	}
	return e, true, nil, nil
}

// alike reports whether all items are the same translations of the same segment.
func (r *reading) alike(places []place) (bool, error) {
	var first entry
	for i, at := range places {
		e, err := r.entry(int(at.piece))
		switch {
		case err != nil:
			return false, err
		case i == 0:
			first = e
		case e.LeftOut != first.LeftOut || !reflect.DeepEqual(e.Segment, first.Segment):
			return false, nil
		}
	}
	return true, nil
}

// rating reads the annotation of a row.
func (r *reading) rating(x row, e entry) (out campaign.Rating, p *campaign.Problem) {
	v, p := jsonfile.Parse([]byte(cmp.Or(x.errors, "[]")), x.file, x.line)
	if p != nil {
		p.Field, p.Column = "mqm", 0
		return out, p
	}
	if v.Kind == '{' {
		v = v.Key("payload")
	}
	return r.ratingOf(x, v, e.Segment.Translations[0].Text)
}

// ratingOf makes the rating of a translation with the errors.
func (r *reading) ratingOf(x row, errors jsonfile.Value, text string) (out campaign.Rating, p *campaign.Problem) {
	refuse := func(field, msg string) (campaign.Rating, *campaign.Problem) {
		return out, &campaign.Problem{File: x.file, Line: x.line, Field: field, Msg: msg}
	}
	out.Round = 1
	var changed bool
	if out.Annotator, changed = exchange.Login(x.login); changed {
		r.opt.Notes.AddNamed("{row|rows} with {an invalid login, which is|invalid logins, which are} replaced",
			x.login+" is "+out.Annotator, x.file, x.line)
	}
	score, err := strconv.ParseFloat(x.score, 64)
	if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
		return refuse("score", quote(x.score)+" is not a number; correct it")
	}
	switch len(r.p.Scores) {
	case 0:
		if score != 0 {
			r.note("{score|scores} left out, since "+r.p.Name+" has none; ESA has one", x.file, x.line)
		}
	case 1:
		out.Scores = map[string]float64{r.p.Scores[0].Name: score}
		if wrong := r.p.CheckScores(out.Scores); len(wrong) > 0 {
			return refuse("score", wrong[0].Msg+"; a score of Appraise is from 0 to 100")
		}
	default:
		return refuse("score", "the file has one score, and "+r.p.Name+" asks for several; import it into a campaign with ESA")
	}
	start, err1 := strconv.ParseFloat(x.start, 64)
	end, err2 := strconv.ParseFloat(x.end, 64)
	if err1 != nil || err2 != nil || !(start >= 0 && start < 1e11) || !(end >= 0 && end < 1e11) {
		return refuse("end", "the start "+quote(x.start)+" and the end "+quote(x.end)+" must be seconds since 1970")
	}
	if end > 0 {
		out.SubmittedAt = time.UnixMicro(int64(math.Round(end * 1e6))).UTC()
		out.Seconds = math.Round(max(end-start, 0)*1000) / 1000
	}
	if r.p.Spans == nil {
		if len(errors.Elems) > 0 {
			r.note("{rating|ratings} whose errors are left out, since "+r.p.Name+" marks no errors", x.file, x.line)
		}
		return out, nil
	}
	if out.Spans, p = r.spans(x.file, errors, text, "mqm"); p != nil {
		p.Line = x.line
		return out, p
	}
	out.NoErrors = len(out.Spans) == 0
	return out, nil
}

// trim is the text without white space at its ends as browsers see it, and its offset in code points.
func trim(text string) (trimmed string, before int) {
	blank := func(c rune) bool { return unicode.IsSpace(c) && c != '\u0085' || c == '\ufeff' }
	left := strings.TrimLeftFunc(text, blank)
	return strings.TrimRightFunc(left, blank), codepoint.Len(text) - codepoint.Len(left)
}

// spans reads errors.
func (r *reading) spans(file string, v jsonfile.Value, text, field string) (out []protocol.ErrorSpan, p *campaign.Problem) {
	if v.IsNull() {
		return nil, nil
	}
	if v.Kind != '[' || len(v.Elems) > maxSpans {
		return nil, v.Problem(file, field, "must be an array of at most %d errors", maxSpans)
	}
	shown, before := trim(text)
	n := codepoint.UTF16Len(shown)
	for _, e := range v.Elems {
		s := protocol.ErrorSpan{Side: protocol.Target, Severity: e.Key("severity").Text}
		if s.Severity == "" {
			s.Severity = "undecided"
		}
		kind := e.Key("error_type")
		switch {
		case kind.Kind == '"' && kind.Text != "None":
			s.Category = kind.Text
		case kind.Kind == '[' && len(kind.Elems) > 0:
			s.Category = kind.Elems[0].Text
			var sub []string
			for _, x := range kind.Elems[1:] {
				sub = append(sub, x.Text)
			}
			s.Subcategory = strings.Join(sub, "/")
		}
		if e.Kind != '{' || len(s.Severity) > ingest.MaxLabel || len(s.Category)+len(s.Subcategory) > ingest.MaxLabel {
			return nil, e.Problem(file, field, "an error must be an object, with a severity and a type of at most %d bytes", ingest.MaxLabel)
		}
		first, err1 := strconv.Atoi(e.Key("start_i").Text)
		last, err2 := strconv.Atoi(e.Key("end_i").Text)
		switch missing := e.Key("start_i").Text == "missing" || e.Key("end_i").Text == "missing"; {
		case missing || err1 == nil && err2 == nil && first >= n && first <= last && last <= n+marker:
			s.Start = codepoint.Len(text)
			s.End = s.Start
		case err1 != nil || err2 != nil || first < 0 || first > last || last > n+marker || first >= n:
			return nil, e.Problem(file, field,
				"an error is from %s to %s, and the translation has %d characters; check that it is the right file of batches",
				quote(e.Key("start_i").Text), quote(e.Key("end_i").Text), n)
		default:
			if last >= n {
				r.note("{error|errors} that {reaches|reach} behind the translation, cut at its end", file, e.Line)
				last = n - 1
			}
			start, _ := codepoint.FromUTF16(shown, first)
			end, _ := codepoint.FromUTF16(shown, last)
			s.Start, s.End = before+start, before+end+1
			s.Text, _ = codepoint.Slice(text, s.Start, s.End)
		}
		out = append(out, r.p.Canonical(s))
	}
	return out, nil
}

// protocolOf implements [exchange.Format].Of: errors with types are MQM.
func protocolOf(files []exchange.File, _ ingest.Options) (string, error) {
	scored, typed, rated := false, false, false
	for _, f := range files {
		head, err := f.Head()
		if err != nil {
			return "", err
		}
		k := kindOf(head.Bytes)
		if k == isWMT {
			return "esa", nil
		}
		err = eachRow(f, 0, k, func(x row) error {
			score, _ := strconv.ParseFloat(x.score, 64)
			rated, scored = true, scored || score != 0
			typed = typed || strings.Contains(x.errors, `"error_type":[`) || strings.Contains(x.errors, `"error_type": [`)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	switch {
	case typed && !scored:
		return "mqm", nil
	case rated:
		return "esa", nil
	}
	return "", nil
}
