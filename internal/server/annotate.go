package server

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/wire"
	"annotate/internal/work"
	"annotate/web/templates/annotating"
)

// annotate shows an assignment of the user's. Nothing on the page names a
// system; cards have ids that hold in this assignment alone.
func (s *Server) annotate(c echo.Context) error {
	m, ctx := here(c), c.Request().Context()
	turn, err := s.trainingTurn(c)
	if err != nil {
		return err
	}
	if turn.ResultID != "" {
		return redirect(c, resultPath(m, turn.ResultID))
	}
	w, err := s.store.LoadWork(ctx, m.work, c.Param("assignment"), me(c).ID)
	if err != nil {
		return err
	}
	adjudicates := w.Assignment.State.Adjudicates()
	var progress desk.MyProgress
	if !adjudicates {
		if progress, err = s.store.MyProgress(ctx, m.campaign, me(c).ID); err != nil {
			return err
		}
	}
	keys, err := s.store.Keys(ctx, me(c).ID, m.campaign.Rules.ID)
	if err != nil {
		return err
	}
	path := assignmentPath(m, w.Assignment.ID)
	v := annotating.AnnotateView{
		Page: s.pageAt(c, "Annotate", "annotate"), Clock: s.clock(m.campaign.Settings.Location()), Protocol: m.campaign.Rules, Guide: renderedGuide(m.campaign), AssignmentID: w.Assignment.ID, Round: w.Assignment.Round,
		SecondLook: w.Assignment.Round > 1 && w.RatedBefore, Submitted: w.Assignment.State == campaign.Submitted, Changed: w.Changed, ReadOnly: readOnly(m.campaign, w), Looked: w.LookReason,
		SegmentNumber: progress.Done + 1, Done: progress.Done, Available: progress.Available + progress.Begun + progress.Joining,
		RatingsToday: progress.Today, Quota: m.campaign.Settings.Quota, IdleSeconds: m.campaign.Settings.IdleSeconds, UndoSeconds: m.campaign.Settings.UndoSeconds,
		DocID: w.DocID, Place: w.InDocument, DocLength: w.DocumentLen,
		Source: lang(m.campaign.SourceLang), Target: lang(m.campaign.TargetLang), SourceText: w.Source,
		Before: sources(w.Before), After: sources(w.After), Context: w.Context, Note: w.Note, Reference: w.Reference, Thread: w.Thread,
		BackURL: "/work", CardsURL: path + "/cards/", SubmitURL: path + "/submit", SkipURL: path + "/skip", TakeBackURL: path + "/take-back", DocumentURL: path + "/document", ProblemURL: path + "/problem", ThreadURL: path + "/thread",
		Keys: keys, KeysURL: "/account/keys", IDPrefix: rand.Text()[:8] + "-",
	}
	if adjudicates {
		v.Adjudicates, v.BackURL = true, adjudicatePath(m)
	}
	if v.Submitted {
		v.BackURL = "/campaigns/" + m.campaign.Slug + "/finished"
	}
	if v.Submitted || w.RatedBefore {
		if v.SegmentNumber, err = s.store.FinishedPlace(c.Request().Context(), m.campaign.ID, me(c).ID, w.Assignment.ID); err != nil {
			return err
		}
	}
	if w.Previous != "" {
		v.PreviousURL = assignmentPath(m, w.Previous)
	}
	if w.Next != "" {
		v.NextURL = assignmentPath(m, w.Next)
	}
	for i, card := range w.Cards {
		v.Cards = append(v.Cards, annotating.Card{
			Earlier: neighbour(w.Before, len(w.Before)-1, i), Later: neighbour(w.After, 0, i),
			Index: i, ID: card.ID, Text: card.Text, Scores: card.Rating.Scores, Spans: card.Rating.Spans, NoErrors: card.Rating.NoErrors, Comment: card.Rating.Comment, Seconds: card.Seconds, Revision: card.Revision,
			Suggestions: card.Suggestions, Rejected: rejected(card.Rating), Peers: peers(card.Peers),
		})
	}
	annotating.MarkSame(v.Cards)
	if !adjudicates && !m.campaign.Archived {
		if v.Announcements, err = s.store.CurrentAnnouncements(ctx, m.campaign.ID, me(c).ID); err != nil {
			return err
		}
	}
	if !adjudicates && v.ReadOnly == "" {
		if opens, err := s.store.GuideOpens(ctx, m.campaign.ID, me(c).ID); err != nil {
			return err
		} else if opens {
			v.GuideClosedURL = "/campaigns/" + m.campaign.Slug + "/guide/closed"
		}
	}
	if m.work.Side == campaign.Training {
		if err := s.showTraining(c, turn, &v); err != nil {
			return err
		}
	}
	if err := s.sawThread(c, w); err != nil {
		return err
	}
	return s.render(c, http.StatusOK, annotating.Annotate(v))
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

func peers(given []work.PeerRating) []annotating.PeerRating {
	out := make([]annotating.PeerRating, len(given))
	for i, g := range given {
		out[i] = annotating.PeerRating{Letter: g.Letter, Rating: g.Rating}
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
		return sentence(w.Over)
	case w.Over != "" && w.Assignment.State == campaign.Submitted:
		return "This round of the segment is complete. What you submitted stands."
	case w.Over != "":
		return sentence(w.Over)
	}
	return ""
}

// maxCardBody is the longest body of a save; comments are at most 10,000 bytes.
// Where errors are marked, each may have a comment, and covers words.
const (
	maxCardBody   = 64 << 10
	maxMarkedBody = 2 << 20
)

// saveCard stores one card as the page has it.
func (s *Server) saveCard(c echo.Context) error {
	var body wire.Save
	limit := int64(maxCardBody)
	if here(c).campaign.Rules.Spans != nil {
		limit = maxMarkedBody
	}
	if err := readJSON(c, &body, limit); err != nil {
		return err
	}
	scores := make(map[string]float64, len(body.Scores))
	for name, score := range body.Scores {
		if score == nil {
			return apiFailure(c, campaign.Invalid(name, "must be a number; leave it out where there is none"))
		}
		scores[name] = *score
	}
	given := protocol.Rating{Scores: scores, Spans: body.Spans, NoErrors: body.NoErrors, Comment: body.Comment}
	for _, id := range body.Rejected {
		given.Suggestions = append(given.Suggestions, protocol.Outcome{ID: id, Became: protocol.Rejected})
	}
	saved, err := s.store.SaveCard(c.Request().Context(), here(c).work, me(c).ID, work.CardSave{
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
func (s *Server) submit(c echo.Context) error {
	var body wire.Submit
	if err := readJSON(c, &body, maxCardBody); err != nil {
		return err
	}
	m, ctx := here(c), c.Request().Context()
	if err := s.store.Submit(ctx, m.work, me(c).ID, c.Param("assignment"), body.Cards); err != nil {
		return apiFailure(c, err)
	}
	if m.work.Side == campaign.Training {
		return s.answerTraining(c)
	}
	if adjudicated, err := s.store.IsAdjudication(ctx, m.work.ID, c.Param("assignment"), me(c).ID); err != nil {
		return err
	} else if adjudicated {
		if err := s.flash(c, "The segment is adjudicated."); err != nil {
			return err
		}
		return answerWith(c, adjudicatePath(m))
	}
	if body.Again {
		return s.answerNext(c, "The segment is submitted again, as you left it.")
	}
	return s.answerNext(c, "")
}

// takeBack undoes a submission that the annotator made a moment ago, and names its page.
func (s *Server) takeBack(c echo.Context) error {
	m, id := here(c), c.Param("assignment")
	if err := s.store.TakeBack(c.Request().Context(), m.work, me(c).ID, id); err != nil {
		return apiFailure(c, err)
	}
	return answerWith(c, assignmentPath(m, id))
}

// document lists the segments of the document of an assignment. With ?card=ID it has the
// translations by the system of that card, and what the annotator has marked on them.
func (s *Server) document(c echo.Context) error {
	m := here(c)
	parts, err := s.store.Document(c.Request().Context(), m.work, c.Param("assignment"), me(c).ID, c.QueryParam("card"))
	if err != nil {
		return apiFailure(c, err)
	}
	out := wire.Document{Segments: make([]wire.DocumentSegment, len(parts))}
	for i, p := range parts {
		d := wire.DocumentSegment{Place: p.Place, Source: p.Source, State: wire.NotGiven}
		if len(p.Translations) > 0 {
			d.Translation = &p.Translations[0]
		}
		if p.AssignmentID != "" {
			d.URL, d.State = assignmentPath(m, p.AssignmentID), partState(p)
		}
		for _, mark := range p.Marks {
			d.Marks = append(d.Marks, wire.Mark{ID: mark.ID, Side: mark.Side, Text: mark.Text, Severity: mark.Severity, Category: mark.Category, Subcategory: mark.Subcategory})
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
func (s *Server) answerNext(c echo.Context, done string) error {
	path, why, err := s.nextPath(c)
	if err != nil {
		return err
	}
	if text := strings.TrimSpace(done + " " + why); text != "" {
		if err := s.flash(c, text); err != nil {
			return err
		}
	}
	return answerWith(c, path)
}

func answerWith(c echo.Context, path string) error {
	return c.JSON(http.StatusOK, wire.Next{Next: path})
}

func (s *Server) reportProblem(c echo.Context) error {
	var body wire.Problem
	if err := readJSON(c, &body, maxCardBody); err != nil {
		return err
	}
	if err := s.store.ReportProblem(c.Request().Context(), here(c).work, me(c).ID, c.Param("assignment"), body.Text); err != nil {
		return apiFailure(c, err)
	}
	return s.answerNext(c, "Your report is with the lead. The segment waits until it is answered.")
}

// skip gives the annotator's place at the segment to another one.
func (s *Server) skip(c echo.Context) error {
	var body wire.Skip
	if err := readJSON(c, &body, maxCardBody); err != nil {
		return err
	}
	if err := s.store.Skip(c.Request().Context(), here(c).work, me(c).ID, c.Param("assignment"), body.Reason); err != nil {
		return apiFailure(c, err)
	}
	return s.answerNext(c, "You skipped the segment. Another annotator gets it.")
}

// readJSON reads a body of at most limit bytes into v. The error is an echo.HTTPError: 413 for
// a longer body, 400 for one that is not the JSON of v.
func readJSON(c echo.Context, v any, limit int64) error {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
	if err := c.Echo().JSONSerializer.Deserialize(c, v); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return echo.NewHTTPError(http.StatusRequestEntityTooLarge, "the request is too large")
		}
		return echo.NewHTTPError(http.StatusBadRequest, "the request is not the JSON it should be")
	}
	return nil
}

// apiFailure answers a script with what it needs to go on.
func apiFailure(c echo.Context, err error) error {
	if conflict, ok := errors.AsType[*work.ConflictError](err); ok {
		card := conflict.Card
		return c.JSON(http.StatusConflict, wire.Refusal{Code: "conflict", Error: conflict.Error(), Card: &wire.Value{
			ID: card.ID, Revision: card.Revision, Scores: card.Rating.Scores, Comment: card.Rating.Comment, Seconds: card.Seconds,
			Marks: annotating.MarksOf(here(c).campaign.Rules, card.Rating.Spans, card.Rating.NoErrors, rejected(card.Rating)),
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
