package appraise

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/exchange"
	"annotate/internal/exchange/jsonfile"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// The size of a batch, which Appraise expects, and of a document, of which a system's translations are together.
const (
	batchSize   = 100
	maxDocument = 1000
)

// maxDocumentID is the length of a documentID in the database of Appraise, in characters.
const maxDocumentID = 100

// duplicate ends the documentID of a repeated item.
const duplicate = "#duplicate1"

// item is an item of a batch.
type item struct {
	Errors     []span  `json:"mqm"`
	DocumentID string  `json:"documentID"`
	SourceID   string  `json:"sourceID"`
	TargetID   string  `json:"targetID"`
	SourceText string  `json:"sourceText"`
	TargetText string  `json:"targetText"`
	Type       string  `json:"itemType"`
	ItemID     int     `json:"itemID"`
	Payload    string  `json:"_item"`
	Complete   bool    `json:"isCompleteDocument"`
	System     string  `json:"system"`
	DocID      string  `json:"doc_id"`
	SegmentID  string  `json:"segment_id"`
	Domain     string  `json:"domain,omitempty"`
	DataSource string  `json:"data_source,omitempty"`
	Context    string  `json:"context,omitempty"`
	Note       string  `json:"note,omitempty"`
	Reference  *string `json:"reference,omitempty"`
	Duplicate  bool    `json:"duplicate,omitempty"`
}

// span is an error. Offsets are numbers, or "missing".
type span struct {
	First    any    `json:"start_i"`
	Last     any    `json:"end_i"`
	Severity string `json:"severity"`
	Type     any    `json:"error_type"`
}

// writing is the state of writing a campaign.
type writing struct {
	c                      exchange.Content
	id                     string
	source, target         string // languages
	batches                int
	blanks, empty, bare    int
	older, fresh           int
	absent, emptySuggested int
	origins, renamed       int
	shortened, behind      int
}

// write implements [exchange.Format].Write.
func write(w io.Writer, c exchange.Content) ([]string, error) {
	if p := c.Protocol; len(p.Scores) > 1 || len(p.Scores) == 1 && (p.Scores[0].Min != 0 || p.Scores[0].Max != 100) {
		return nil, errors.New("appraise has one score from 0 to 100, or marks alone; export ratings, csv or pearmut")
	}
	out := &writing{c: c, id: cmp.Or(c.ID, "campaign"), source: longTag(c.SourceLang), target: longTag(c.TargetLang)}
	err := exchange.WriteArchive(w,
		[]exchange.ArchiveFile{{Name: "batches.json", Write: out.writeBatches}, {Name: "scores.csv", Write: out.writeScores},
			{Name: "manifest.json", Write: out.writeManifest}})
	return out.notes(), err
}

// longTag turns "en" into "eng".
func longTag(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return "und"
	}
	b, _ := t.Base()
	return b.ISO3()
}

func (out *writing) notes() (notes []string) {
	for _, n := range []struct {
		count     int
		one, many string
	}{
		{out.empty, `mark without words is "missing", which has no place in the text`, `marks without words are "missing", which have no place in the text`},
		{out.blanks, "mark lies in white space at an end of a translation, which Appraise removes, and is cut or left out",
			"marks lie in white space at an end of a translation, which Appraise removes, and are cut or left out"},
		{out.bare, "rating loses all its errors, and looks like a rating without errors",
			"ratings lose all their errors, and look like ratings without errors"},
		{out.older, "rating is left out, since the annotator has one of a later round",
			"ratings are left out, since the annotators have ones of later rounds"},
		{out.absent, "rating lacks the score, and is left out", "ratings lack the score, and are left out"},
		{out.emptySuggested, "translation loses that no errors were suggested for it",
			"translations lose that no errors were suggested for them"},
		{out.origins, "suggestion loses its origin, or an error of it its comment: the format has no place for it",
			"suggestions lose their origins, or errors of them their comments: the format has no place for them"},
		{out.renamed, `name of a system has "+" or "%" in targetID as %2B and %25, since "+" joins systems there; the key system has the name`,
			`names of systems have "+" or "%" in targetID as %2B and %25, since "+" joins systems there; the key system has the names`},
		{out.shortened, "item has a shorter documentID than its document and system, since Appraise takes 100 characters; the keys doc_id and system have them",
			"items have shorter documentIDs than their documents and systems, since Appraise takes 100 characters; the keys doc_id and system have them"},
		{out.behind, "mark stands behind a line break, which is counted here, and not in later versions of Appraise",
			"marks stand behind line breaks, which are counted here, and not in later versions of Appraise"},
		{out.fresh, "item repeats another one to fill the last batch; it is marked #duplicate",
			"items repeat others to fill the last batch; they are marked #duplicate"},
	} {
		if n.count > 0 {
			notes = append(notes, wording.Counted(n.count, n.one, n.many))
		}
	}
	return notes
}

// placed is a translation with the place of its item.
type placed struct {
	segment     campaign.Segment
	translation campaign.Translation
	batch, item int // from 1
	begun       int // the batch of the first item of the document by the system
}

// placed yields the translations in the order of the items: by document, then by system.
func (out *writing) placed() iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		n := 0
		var doc []campaign.Segment
		flush := func() bool {
			for _, system := range out.c.Systems {
				begun := n/batchSize + 1
				for _, s := range doc {
					for _, t := range s.Translations {
						if t.System != system {
							continue
						}
						if !yield(placed{s, t, n/batchSize + 1, n%batchSize + 1, begun}, nil) {
							return false
						}
						n++
					}
				}
			}
			doc = nil
			return true
		}
		for s, err := range out.c.Segments {
			if err != nil {
				yield(placed{}, err)
				return
			}
			if len(doc) > 0 && (doc[0].DocID != s.DocID || len(doc) == maxDocument) && !flush() {
				return
			}
			doc = append(doc, s)
		}
		flush()
	}
}

func (out *writing) targetID(system string) string {
	return out.id + "." + strings.NewReplacer("%", "%25", "+", "%2B").Replace(system)
}

// documentID names the document and the system of an item, and the batch if the document begins in an earlier
// one. So a row of a score file identifies its item even without batchNo. If the id is too long for Appraise,
// its end becomes a hash of the whole.
func (p placed) documentID() (id string, shortened bool) {
	id = p.segment.DocID + "#" + p.translation.System
	if p.batch > p.begun {
		id += fmt.Sprintf("~%d", p.batch)
	}
	most := maxDocumentID - len(duplicate)
	if codepoint.Len(id) <= most {
		return id, false
	}
	end := fmt.Sprintf("~%x", sha256.Sum256([]byte(id)))[:17]
	begin, _ := codepoint.Slice(id, 0, most-len(end))
	return begin + end, true
}

// item makes the item of a translation.
func (out *writing) item(p placed) item {
	s, t := p.segment, p.translation
	id, shortened := p.documentID()
	if shortened {
		out.shortened++
	}
	i := item{
		Errors: []span{}, DocumentID: id, SourceID: out.id, TargetID: out.targetID(t.System), SourceText: s.Source,
		TargetText: t.Text, Type: "TGT",
		ItemID: p.item, Payload: t.System + " | " + s.SegmentID + " | " + s.DocID, System: t.System, DocID: s.DocID, SegmentID: s.SegmentID,
		Domain: s.Domain, DataSource: s.DataSource, Context: s.Context, Note: s.Note,
	}
	for _, r := range s.References {
		if i.Reference == nil || r.Name == campaign.MainReference {
			i.Reference = &r.Text
		}
	}
	if t.Suggested != nil {
		i.Errors = out.spans(t.Text, t.Suggested.Spans)
		if len(i.Errors) == 0 {
			out.emptySuggested++
		}
		for _, s := range t.Suggested.Spans {
			if s.Comment != "" {
				out.origins++
			}
		}
		if t.Suggested.Origin != "" {
			out.origins++
		}
	}
	return i
}

// spans converts the errors in a translation.
func (out *writing) spans(text string, spans []protocol.ErrorSpan) []span {
	shown, before := trim(text)
	n := codepoint.Len(shown)
	made := []span{}
	for _, s := range spans {
		if s.Side == protocol.Source {
			continue // [exchange.Format].Carries lacks it
		}
		to := span{"missing", "missing", s.Severity, nil}
		if s.Category != "" {
			kind := []string{s.Category}
			if s.Subcategory != "" {
				kind = append(kind, s.Subcategory)
			}
			to.Type = kind
		}
		if s.Start == s.End {
			if s.End < codepoint.Len(text) || s.Category == "" && s.Subcategory != "" {
				out.empty++
			}
			made = append(made, to)
			continue
		}
		start, end := max(s.Start-before, 0), min(s.End-before, n)
		if start != s.Start-before || end != s.End-before {
			out.blanks++
		}
		if start >= end {
			continue
		}
		if before, _ := codepoint.Slice(shown, 0, end); strings.Contains(before, "\n") {
			out.behind++
		}
		first, _ := codepoint.ToUTF16(shown, start)
		last, _ := codepoint.ToUTF16(shown, end)
		to.First, to.Last = first, last-1
		made = append(made, to)
	}
	return made
}

// writeBatches writes the batches.
func (out *writing) writeBatches(w io.Writer) error {
	var batch []item
	write := func() error {
		task := map[string]any{"batchNo": out.batches + 1, "randomSeed": 0, "requiredAnnotations": 1, "sourceLanguage": out.source,
			"targetLanguage": out.target}
		if out.c.SourceLang != "" && out.c.TargetLang != "" {
			task["source_lang"], task["target_lang"] = out.c.SourceLang, out.c.TargetLang
		}
		b, err := jsonfile.Encode(map[string]any{"items": batch, "task": task})
		if err != nil {
			return err
		}
		before := ",\n"
		if out.batches == 0 {
			before = "[\n"
		}
		out.batches++
		batch = nil
		_, err = w.Write(append([]byte(before), b...))
		return err
	}
	for p, err := range out.placed() {
		if err != nil {
			return err
		}
		batch = append(batch, out.item(p))
		if len(batch) == batchSize {
			if err := write(); err != nil {
				return err
			}
		}
	}
	for n := len(batch); n > 0 && len(batch) < batchSize; {
		again := batch[len(batch)-n]
		again.ItemID, again.Duplicate = len(batch)+1, true
		again.DocumentID = strings.TrimSuffix(again.DocumentID, duplicate) + duplicate
		batch = append(batch, again)
		out.fresh++
	}
	if len(batch) > 0 {
		if err := write(); err != nil {
			return err
		}
	}
	if out.batches == 0 {
		return errors.New("the campaign has no translations; import some first")
	}
	for _, s := range out.c.Systems {
		if strings.ContainsAny(s, "+%") {
			out.renamed++
		}
	}
	_, err := io.WriteString(w, "\n]\n")
	return err
}

// writeScores writes the ratings.
func (out *writing) writeScores(w io.Writer) error {
	table := csv.NewWriter(w)
	for p, err := range out.placed() {
		if err != nil {
			return err
		}
		document, _ := p.documentID()
		last := map[string]int{}
		for _, r := range p.translation.Ratings {
			last[r.Annotator] = max(last[r.Annotator], r.Round)
		}
		for _, r := range p.translation.Ratings {
			if r.Round < last[r.Annotator] {
				out.older++
				continue
			}
			score := "0"
			if len(out.c.Protocol.Scores) == 1 {
				x, ok := r.Scores[out.c.Protocol.Scores[0].Name]
				if !ok {
					out.absent++
					continue
				}
				score = strconv.FormatFloat(x, 'f', -1, 64)
			}
			errors := out.spans(p.translation.Text, r.Spans)
			if len(errors) == 0 && len(r.Spans) > 0 {
				out.bare++
			}
			marks, err := jsonfile.Encode(errors)
			if err != nil {
				return err
			}
			start, end := "0.0", "0.0"
			if !r.SubmittedAt.IsZero() {
				at := float64(r.SubmittedAt.UnixMicro()) / 1e6
				start, end = strconv.FormatFloat(at-r.Seconds, 'f', 6, 64), strconv.FormatFloat(at, 'f', 6, 64)
			}
			row := []string{
				r.Annotator, out.targetID(p.translation.System), fmt.Sprint(p.item), "TGT", out.source, out.target, score,
				document, "False", string(marks), start, end, fmt.Sprint(p.batch), fmt.Sprint((p.batch-1)*batchSize + p.item),
			}
			if err := table.Write(row); err != nil {
				return err
			}
		}
	}
	table.Flush()
	return table.Error()
}

// writeManifest writes how the campaign is set up.
func (out *writing) writeManifest(w io.Writer) error {
	options := "ESA"
	switch p := out.c.Protocol; {
	case p.Spans == nil:
		options = ""
	case len(p.Scores) == 0:
		options = "MQM"
	}
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z') {
			return r
		}
		return '_'
	}, out.id)
	b, err := json.MarshalIndent(map[string]any{
		"CAMPAIGN_URL": "http://127.0.0.1:8000/dashboard/sso/", "CAMPAIGN_NAME": name, "CAMPAIGN_KEY": name, "CAMPAIGN_NO": 1, "REDUNDANCY": 1,
		"TASKS_TO_ANNOTATORS": [][]any{{out.source, out.target, "uniform", out.batches, out.batches}}, "TASK_TYPE": "Document",
		"TASK_OPTIONS": options,
	}, "", "    ")
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}
