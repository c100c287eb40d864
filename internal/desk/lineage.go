package desk

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
	"annotate/internal/wording"
)

// Lineage reads the forebears of a segment, and the campaigns that took it over. leads reports whether the reader leads
// a campaign, by its id. Of other campaigns, Lineage reads only the titles.
func (s *Store) Lineage(ctx context.Context, c campaign.Campaign, segmentID string, leads func(campaignID string) bool) (out readmodel.Lineage, err error) {
	db := s.db.Read(ctx)
	forebears, err := records.ForebearsOf(db, []string{segmentID})
	if err != nil {
		return out, err
	}
	below, at := segmentID, c // the segment that came from the next forebear
	for _, f := range forebears[segmentID] {
		stage, of, err := stageOf(db, f, leads)
		if err != nil {
			return out, err
		}
		if !stage.Gone && !stage.Closed && at.ID != "" {
			if stage.Changed, stage.NewText, err = changedSince(db, at, below, of, f.Segment); err != nil {
				return out, err
			}
		}
		out.Stages = append(out.Stages, stage)
		below, at = f.Segment, of
	}
	slices.Reverse(out.Stages)
	var rows []struct{ ID, Slug, Title, Status, CampaignID string }
	err = db.Raw(`SELECT n.id, k.slug, k.title, n.status, n.campaign_id FROM lineage l JOIN segments n ON n.id = l.segment_id JOIN campaigns k ON k.id = n.campaign_id
		WHERE l.from_segment = ? AND l.depth = 1 AND NOT k.deleted ORDER BY k.slug`, segmentID).
		Scan(&rows).
		Error
	for _, r := range rows {
		d := readmodel.Descendant{Title: r.Title, Slug: r.Slug, SegmentID: r.ID, Status: campaign.Status(r.Status)}
		if !leads(r.CampaignID) {
			d.Slug, d.Status = "", ""
		}
		out.Descendants = append(out.Descendants, d)
	}
	return out, err
}

// stageOf reads a forebear and its campaign. The campaign is zero if it or the forebear was
// deleted.
func stageOf(db *gorm.DB, f campaign.Forebear, leads func(string) bool) (stage readmodel.Stage, of campaign.Campaign, err error) {
	stage = readmodel.Stage{Title: f.Stage, SegmentID: f.Segment}
	of, seg, err := readForebear(db, f)
	if errors.Is(err, campaign.ErrNotFound) {
		stage.Gone = true
		return stage, campaign.Campaign{}, nil
	}
	if err != nil {
		return stage, of, err
	}
	stage.Title = of.Title
	if stage.Closed = !leads(of.ID); stage.Closed {
		return stage, of, nil
	}
	stage.Slug, stage.Status, stage.Source, stage.Edits = of.Slug, seg.Status, seg.Source, campaign.EditsOf(of.Rules, seg)
	turns, err := rounds.TurnsOf(db, f.Segment)
	if err != nil {
		return stage, of, err
	}
	for _, t := range turns {
		if t.State == campaign.Submitted {
			stage.Turns = append(stage.Turns, t)
		}
	}
	for _, t := range seg.Translations {
		if t.Adjudication != nil && seg.Status.InGold() {
			stage.Decider = t.Adjudication.Annotator
		}
	}
	stage.Answers, stage.Reasons = settledWords(of.Rules, seg)
	if of.Rules.Spans.OfTerms() && seg.Status.InGold() {
		stage.Terms = settledTerms(campaign.GoldTerms(seg))
	}
	return stage, of, nil
}

// settledTerms are the terms in the source, with what is said of them.
func settledTerms(terms []protocol.ErrorSpan) (out []readmodel.StageTerm) {
	for _, t := range terms {
		if t.Side != protocol.Source {
			continue
		}
		c, _ := campaign.Counterpart(terms, t)
		out = append(out, readmodel.StageTerm{Text: t.Text, Category: t.Category, Explication: t.Answers[campaign.Explication], Equivalent: t.Answers[campaign.Equivalent], Counterpart: c.Text})
	}
	return out
}

// readForebear reads a forebear and its campaign. The error is ErrNotFound if one of them was deleted.
func readForebear(db *gorm.DB, f campaign.Forebear) (of campaign.Campaign, seg campaign.Segment, err error) {
	if of, err = records.ReadCampaign(db, f.Campaign); err != nil {
		return of, seg, err
	}
	var row records.SegmentRow
	if err = db.Raw(records.SegmentColumns+" WHERE g.campaign_id = ? AND g.id = ?", of.ID, f.Segment).Take(&row).Error; err != nil {
		return of, seg, err
	}
	segments, err := records.PartsOf(db, of, []records.SegmentRow{row}, records.Texts|records.Ratings)
	if err != nil {
		return of, seg, err
	}
	return of, segments[0], nil
}

// settledWords are the settled answers of a segment in words, and the comments of the ratings from which they come.
func settledWords(p *protocol.Protocol, seg campaign.Segment) (answers []readmodel.StageAnswer, reasons []string) {
	if !seg.RatedItself() || !seg.Status.InGold() {
		return nil, nil
	}
	settled, _ := campaign.SettledRating(p, seg)
	for _, q := range p.Questions {
		if x, ok := settled.Scores[q.Name]; ok {
			answers = append(answers, readmodel.StageAnswer{Question: q.Label, Answer: wording.Plain(x)})
		}
		if a, ok := settled.Answers[q.Name]; ok && q.Kind != protocol.Text {
			answers = append(answers, readmodel.StageAnswer{Question: q.Label, Answer: q.Words(a)})
		}
	}
	for _, r := range campaign.GoldSource(seg, seg.Translations[0]) {
		if strings.TrimSpace(r.Comment) != "" {
			reasons = append(reasons, r.Comment)
		}
	}
	return answers, reasons
}

// changedSince says how a forebear has changed since a segment of c was taken over from it, and whether the segment can
// take over a new text.
func changedSince(db *gorm.DB, c campaign.Campaign, segmentID string, of campaign.Campaign, forebear string) (changed []string, newText bool, err error) {
	following, err := records.FollowingOf(db, c.ID)
	follows := err == nil && following.FromID == of.ID && !of.Archived
	if errors.Is(err, campaign.ErrNotFound) || err == nil && following.FromID != of.ID {
		following, err = records.Following{Rule: campaign.Follow{Carry: campaign.Carries}}, nil // it now follows another campaign
	}
	if err != nil {
		return nil, false, err
	}
	brought, err := records.BroughtBy(db, segmentID)
	if errors.Is(err, campaign.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	_, seg, err := readForebear(db, campaign.Forebear{Campaign: of.ID, Segment: forebear})
	if err != nil {
		return nil, false, err
	}
	source, reference := following.Rule.NewTexts(of.Rules, c.Rules, seg, brought)
	return following.Rule.Changed(of.Rules, seg, brought), follows && source+reference != "", nil
}
