package annotating

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/qualification"
	"annotate/internal/server/site"
	"annotate/internal/wire"
	"annotate/internal/work"
	"annotate/web/templates/annotating"
)

// annotate shows an assignment of the user's. Nothing on the page names a
// system; cards have ids that hold in this assignment alone.
func (h *Handlers) annotate(c *echo.Context) error {
	var v annotating.AnnotateView
	var w work.Work
	var turn qualification.TrainingTurn
	err := h.View(c, func() (err error) {
		if turn, err = h.trainingTurn(c); err != nil || turn.ResultID != "" {
			return err
		}
		if w, err = h.work.LoadWork(c.Request().Context(), site.Here(c).Work, c.Param("assignment"), site.Me(c).ID); err != nil {
			return err
		}
		v, err = h.annotateView(c, w, turn)
		return err
	})
	if err != nil {
		return err
	}
	if turn.ResultID != "" {
		return site.Redirect(c, site.ResultPath(site.Here(c), turn.ResultID))
	}
	if err := h.sawThread(c, w); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, annotating.Annotate(v))
}

// annotateView reads what the page of an assignment shows beside w. turn is that of a training segment.
func (h *Handlers) annotateView(c *echo.Context, w work.Work, turn qualification.TrainingTurn) (v annotating.AnnotateView, err error) {
	m, ctx := site.Here(c), c.Request().Context()
	adjudicates := w.Assignment.State.Adjudicates()
	var progress desk.MyProgress
	if !adjudicates {
		if progress, err = h.desk.MyProgress(ctx, m.Campaign, site.Me(c).ID); err != nil {
			return v, err
		}
	}
	keys, err := h.accounts.Keys(ctx, site.Me(c).ID, m.Campaign.Rules.ID)
	if err != nil {
		return v, err
	}
	path := site.AssignmentPath(m, w.Assignment.ID)
	v = annotating.AnnotateView{
		Page: h.PageAt(
			c, "Annotate", "annotate",
		), Protocol: m.Campaign.Rules, Guide: renderedGuide(m.Campaign), AssignmentID: w.Assignment.ID, Round: w.Assignment.Round,
		SecondLook: w.Assignment.Round > 1 &&
			w.RatedBefore, Submitted: w.Assignment.State == campaign.Submitted, Changed: w.Changed, ReadOnly: readOnly(m.Campaign, w), Looked: w.LookReason,
		SegmentNumber: progress.Done + 1, Done: progress.Done, Available: progress.Available + progress.Begun + progress.Joining,
		RatingsToday: progress.Today, Quota: m.Campaign.Settings.Quota, IdleSeconds: m.Campaign.Settings.IdleSeconds,
		UndoSeconds: m.Campaign.Settings.UndoSeconds,
		DocID:       w.DocID, Place: w.InDocument, DocLength: w.DocumentLen,
		Source: site.Lang(m.Campaign.SourceLang), Target: site.Lang(m.Campaign.TargetLang), SourceText: w.Source,
		Before: sources(
			w.Before,
		), After: sources(w.After), Context: w.Context, Note: w.Note, Stage: w.Stage, Reference: w.Reference, Terms: w.Terms, Thread: w.Thread,
		BackURL: "/work", CardsURL: path + "/cards/", SubmitURL: path + "/submit", SkipURL: path + "/skip",
		TakeBackURL: path + "/take-back", DocumentURL: path + "/document", ProblemURL: path + "/problem", ThreadURL: path + "/thread",
		Keys: keys, KeysURL: "/account/keys", IDPrefix: rand.Text()[:8] + "-",
	}
	if adjudicates {
		v.Adjudicates, v.BackURL = true, adjudicatePath(m)
	}
	if v.Submitted {
		v.BackURL = "/campaigns/" + m.Campaign.Slug + "/finished"
	}
	if v.Submitted || w.RatedBefore {
		if v.SegmentNumber, err = h.desk.FinishedPlace(c.Request().Context(), m.Campaign.ID, site.Me(c).ID, w.Assignment.ID); err != nil {
			return v, err
		}
	}
	if w.Previous != "" {
		v.PreviousURL = site.AssignmentPath(m, w.Previous)
	}
	if w.Next != "" {
		v.NextURL = site.AssignmentPath(m, w.Next)
	}
	if w.Replaced != nil {
		v.Replaced = &annotating.Replaced{Text: w.Replaced.Text, Rating: w.Replaced.Rating}
	}
	v.SourceWas, v.Skipped = w.SourceWas, w.Skipped
	before, after := w.Before, w.After
	if m.Campaign.Rules.OfSegments() { // whose cards have no translations before and after them
		before, after = nil, nil
	}
	for i, card := range w.Cards {
		v.Cards = append(v.Cards, annotating.Card{
			Earlier: neighbour(before, len(before)-1, i), Later: neighbour(after, 0, i),
			Index: i, ID: card.ID, Text: card.Text, Scores: card.Rating.Scores, Spans: card.Rating.Spans, NoErrors: card.Rating.NoErrors,
			Comment: card.Rating.Comment, Seconds: card.Seconds, Revision: card.Revision,
			Answers: card.Rating.Answers, Candidates: candidates(card), Suggestions: card.Suggestions,
			Rejected: rejected(card.Rating), Peers: card.Peers,
		})
	}
	annotating.MarkSame(v.Cards)
	if !adjudicates && !m.Campaign.Archived {
		if v.Announcements, err = h.work.CurrentAnnouncements(ctx, m.Campaign.ID, site.Me(c).ID); err != nil {
			return v, err
		}
	}
	if !adjudicates && v.ReadOnly == "" {
		if opens, err := h.work.GuideOpens(ctx, m.Campaign.ID, site.Me(c).ID); err != nil {
			return v, err
		} else if opens {
			v.GuideClosedURL = "/campaigns/" + m.Campaign.Slug + "/guide/closed"
		}
	}
	if m.Work.Side == campaign.Training {
		if err := h.showTraining(c, turn, &v); err != nil {
			return v, err
		}
	}
	return v, nil
}

// candidates are the texts that an answer of a card may choose.
func candidates(card work.Card) []annotating.Candidate {
	out := make([]annotating.Candidate, len(card.Candidates))
	for i, c := range card.Candidates {
		out[i] = annotating.Candidate{ID: c.ID, Text: c.Text}
	}
	return out
}

// neighbour is what the system of a card wrote for the neighbour at a place, nil if there
// is none or it is not shown.
func neighbour(all []work.Neighbour, at, card int) *string {
	if at < 0 || at >= len(all) || card >= len(all[at].Translations) {
		return nil
	}
	return &all[at].Translations[card]
}

func sources(neighbours []work.Neighbour) []string {
	out := make([]string, len(neighbours))
	for i, n := range neighbours {
		out[i] = n.Source
	}
	return out
}

// rejected are the suggestions that a rating says no span came of.
func rejected(r protocol.Rating) (ids []string) {
	for _, o := range r.Suggestions {
		if o.Became == protocol.Rejected {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// readOnly says why an assignment can't be changed; empty if it can.
func readOnly(c campaign.Campaign, w work.Work) string {
	switch {
	case c.State == campaign.Closed && !w.Prepares:
		return "This campaign is closed. What you submitted stands."
	case c.State == campaign.Paused && !w.Prepares:
		return "The lead has paused this campaign. What you entered is kept; you can go on when it is open again."
	case w.SetAside:
		return pausedByLead
	case w.Assignment.State == campaign.Reported:
		return "You reported a problem with this segment. It waits for the lead's answer."
	case w.Over != "" && w.Assignment.State.Adjudicates():
		return site.Sentence(w.Over)
	case w.Over != "" && w.Assignment.State == campaign.Submitted:
		return "This round of the segment is complete, and what you submitted stands. If it must change, press Ask: the lead can ask you for another look."
	case w.Over != "":
		return site.Sentence(w.Over)
	}
	return ""
}

// saveCard stores one card as the page has it.
func (h *Handlers) saveCard(c *echo.Context) error {
	var body wire.Save
	limit := int64(site.MaxCardBody)
	rules := site.Here(c).Campaign.Rules
	if rules.Spans != nil || len(rules.Questions) > 0 {
		limit = site.MaxMarkedBody
	}
	if err := site.ReadJSON(c, &body, limit); err != nil {
		return err
	}
	scores := make(map[string]float64, len(body.Scores))
	for name, score := range body.Scores {
		if score == nil {
			return apiFailure(c, campaign.Invalid(name, "must be a number; leave it out where there is none"))
		}
		scores[name] = *score
	}
	given := protocol.Rating{
		Scores:   scores,
		Answers:  annotating.ReadAnswers(rules, body.Answers),
		Spans:    body.Spans,
		NoErrors: body.NoErrors,
		Comment:  body.Comment,
	}
	for _, id := range body.Rejected {
		given.Suggestions = append(given.Suggestions, protocol.Outcome{ID: id, Became: protocol.Rejected})
	}
	saved, err := h.work.SaveCard(c.Request().Context(), site.Here(c).Work, site.Me(c).ID, work.CardSave{
		AssignmentID: c.Param("assignment"), CardID: c.Param("card"), Revision: body.Revision, SaveID: body.SaveID,
		Rating: given, Seconds: body.Seconds,
	})
	if err != nil {
		return apiFailure(c, err)
	}
	return c.JSON(http.StatusOK, wire.Saved{Revision: saved.Revision, SavedAt: saved.At.UTC()})
}

// submit makes the cards the annotator's judgement and names the next page. Asked
// again, because the first answer was lost, it answers the same.
func (h *Handlers) submit(c *echo.Context) error {
	var body wire.Submit
	if err := site.ReadJSON(c, &body, site.MaxCardBody); err != nil {
		return err
	}
	m, ctx := site.Here(c), c.Request().Context()
	if err := h.work.Submit(ctx, m.Work, site.Me(c).ID, c.Param("assignment"), body.Cards); err != nil {
		return apiFailure(c, err)
	}
	if m.Work.Side == campaign.Training {
		return h.answerTraining(c)
	}
	if m.Adjudicates { // nobody else has adjudications
		adjudicated, err := h.work.IsAdjudication(ctx, m.Work.ID, c.Param("assignment"), site.Me(c).ID)
		if err != nil {
			return err
		}
		if adjudicated {
			h.Flash(c, "The segment is adjudicated.")
			return answerWith(c, adjudicatePath(m))
		}
	}
	if body.Again {
		return h.answerNext(c, "The segment is submitted again, as you left it.")
	}
	return h.answerNext(c, "")
}

// takeBack undoes a submission that the annotator made a moment ago, and names its page.
func (h *Handlers) takeBack(c *echo.Context) error {
	m, id := site.Here(c), c.Param("assignment")
	if err := h.work.TakeBack(c.Request().Context(), m.Work, site.Me(c).ID, id); err != nil {
		return apiFailure(c, err)
	}
	return answerWith(c, site.AssignmentPath(m, id))
}

// document lists the segments of the document of an assignment. With ?card=ID it has the
// translations by the system of that card, and what the annotator has marked on them.
func (h *Handlers) document(c *echo.Context) error {
	m := site.Here(c)
	parts, err := h.work.Document(c.Request().Context(), m.Work, c.Param("assignment"), site.Me(c).ID, c.QueryParam("card"))
	if err != nil {
		return apiFailure(c, err)
	}
	out := wire.Document{Segments: make([]wire.DocumentSegment, len(parts))}
	for i, p := range parts {
		d := wire.DocumentSegment{Place: p.Place, Source: p.Source, State: wire.NotGiven, Written: p.Written}
		if len(p.Translations) > 0 {
			d.Translation = &p.Translations[0]
		}
		if p.AssignmentID != "" {
			d.URL, d.State = site.AssignmentPath(m, p.AssignmentID), partState(p)
		}
		for _, mark := range p.Marks {
			d.Marks = append(
				d.Marks,
				wire.Mark{ID: mark.ID, Side: mark.Side, Text: mark.Text, Severity: mark.Severity, Category: mark.Category, Subcategory: mark.Subcategory},
			)
		}
		out.Segments[i] = d
	}
	return c.JSON(http.StatusOK, out)
}

func partState(p work.DocumentPart) string {
	switch {
	case p.Decided:
		return wire.Decided
	case p.Changed:
		return wire.Changed
	case p.State == campaign.Submitted:
		return wire.Submitted
	case p.Begun:
		return wire.Begun
	}
	return wire.ToDo
}

// answerNext tells a script where the annotator goes on. The next page says what was
// done, if anything is given, and why there is no further segment.
func (h *Handlers) answerNext(c *echo.Context, done string) error {
	path, why, err := h.nextPath(c)
	if err != nil {
		return err
	}
	if text := strings.TrimSpace(done + " " + why); text != "" {
		h.Flash(c, text)
	}
	return answerWith(c, path)
}

func answerWith(c *echo.Context, path string) error {
	return c.JSON(http.StatusOK, wire.Next{Next: path})
}

func (h *Handlers) reportProblem(c *echo.Context) error {
	var body wire.Problem
	if err := site.ReadJSON(c, &body, site.MaxCardBody); err != nil {
		return err
	}
	if err := h.work.ReportProblem(c.Request().Context(), site.Here(c).Work, site.Me(c).ID, c.Param("assignment"), body.Text); err != nil {
		return apiFailure(c, err)
	}
	return h.answerNext(c, "Your report is with the lead. The segment waits until it is answered.")
}

// skip gives the annotator's place at the segment to another one.
func (h *Handlers) skip(c *echo.Context) error {
	var body wire.Skip
	if err := site.ReadJSON(c, &body, site.MaxCardBody); err != nil {
		return err
	}
	if err := h.work.Skip(c.Request().Context(), site.Here(c).Work, site.Me(c).ID, c.Param("assignment"), body.Reason); err != nil {
		return apiFailure(c, err)
	}
	return h.answerNext(c, "You skipped the segment. Another annotator gets it.")
}

// apiFailure answers a script with what it needs to go on.
func apiFailure(c *echo.Context, err error) error {
	if conflict, ok := errors.AsType[*work.ConflictError](err); ok {
		card := conflict.Card
		return c.JSON(http.StatusConflict, wire.Refusal{Code: "conflict", Error: conflict.Error(), Card: &wire.Value{
			ID: card.ID, Revision: card.Revision, Scores: card.Rating.Scores, Comment: card.Rating.Comment, Seconds: card.Seconds,
			Answers: annotating.AnswersOf(
				card.Rating.Answers,
			), Marks: annotating.MarksOf(site.Here(c).Campaign.Rules, card.Rating.Spans, card.Rating.NoErrors, rejected(card.Rating)),
		}})
	}
	if errors.Is(err, campaign.ErrDecided) || errors.Is(err, campaign.ErrNotOpen) || errors.Is(err, campaign.ErrOutdated) {
		return c.JSON(http.StatusConflict, wire.Refusal{Code: "closed", Error: err.Error()})
	}
	if incomplete, ok := errors.AsType[*campaign.IncompleteError](err); ok {
		answer := wire.Refusal{Error: incomplete.Error()}
		for _, card := range incomplete.Cards {
			answer.Cards = append(answer.Cards, wire.Missing{ID: card.ID, Reason: card.Reason})
		}
		return c.JSON(http.StatusUnprocessableEntity, answer)
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return c.JSON(http.StatusUnprocessableEntity, wire.Refusal{Error: invalid.Msg, Field: invalid.Field})
	}
	return err
}
