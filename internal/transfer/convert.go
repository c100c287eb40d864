package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/export"
	"annotate/internal/format"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/spool"
	"annotate/internal/wording"
)

// A Conversion says what to convert to another format, without a database.
type Conversion struct {
	From         string // one of [Convertible]; empty: that which the files show
	To           string // one of [Written]
	LanguagePair string // selects the segments of a pair; empty: the files have one
	Protocol     string // the id of the protocol of the ratings; empty: that which the files show, or else MQM
	Name         string // of the campaign in files that name it
	Files        []File
	LeaveOut     []string // as in [Request]
}

// Convertible lists the formats that bring segments, and so can be converted.
func Convertible() []string {
	return format.IDs(slices.DeleteFunc(format.Inputs(nil), func(f format.Format) bool { return !f.Input.Segments }))
}

// Written lists the formats that a conversion can write.
func Written() []string {
	return format.IDs(slices.DeleteFunc(format.Outputs(nil), func(f format.Format) bool { return writerOf(f.ID) == nil }))
}

// A Converted is what the files of a conversion hold, in a temporary file. It takes memory for ids and names only.
type Converted struct {
	Notes    []string // what the reader left out or decided
	From     string   // the format
	Protocol *protocol.Protocol

	segments    *spool.Spool
	content     content
	systems     map[string]bool
	annotators  map[string]bool
	marks       map[mark]bool // errors with ids, where the protocol has links: whether their ratings are settled
	suggestions bool
	ofSystems   []campaign.MetricScore
}

// A mark names an error that others may be linked to, which are by the same annotator on the same system, document and round.
type mark struct {
	doc, system, annotator string
	round                  int
	id                     string
}

// LanguagePair is the language pair of the segments, or empty if the files do not name it.
func (c *Converted) LanguagePair() string { return c.content.campaign.LanguagePair() }

// Close removes the temporary file.
func (c *Converted) Close() { c.segments.Close() }

// ReadToConvert reads the files of a conversion. The error is as that of [Import].
func ReadToConvert(conv Conversion) (*Converted, error) {
	req := Request{Format: conv.From, Files: conv.Files, LanguagePair: conv.LanguagePair, LeaveOut: conv.LeaveOut}
	in, err := req.open()
	if err != nil {
		return nil, err
	}
	defer in.close()
	if format.Lookup(req.Format).Input == nil {
		return nil, campaign.Invalid("format",
			fmt.Sprintf("there is no format %q to convert from; use %s", req.Format, strings.Join(Convertible(), ", ")))
	}
	if !slices.Contains(Convertible(), req.Format) {
		return nil, campaign.Invalid(
			"format",
			fmt.Sprintf(
				"files in the format %s are about segments that a campaign has, and hold no texts; convert from %s", req.Format,
				strings.Join(Convertible(), ", "),
			),
		)
	}
	p, err := protocolOf(conv.Protocol, req)
	if err != nil {
		return nil, err
	}
	about := format.Lookup(req.Format).Input
	if !about.Fit.OK(p) {
		return nil, campaign.Invalid("protocol", fmt.Sprintf(about.Fit.Why, p.Name, strings.Join(about.Fit.Protocols(), " or ")))
	}
	pieces, err := spool.New()
	if err != nil {
		return nil, err
	}
	out := &Converted{From: req.Format, Protocol: p, segments: pieces, systems: map[string]bool{},
		annotators: map[string]bool{}, marks: map[mark]bool{}}
	if err := out.read(conv, req); err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// protocolOf returns the protocol of the files of a request.
func protocolOf(id string, req Request) (*protocol.Protocol, error) {
	if f := exchangedFormat(req.Format); id == "" && f != nil && f.Of != nil {
		known, err := languages(campaign.Campaign{}, req.LanguagePair)
		if err != nil {
			return nil, err
		}
		if id, err = f.Of(req.again, known); err != nil {
			return nil, err
		}
	}
	if id == "" {
		id = "mqm"
		if fitting := format.Lookup(req.Format).Input.Fit.Protocols(); !slices.Contains(fitting, id) && len(fitting) > 0 {
			id = fitting[0]
		}
		if req.Format == format.MENT {
			id = "sqm"
		}
	}
	p, ok := protocol.Lookup(id)
	if !ok {
		return nil, campaign.Invalid("protocol", fmt.Sprintf("there is no protocol %q; use %s", id, strings.Join(protocol.IDs(), ", ")))
	}
	return p, nil
}

// read keeps the segments of the files. All problems are one error.
func (c *Converted) read(conv Conversion, req Request) error {
	of := campaign.Campaign{Slug: conv.Name, Rules: c.Protocol}
	var notes ingest.Notes
	known, err := languages(of, conv.LanguagePair)
	if err != nil {
		return err
	}
	of.SourceLang, of.TargetLang = known.SourceLang, known.TargetLang
	known.Notes, known.LeaveOutContradictions = &notes, slices.Contains(req.LeaveOut, Contradictions)
	lines := segmentsOf(req, known)
	switch f := exchangedFormat(req.Format); {
	case f != nil:
		known.File = req.names()
		lines = f.Read(req.again, c.Protocol, known)
		if f.SystemScores != nil {
			quiet := known
			quiet.Notes = nil
			for line, err := range f.SystemScores(req.again, quiet) {
				if err == nil { // Read tells what is wrong
					c.ofSystems = append(c.ofSystems, line)
				}
			}
		}
	case req.Format == format.MQM:
		lines = eachFile(req, func(f File) iter.Seq2[campaign.SegmentLine, error] {
			known.File = f.Name
			return ingest.MQM(f.Reader, c.Protocol, known, &notes)
		})
	}
	var problems campaign.Problems
	met := map[[2]string]string{}
	for line, err := range lines {
		if p, ok := errors.AsType[*campaign.Problem](err); ok {
			problems.Add(p)
			continue
		}
		if err != nil {
			return err
		}
		ids := [2]string{line.Segment.DocID, line.Segment.SegmentID}
		at := fmt.Sprintf("%s:%d", line.File, line.Line)
		if first, twice := met[ids]; twice {
			problems.Add(
				&campaign.Problem{
					File:  line.File,
					Line:  line.Line,
					Field: "segment_id",
					Msg: fmt.Sprintf(
						"segment %q of document %q is there twice, first at %s; convert the files one by one, or give it another id", ids[1], ids[0],
						first,
					),
				},
			)
			continue
		}
		met[ids] = at
		if err := c.keep(line.Segment, &of); err != nil {
			return err
		}
	}
	if problems.Count() > 0 {
		problems.Summary = summary(&problems)
		return &problems
	}
	for _, n := range notes.List {
		c.Notes = append(c.Notes, n.String())
	}
	systems, annotators := slices.Sorted(maps.Keys(c.systems)), slices.Sorted(maps.Keys(c.annotators))
	c.content = content{
		campaign:   of,
		segments:   func(records.Parts) export.Source { return c.each(systems) },
		systems:    func() ([]string, error) { return systems, nil },
		annotators: func() ([]string, error) { return annotators, nil },
		rated:      func() (bool, error) { return len(annotators) > 0, nil },
		suggested:  func() (bool, error) { return c.suggestions, nil },
		metrics:    func() ([]campaign.MetricScore, []campaign.Metric, error) { return c.ofSystems, nil, nil },
	}
	return nil
}

// keep keeps a segment. One with ratings is complete, and its ratings are gold.
func (c *Converted) keep(s campaign.Segment, of *campaign.Campaign) error {
	s.Status, s.Round = campaign.Pending, 1
	for _, t := range s.Translations {
		c.systems[t.System] = true
		c.suggestions = c.suggestions || t.Suggested != nil
		for _, r := range t.Ratings {
			c.annotators[r.Annotator] = true
			s.Status, s.Round = campaign.Ungated, max(s.Round, r.Round)
		}
		if t.Adjudication != nil {
			c.annotators[t.Adjudication.Annotator] = true
			s.Status = campaign.Adjudicated
		}
	}
	if c.Protocol.Spans != nil && c.Protocol.Spans.Links {
		for _, t := range s.Translations {
			for r, settled := range ratingsOf(s, t) {
				for _, span := range r.Spans {
					if span.ID != "" {
						at := mark{s.DocID, t.System, r.Annotator, r.Round, span.ID}
						c.marks[at] = settled || c.marks[at]
					}
				}
			}
		}
	}
	if of.SourceLang == "" {
		of.SourceLang, of.TargetLang = s.SourceLang, s.TargetLang
	}
	piece, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return c.segments.Add(piece)
}

// each yields the segments, with the systems that each lacks.
func (c *Converted) each(systems []string) export.Source {
	return func(yield func(campaign.Segment, error) bool) {
		for i := range c.segments.Len() {
			var s campaign.Segment
			piece, err := c.segments.At(i)
			if err == nil {
				err = json.Unmarshal(piece, &s)
			}
			if err == nil {
				s.Absent = without(systems, s.Translations)
				for k, t := range s.Translations {
					for r := range ratingsOf(s, t) {
						r.Partners = c.partners(s.DocID, t.System, r)
					}
					if gold, entered, ok := campaign.HumanGold(c.Protocol, c.Protocol.Gate, s, t); ok {
						s.Translations[k].Gold = &campaign.Gold{Score: gold, Entered: entered}
					}
				}
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// ratingsOf yields the ratings of a translation and its adjudication, and whether each is settled, see [campaign.Partner].
func ratingsOf(s campaign.Segment, t campaign.Translation) iter.Seq2[*campaign.Rating, bool] {
	return func(yield func(*campaign.Rating, bool) bool) {
		last := campaign.CompleteRound(s)
		for i := range t.Ratings {
			if !yield(&t.Ratings[i], t.Adjudication == nil && t.Ratings[i].Round == last) {
				return
			}
		}
		if t.Adjudication != nil {
			yield(t.Adjudication, true)
		}
	}
}

// partners returns the errors in other segments that those of a rating are linked to.
func (c *Converted) partners(doc, system string, r *campaign.Rating) map[string]campaign.Partner {
	out := map[string]campaign.Partner{}
	for _, link := range r.LinksElsewhere() {
		if settled, known := c.marks[mark{doc, system, r.Annotator, r.Round, link}]; known {
			out[link] = campaign.Partner{Settled: settled}
		}
	}
	return out
}

// without returns the systems that have none of some translations.
func without(systems []string, translations []campaign.Translation) (out []string) {
	for _, name := range systems {
		if !slices.ContainsFunc(translations, func(t campaign.Translation) bool { return t.System == name }) {
			out = append(out, name)
		}
	}
	return out
}

// Write writes what was read in the format to. The notes say what the format leaves out.
func (c *Converted) Write(w io.Writer, to string, sel Selection) (systems []byte, notes []string, err error) {
	write, err := c.writer(to)
	if err != nil {
		return nil, nil, err
	}
	from, lost := c.content, func() []string { return nil }
	if carries, ok := plainCarries[to]; ok {
		var counted export.Source
		counted, lost = exchange.Losses(from.segments(records.Everything), carries)
		from.segments = func(records.Parts) export.Source { return counted }
	}
	systems, notes, err = sel.written(from, to, func(c content) ([]byte, []string, error) { return write(w, c) })
	if n := len(c.ofSystems); n > 0 && to != format.MTME {
		notes = append(
			notes,
			wording.Counted(
				n, "metric score of a system is", "metric scores of systems are",
			)+" left out: the format has no place for "+wording.Choose(n, "it", "them"),
		)
	}
	return systems, append(lost(), notes...), err
}

// ofRatings are the parts that a list of ratings carries.
var ofRatings = []exchange.Part{
	exchange.Documents, exchange.Ratings, exchange.Scores, exchange.SeveralScores, exchange.Errors, exchange.SourceErrors, exchange.Categories,
	exchange.Comments, exchange.ErrorComments, exchange.Links, exchange.Outcomes, exchange.Rounds, exchange.Adjudications, exchange.Times, exchange.Seconds,
}

// plainCarries has the parts that the formats of package export carry, or whose losses their writers tell themselves.
var plainCarries = map[string][]exchange.Part{
	format.JSONL:       {exchange.Documents, exchange.Domains, exchange.Reference, exchange.References, exchange.Contexts},
	format.Suggestions: {exchange.Documents, exchange.Suggestions},
	format.Ratings:     ofRatings,
	format.Answers:     {exchange.Documents, exchange.Domains, exchange.Rounds, exchange.Adjudications, exchange.Times},
	format.CSV:         append([]exchange.Part{exchange.Domains}, ofRatings...),
	format.ExactCSV:    append([]exchange.Part{exchange.Domains}, ofRatings...),
	format.RATE:        slices.DeleteFunc(append([]exchange.Part{exchange.Domains}, ofRatings...), isTime),
	format.MQM:         slices.DeleteFunc(slices.Clone(ofRatings), isTime),
}

// isTime reports whether a part is the time of a rating or what became of its suggestions.
func isTime(p exchange.Part) bool {
	return p == exchange.Times || p == exchange.Seconds || p == exchange.Outcomes
}

// WriteTree writes the files of "mtme".
func (c *Converted) WriteTree(tree export.Tree, sel Selection) (systems []byte, notes []string, err error) {
	if _, err := c.writer(format.MTME); err != nil {
		return nil, nil, err
	}
	return sel.written(c.content, format.MTME, func(c content) ([]byte, []string, error) {
		notes, err := writeTree(tree, c)
		return nil, notes, err
	})
}

// writer returns the writer of a format that fits what was read.
func (c *Converted) writer(to string) (writer, error) {
	output := format.Lookup(to).Output
	if output == nil || writerOf(to) == nil {
		return nil, campaign.Invalid("format",
			fmt.Sprintf("nothing can be converted to the format %q; use %s", to, strings.Join(Written(), ", ")))
	}
	if !output.Fit.OK(c.Protocol) {
		return nil, campaign.Invalid("format", fmt.Sprintf("the protocol of these files is %s; %s", c.Protocol.Name, output.Fit.Why))
	}
	if to == format.MTME && c.LanguagePair() == "" {
		return nil, campaign.Invalid(
			"language pair", "the names of mtme files begin with the language pair, which the files do not say; name it with --language-pair en-de",
		)
	}
	return writerOf(to), nil
}
