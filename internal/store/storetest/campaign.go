package storetest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/work"
)

// A Sample is a campaign with segments and people. Its methods act for the
// annotator with a number, counted from 0, and fail the test if they can't.
type Sample struct {
	Store      *store.Store
	Campaign   campaign.Campaign
	Lead       accounts.User
	Researcher accounts.User
	Annotators []accounts.User
	Systems    []string // in byte order
	Segments   int
}

type options struct {
	slug, protocol, definition               string
	segments, perDocument, systems, annotate int
	settings                                 []string
}

// An Option changes what [Campaign] makes.
type Option func(*options)

// Slug names the campaign; "sample" if not given. The lead, the researcher and
// the annotators are the same people in all campaigns of a store.
func Slug(slug string) Option { return func(o *options) { o.slug = slug } }

// Protocol is the id of the campaign's protocol; "sqm" if not given.
func Protocol(id string) Option { return func(o *options) { o.protocol = id } }

// Definition is the text of a protocol of the campaign's own.
func Definition(text string) Option { return func(o *options) { o.definition = text } }

// Segments sets the number of segments; 4 if not given.
func Segments(n int) Option { return func(o *options) { o.segments = n } }

// PerDocument sets the number of segments in a document; 2 if not given.
func PerDocument(n int) Option { return func(o *options) { o.perDocument = n } }

// Systems sets the number of systems that translate each segment; 3 if not given.
func Systems(n int) Option { return func(o *options) { o.systems = n } }

// Annotators sets the number of annotators; 2 if not given.
func Annotators(n int) Option { return func(o *options) { o.annotate = n } }

// Set gives settings, "key=value". The quota is off if not given.
func Set(pairs ...string) Option {
	return func(o *options) { o.settings = append(o.settings, pairs...) }
}

// Campaign makes an open campaign, zh-en, with a lead, a researcher and
// annotators called lead, researcher, ann1, ann2 and so on.
func Campaign(t testing.TB, st *store.Store, opts ...Option) *Sample {
	t.Helper()
	o := options{slug: "sample", protocol: "sqm", segments: 4, perDocument: 2, systems: 3, annotate: 2, settings: []string{"quota=0"}}
	for _, opt := range opts {
		opt(&o)
	}
	s := &Sample{Store: st, Segments: o.segments, Lead: user(t, st, "lead"), Researcher: user(t, st, "researcher")}
	p, ok := protocol.Lookup(o.protocol)
	if o.definition != "" {
		own, err := protocol.Read(strings.NewReader(o.definition))
		check(t, err)
		p, ok = own, true
	}
	if !ok {
		t.Fatalf("no protocol %q", o.protocol)
	}
	settings, err := campaign.DefaultSettings(p).WithPairs(o.settings)
	check(t, err)
	s.Campaign, err = st.Accounts.CreateCampaign(t.Context(), campaign.Campaign{
		Slug: o.slug, Title: "Sample campaign", Protocol: p.ID, Definition: o.definition, SourceLang: "zh", TargetLang: "en", Settings: settings,
	}, s.Lead.ID)
	check(t, err)
	check(t, st.Accounts.AddMember(t.Context(), s.Campaign.ID, s.Researcher.Login, campaign.Researcher, s.Lead.ID))
	for i := range o.annotate {
		s.AddAnnotator(t, fmt.Sprintf("ann%d", i+1))
	}
	for i := range o.systems {
		s.Systems = append(s.Systems, fmt.Sprintf("sys-%03d", i+1))
	}
	if o.segments > 0 {
		_, err = st.Intake.ImportSegments(t.Context(), s.Campaign.ID, Lines(o.segments, o.perDocument, s.Systems), intake.ImportOptions{File: "sample.jsonl"})
		check(t, err)
	}
	return s
}

// Lines makes segments s1, s2 and so on, in documents d1, d2 and so on of
// perDocument segments each.
func Lines(segments, perDocument int, systems []string) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		for i := range segments {
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: Segment(i+1, i/perDocument+1, systems)}, nil) {
				return
			}
		}
	}
}

// Segment is segment number n of document d, both counted from 1.
func Segment(n, d int, systems []string) campaign.Segment {
	seg := campaign.Segment{
		DocID: fmt.Sprintf("d%d", d), SegmentID: fmt.Sprintf("s%d", n), Domain: "news", SourceLang: "zh", TargetLang: "en",
		Source: fmt.Sprintf("源文本 %d。", n),
	}
	for _, system := range systems {
		seg.Translations = append(seg.Translations, campaign.Translation{System: system, Text: Text(n, slices.Index(systems, system))})
	}
	return seg
}

// Text is the translation of segment n, counted from 1, by the system at a place
// of the list, counted from 0. It gives the system away to who knows this, so
// that [Sample.Rate] can rate by system.
func Text(n, system int) string { return fmt.Sprintf(textForm, system+1, n) }

const textForm = "Translation %d of segment %d."

// AddAnnotator adds one more person.
func (s *Sample) AddAnnotator(t testing.TB, login string) accounts.User {
	t.Helper()
	u := user(t, s.Store, login)
	check(t, s.Store.Accounts.AddMember(t.Context(), s.Campaign.ID, login, campaign.Annotator, s.Lead.ID))
	s.Annotators = append(s.Annotators, u)
	return u
}

// Change applies settings, "key=value", and reads the campaign again.
func (s *Sample) Change(t testing.TB, settings ...string) {
	t.Helper()
	check(t, s.Store.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Settings: settings}))
	s.Reload(t)
}

// SetState opens, pauses or closes the campaign and reads it again.
func (s *Sample) SetState(t testing.TB, state campaign.State) {
	t.Helper()
	check(t, s.Store.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{State: &state}))
	s.Reload(t)
}

// Reload reads the campaign as it is now.
func (s *Sample) Reload(t testing.TB) {
	t.Helper()
	c, err := s.Store.Records.Campaign(t.Context(), s.Campaign.Slug)
	check(t, err)
	s.Campaign = c
}

// Next returns the id of the assignment that annotator i is given.
func (s *Sample) Next(t testing.TB, i int) string {
	t.Helper()
	return Must(s.Store.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID))(t)
}

// Work reads what the page of an assignment shows to annotator i.
func (s *Sample) Work(t testing.TB, i int, assignment string) work.Work {
	t.Helper()
	return Must(s.Store.Work.LoadWork(t.Context(), s.Campaign, assignment, s.Annotators[i].ID))(t)
}

// CardID is the id of the card at a place of annotator i's order.
func (s *Sample) CardID(t testing.TB, i int, assignment string, card int) string {
	t.Helper()
	return s.Work(t, i, assignment).Cards[card].ID
}

// Save saves a score for the card at a place of the annotator's order, as a
// change of what is stored.
func (s *Sample) Save(t testing.TB, i int, assignment string, card int, score float64) work.Saved {
	t.Helper()
	at := s.Work(t, i, assignment).Cards[card]
	return Must(s.Store.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[i].ID, work.CardSave{
		AssignmentID: assignment, CardID: at.ID, Revision: at.Revision, Rating: Rating(score),
	}))(t)
}

// Rating is an sqm rating.
func Rating(score float64) protocol.Rating {
	return protocol.Rating{Scores: map[string]float64{"sqm": score}}
}

// Fill saves a score for each card: scores[k] for the translation by system k.
func (s *Sample) Fill(t testing.TB, i int, assignment string, scores ...float64) {
	t.Helper()
	_, err := s.fill(t.Context(), i, assignment, scores)
	check(t, err)
}

func (s *Sample) fill(ctx context.Context, i int, assignment string, scores []float64) (revisions map[string]int, err error) {
	w, err := s.Store.Work.LoadWork(ctx, s.Campaign, assignment, s.Annotators[i].ID)
	if err != nil {
		return nil, err
	}
	revisions = Revisions(w)
	for _, card := range w.Cards {
		var system, segment int
		if _, err := fmt.Sscanf(card.Text, textForm, &system, &segment); err != nil {
			return nil, fmt.Errorf("no text of a sample: %q", card.Text)
		}
		saved, err := s.Store.Work.SaveCard(ctx, s.Campaign, s.Annotators[i].ID, work.CardSave{
			AssignmentID: assignment, CardID: card.ID, Revision: card.Revision, Rating: Rating(scores[system-1]),
		})
		if err != nil {
			return nil, err
		}
		revisions[card.ID] = saved.Revision
	}
	return revisions, nil
}

// Submit submits the assignment as it is stored.
func (s *Sample) Submit(t testing.TB, i int, assignment string) {
	t.Helper()
	check(t, s.Store.Work.Submit(t.Context(), s.Campaign, s.Annotators[i].ID, assignment, Revisions(s.Work(t, i, assignment))))
}

// Rate fills in the assignment and submits it.
func (s *Sample) Rate(t testing.TB, i int, assignment string, scores ...float64) {
	t.Helper()
	check(t, s.TryRate(t.Context(), i, assignment, scores...))
}

// TryRate is Rate for tests with several goroutines: it returns the error.
func (s *Sample) TryRate(ctx context.Context, i int, assignment string, scores ...float64) error {
	revisions, err := s.fill(ctx, i, assignment, scores)
	if err != nil {
		return err
	}
	return s.Store.Work.Submit(ctx, s.Campaign, s.Annotators[i].ID, assignment, revisions)
}

// RateNext rates what annotator i is given next, and returns the assignment.
func (s *Sample) RateNext(t testing.TB, i int, scores ...float64) string {
	t.Helper()
	id := s.Next(t, i)
	s.Rate(t, i, id, scores...)
	return id
}

// Revisions are those of the cards of a page, by the id of the card, as it sends
// them to submit.
func Revisions(w work.Work) map[string]int {
	out := make(map[string]int, len(w.Cards))
	for _, c := range w.Cards {
		out[c.ID] = c.Revision
	}
	return out
}

// RowID is the row id of a segment.
func (s *Sample) RowID(t testing.TB, docID, segmentID string) string {
	t.Helper()
	return Must(s.Store.Records.SegmentRowID(t.Context(), s.Campaign.ID, docID, segmentID))(t)
}

// All reads every segment.
func (s *Sample) All(t testing.TB) []campaign.Segment {
	t.Helper()
	var out []campaign.Segment
	for seg, err := range s.Store.Records.AllSegments(t.Context(), s.Campaign) {
		check(t, err)
		out = append(out, seg)
	}
	return out
}

func user(t testing.TB, st *store.Store, login string) accounts.User {
	t.Helper()
	if u, err := st.Accounts.UserByLogin(t.Context(), login); err == nil {
		return u
	}
	return Must(st.Accounts.AddUser(t.Context(), login, "", accounts.Member))(t)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
