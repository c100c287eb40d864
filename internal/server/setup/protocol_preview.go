package setup

import (
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/server/site"
	"annotate/web/templates/annotating"
	"annotate/web/templates/setup"
)

// previewCampaign shows the annotate page of the protocol that is chosen for a new campaign,
// with sample texts. It stores nothing: the page has the fields of the form, and leads back
// to it.
func (h *Handlers) previewCampaign(c *echo.Context) error {
	v := setup.NewCampaignView{Form: typedCampaign(c)}
	p, err := chooseProtocol(c, &v.Form)
	if err != nil {
		return h.refuseProtocol(c, v, err)
	}
	if c.FormValue("back") != "" {
		return h.showNewCampaign(c, http.StatusOK, v)
	}
	return h.Render(c, http.StatusOK, annotating.Annotate(h.protocolPage(c, p, v.Form)))
}

// protocolFile sends the file of a protocol that comes with the program, to be changed into another one.
func (h *Handlers) protocolFile(c *echo.Context) error {
	id := c.Param("protocol")
	text, ok := protocol.StartingPoint(id)
	if !ok {
		return campaign.ErrNotFound
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="my_`+id+`.json"`)
	return c.Blob(http.StatusOK, "application/json", []byte(text))
}

// protocolPage is the annotate page of a protocol with sample texts.
func (h *Handlers) protocolPage(c *echo.Context, p *protocol.Protocol, form setup.CampaignForm) annotating.AnnotateView {
	settings := campaign.DefaultSettings(p)
	rules := p.With(settings.Options(protocol.Own{}))
	source, target := samplePair(form.SourceLang, form.TargetLang)
	v := annotating.AnnotateView{
		Page: h.PageAt(c, "Preview", "campaigns"), Protocol: rules, Preview: &annotating.Preview{Fields: form.Hidden()},
		Round: 1, SegmentNumber: 1, Available: 1, IdleSeconds: settings.IdleSeconds, DocID: "sample", Place: 1, DocLength: 1,
		Source: site.Lang(source.lang), Target: site.Lang(target.lang), SourceText: source.segment, IDPrefix: "p",
	}
	if form.Protocol == setup.OwnProtocol {
		v.Preview.File = form.DefinitionFile
	}
	inDocument := settings.Context == "document"
	if inDocument {
		v.Before, v.After = []string{source.before}, []string{source.after}
	}
	texts := []string{target.segment, target.clumsy, target.wrong}
	if p.NeedsReference() {
		v.Reference = &target.clumsy
	}
	if p.OfSegments() {
		card := annotating.Card{ID: "A"}
		if p.MarksReference() {
			card.Text = target.segment
		}
		for i, text := range texts {
			card.Candidates = append(card.Candidates, annotating.Candidate{ID: campaign.CardName(i), Text: text})
		}
		v.Cards, texts = []annotating.Card{card}, nil
	}
	for i, text := range texts {
		card := annotating.Card{Index: i, ID: campaign.CardName(i), Text: text}
		if inDocument {
			card.Earlier, card.Later = &target.before, &target.after
		}
		v.Cards = append(v.Cards, card)
	}
	if p.Given != "" {
		v.Terms = sampleTerms(source)
		for i := range v.Cards {
			v.Cards[i].Spans = p.TakeGiven(protocol.Rating{}, v.Terms).Spans
		}
	}
	annotating.MarkSame(v.Cards)
	return v
}

// sampleTerms are the given terms of a preview: the first word of the source.
func sampleTerms(source sampleDocument) []protocol.ErrorSpan {
	word, _, _ := strings.Cut(source.segment, " ")
	return []protocol.ErrorSpan{
		{
			ID:      "t1",
			Side:    protocol.Source,
			End:     codepoint.Len(word),
			Text:    word,
			Answers: map[string]string{campaign.Explication: "What the term means stands here."},
		},
	}
}

// typedCampaign reads what was typed into the form of a new campaign.
func typedCampaign(c *echo.Context) setup.CampaignForm {
	return setup.CampaignForm{
		Title: site.Trimmed(c, "title"), Slug: site.Trimmed(c, "slug"), Protocol: site.Trimmed(c, "protocol"),
		SourceLang: site.Trimmed(c, "source_lang"), TargetLang: site.Trimmed(c, "target_lang"),
		Redundancy: site.Trimmed(c, "redundancy"), Quota: site.Trimmed(c, "quota"), Gate: site.Trimmed(c, "gate"),
		Threshold: site.Trimmed(c, "threshold"),
		// A browser sends each line break of a field as CRLF.
		Definition: strings.ReplaceAll(c.FormValue("definition"), "\r\n", "\n"), DefinitionFile: site.Trimmed(c, "definition_name"),
	}
}

// chooseProtocol returns the protocol that a form chooses. A file that was uploaded with the
// form is the choice, and the form then has its text. The error is a *[campaign.Problems]
// for a file that is no protocol, and a *[campaign.InvalidError] for the other fields.
func chooseProtocol(c *echo.Context, form *setup.CampaignForm) (*protocol.Protocol, error) {
	name, text, err := uploadedText(c, "definition_file", protocol.MaxFile)
	if err != nil {
		return nil, err
	}
	if name != "" {
		form.Protocol, form.Definition, form.DefinitionFile = setup.OwnProtocol, text, name
	}
	if form.Protocol != setup.OwnProtocol {
		p, ok := protocol.Lookup(form.Protocol)
		if !ok {
			return nil, campaign.Invalid("protocol", "choose one of the protocols")
		}
		return p, nil
	}
	if form.DefinitionFile == "" {
		return nil, campaign.Invalid("definition_file", "choose the file of your protocol")
	}
	p, err := readDefinition(form.DefinitionFile, form.Definition)
	if err != nil {
		form.Definition, form.DefinitionFile = "", ""
	}
	return p, err
}

// readDefinition reads the text of a protocol's file. The error is a *[campaign.Problems].
func readDefinition(file, text string) (*protocol.Protocol, error) {
	p, err := protocol.ReadOwn(strings.NewReader(text))
	if wrong, ok := errors.AsType[*protocol.ReadError](err); ok {
		problems := &campaign.Problems{Summary: "correct the file and choose it again"}
		for _, w := range wrong.Problems {
			problems.Add(&campaign.Problem{File: file, Line: w.Line, Field: w.Field, Msg: w.Msg})
		}
		return nil, problems
	}
	return p, err
}

// uploadedText returns the name and the text of an uploaded file. Both are empty if no file was
// chosen. Of a longer file it returns one byte more than most.
func uploadedText(c *echo.Context, field string, most int64) (name, text string, err error) {
	header, err := c.FormFile(field)
	switch {
	case errors.Is(err, http.ErrMissingFile), errors.Is(err, http.ErrNotMultipart):
		return "", "", nil
	case err != nil:
		return "", "", err
	case header.Filename == "":
		return "", "", nil
	}
	f, err := header.Open()
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	return filepath.Base(header.Filename), string(b), err
}

// refuseProtocol shows the form of a new campaign with what is wrong with its protocol.
func (h *Handlers) refuseProtocol(c *echo.Context, v setup.NewCampaignView, err error) error {
	if problems, ok := errors.AsType[*campaign.Problems](err); ok {
		v.Problems = problems
		v.Errors = map[string]string{"definition_file": "the file is not a protocol that can be used; correct it and choose it again"}
	} else if wrong := site.Wrong(err); wrong != nil {
		v.Errors = wrong
	} else {
		return err
	}
	return h.showNewCampaign(c, http.StatusUnprocessableEntity, v)
}
