package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/spool"
)

// A Tree receives the files of a format one after the other. A file is complete when the
// next one is created. [archive/zip.Writer] implements Tree.
type Tree interface {
	// Create begins a file. Path elements are separated by slashes.
	Create(path string) (io.Writer, error)
}

// MTMEOptions are the options of [MTME].
type MTMEOptions struct {
	LanguagePair string // such as "zh-en"
	// Systems are the systems of the campaign. Nil stands for those of the first segment.
	Systems []string
	// Annotators are the annotators in the order of their letters. Annotators who are not
	// listed come first, in byte order.
	Annotators []string
	// SystemScores are scores of whole systems by metrics. A system without one has the mean of its scores of segments.
	SystemScores []campaign.MetricScore
	Metrics      []campaign.Metric // that are declared
}

// MTME writes a campaign under p as an mt-metrics-eval directory, in the format "mtme". The notes list names that are
// changed and what is left out, with a line for each kind. If a segment has no translation by a
// system, its line says so and its scores are None.
//
// If two systems or references would have the same name in the files, a number is
// appended to the later name. A campaign without a language pair or without segments is
// refused.
//
// Texts and errors go to a temporary file. Memory holds 8 bytes for each gold score of a
// translation, each metric score and each human score of a rating in gold. For each score that weighs
// errors a rating takes 4 bytes more, or 12 if it has errors.
func MTME(tree Tree, p *protocol.Protocol, opt MTMEOptions, segments Source) (notes []string, err error) {
	if opt.LanguagePair == "" {
		return nil, campaign.Invalid("format", "the names of mtme files begin with the language pair, which the campaign does not know yet; "+
			"name its languages in the settings of the campaign, or with annotate campaign set SLUG --source-lang en --target-lang de")
	}
	text, err := spool.New()
	if err != nil {
		return nil, err
	}
	m := mtme{p: p, pair: opt.LanguagePair, systems: slices.Sorted(slices.Values(opt.Systems)), text: text, tree: tree, order: opt.Annotators,
		references: map[string][]int32{}, imported: map[string]*campaign.ScoreMatrix{}, metrics: map[string]*campaign.ScoreMatrix{}, opt: opt}
	defer m.text.Close()
	for s, err := range segments {
		if err == nil {
			if err = m.segment(s); err != nil {
				err = fmt.Errorf("segment %q of document %q: %w", s.SegmentID, s.DocID, err)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if len(m.sources) == 0 {
		return nil, campaign.Invalid("format", "the campaign has no segments yet, and an mtme directory is made of them; import some first")
	}
	if err := m.write(); err != nil {
		return nil, err
	}
	return append(m.lost.notes(), m.notes...), nil
}

// An mtme holds a campaign in columns: for each system a value for each segment, in the
// order of import.
type mtme struct {
	p     *protocol.Protocol
	pair  string
	tree  Tree
	notes []string
	lost  losses

	order []string // annotators in the order of their letters

	text       *spool.Spool
	sources    []int32
	documents  []int32
	domains    []string           // of the segments, as in the files
	references map[string][]int32 // by name; -1 if the segment has none
	systems    []string           // in byte order
	outputs    [][]int32          // by system
	names      []string           // by system: its name in the files
	absent     [][]int32          // by system: the segments that it has no translation of, ascending

	scores   []column                         // the human scores of p
	sums     []sum                            // the derived scores of p that weigh errors
	ratings  campaign.RatingScores            // the ratings in gold; all people who rated have a number
	rated    [][]int32                        // by system and segment: the number of its first rating; see ratingsOf
	imported map[string]*campaign.ScoreMatrix // by name: imported averages
	metrics  map[string]*campaign.ScoreMatrix // by name
	opt      MTMEOptions

	documentNames documentNames
}

// A column is one human score.
type column struct {
	protocol.HumanScore
	gold    campaign.ScoreMatrix
	entered map[cell]bool // the translations whose score a lead or an adjudicator entered
}

type cell struct{ system, segment int }

// A sum is a derived score that weighs errors.
type sum struct {
	protocol.Derived
	errors []int32 // by rating in gold: the number of the text with its errors; -1 if it has none
}

func (m *mtme) segment(s campaign.Segment) error {
	ts := bySystem(s.Translations)
	if m.outputs == nil {
		if err := m.begin(ts); err != nil {
			return err
		}
	}
	ts, err := m.complete(ts)
	if err != nil {
		return err
	}
	if err := m.texts(s, ts); err != nil {
		return err
	}
	for i, t := range ts {
		if err := m.judgements(i, s, t); err != nil {
			return err
		}
	}
	return nil
}

// noTranslation is the line of a system without a translation.
const noTranslation = "[No translation supplied]"

// complete adds a line for each system without a translation.
func (m *mtme) complete(ts []campaign.Translation) ([]campaign.Translation, error) {
	if len(ts) == len(m.systems) && slices.EqualFunc(m.systems, ts, func(system string, t campaign.Translation) bool { return system == t.System }) {
		return ts, nil
	}
	out := make([]campaign.Translation, len(m.systems))
	for i, name := range m.systems {
		out[i].System = name
	}
	there := make([]bool, len(m.systems))
	for _, t := range ts {
		i, ok := slices.BinarySearch(m.systems, t.System)
		if !ok {
			return nil, fmt.Errorf("its system %q is not one of the campaign's", t.System)
		}
		out[i], there[i] = t, true
	}
	for i := range out {
		if !there[i] {
			out[i].Text = noTranslation
			m.absent[i] = append(m.absent[i], int32(len(m.sources)))
		}
	}
	return out, nil
}

// begin makes the columns. If no systems are given, it takes those of the first segment.
func (m *mtme) begin(first []campaign.Translation) error {
	if m.systems == nil {
		for _, t := range first {
			m.systems = append(m.systems, t.System)
		}
	}
	n := len(m.systems)
	m.outputs, m.rated, m.absent = make([][]int32, n), make([][]int32, n), make([][]int32, n)
	for _, h := range m.p.HumanScores() {
		m.scores = append(m.scores, column{HumanScore: h, entered: map[cell]bool{}})
	}
	for _, d := range m.p.Derived {
		if len(d.Weights) > 0 {
			m.sums = append(m.sums, sum{Derived: d})
		}
	}
	return nil
}

// texts stores the texts of a segment.
func (m *mtme) texts(s campaign.Segment, ts []campaign.Translation) error {
	keep := func(to *[]int32, text string) error {
		if strings.ContainsAny(text, lineEnds) {
			m.lost.add(lossBreaks, 1, s, "")
		}
		if !utf8.ValidString(text) {
			return fmt.Errorf("text %q is not UTF-8", text)
		}
		*to = append(*to, int32(m.text.Len()))
		return m.text.Add([]byte(oneLine(text, false)))
	}
	n := len(m.sources) // segments before this one
	if err := keep(&m.sources, s.Source); err != nil {
		return err
	}
	domain, document := word(s.Domain), m.documentNames.next(s.DocID)
	if domain == noDomain {
		domain += "_"
	}
	m.lost.add(lossDomains, count(domain != s.Domain), s, "")
	m.lost.add(lossDocumentNames, count(document != s.DocID && s.DocID != s.SegmentID), s, "")
	m.lost.add(lossLineIDs, count(s.SegmentID != strconv.Itoa(n+1)), s, "")
	m.lost.add(lossDataSources, count(s.DataSource != ""), s, "")
	m.domains = append(m.domains, cmp.Or(domain, noDomain))
	if err := keep(&m.documents, m.domains[len(m.domains)-1]+"\t"+document); err != nil {
		return err
	}
	for _, r := range s.References {
		list := m.references[r.Name]
		for len(list) < n {
			list = append(list, -1)
		}
		if err := keep(&list, r.Text); err != nil {
			return err
		}
		m.references[r.Name] = list
	}
	for i, t := range ts {
		if err := keep(&m.outputs[i], t.Text); err != nil {
			return err
		}
	}
	return nil
}

// noDomain is the domain of segments without one.
const noDomain = "none"

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// judgements stores the gold of a translation and the ratings that it is formed from.
func (m *mtme) judgements(system int, s campaign.Segment, t campaign.Translation) error {
	segment := len(m.sources) - 1
	for i := range m.scores {
		c := &m.scores[i]
		mean, entered, ok := campaign.HumanGold(m.p, c.Score, s, t)
		if ok {
			c.gold.Set(m.systems[system], segment, mean)
		}
		if entered {
			c.entered[cell{system, segment}] = true
		}
	}
	for _, h := range t.HumanScores {
		if m.imported[h.Name] == nil {
			m.imported[h.Name] = &campaign.ScoreMatrix{}
		}
		m.imported[h.Name].Set(m.systems[system], segment, h.Score)
	}
	for _, x := range t.Metrics {
		if m.metrics[x.Name] == nil {
			m.metrics[x.Name] = &campaign.ScoreMatrix{}
		}
		m.metrics[x.Name].Set(m.systems[system], segment, x.Score)
	}
	m.rated[system] = append(m.rated[system], int32(m.ratings.Len()))
	for _, r := range t.Ratings {
		m.ratings.Number(r.Annotator)
	}
	gold := byRound(campaign.GoldSource(s, t))
	if t.Adjudication != nil {
		m.lost.add(lossNotGold, len(t.Ratings), s, t.System)
		m.lost.add(lossJudged, len(gold), s, t.System)
	} else {
		m.lost.add(lossNotGold, len(t.Ratings)-len(gold), s, t.System)
	}
	for _, r := range gold {
		rater := r.Annotator
		if t.Adjudication != nil {
			rater = adjudicator + rater
		}
		m.ratings.Add(rater, humanScores(m.p, r.Rating)...)
		for i := range m.sums {
			if len(r.Spans) == 0 {
				m.sums[i].errors = append(m.sums[i].errors, -1)
				continue
			}
			line, err := errorsJSON(m.p, m.sums[i].Derived, r.Spans)
			if err != nil {
				return err
			}
			m.sums[i].errors = append(m.sums[i].errors, int32(m.text.Len()))
			if err := m.text.Add(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// adjudicator is put before the login of an adjudicator, so that a person's adjudications
// and annotations belong to different raters. No login begins with it, and it sorts after
// all logins.
const adjudicator = "\xff"

var noErrors = []byte(`{"errors":[]}`)

// errorsJSON returns a rating as in a line of a .seg.rating file. Categories and
// severities are in lower case, as in the WMT data.
func errorsJSON(p *protocol.Protocol, d protocol.Derived, spans []protocol.ErrorSpan) ([]byte, error) {
	o := newObject(nil)
	o.key("errors")
	o.objects(len(spans), func(i int) {
		s := spans[i]
		o.number("start", float64(s.Start))
		o.number("end", float64(s.End))
		o.optional("category", strings.ToLower(wmtCategory(p, s)))
		o.text("severity", strings.ToLower(s.Severity))
		cost, _ := d.Value(protocol.Rating{Spans: spans[i : i+1]}) // a sum is always defined
		o.number("score", cost)
		o.bool("is_source_error", s.Side == protocol.Source)
	})
	o.end()
	return o.buf, o.err
}
