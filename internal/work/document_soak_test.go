package work_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// Whatever annotators and leads do, every segment gets its redundancy, nobody gets the second half of a
// document without its first, and nobody rates what has all its ratings.
func TestDocumentsAtRandom(t *testing.T) {
	for _, leads := range []bool{false, true} {
		t.Run(fmt.Sprintf("leads=%t", leads), func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, db *storetest.DB) { newDocumentPlay(t, db, 6, 5, 1, leads).run() })
		})
	}
}

func TestSoakDocuments(t *testing.T) {
	until := time.Now().Add(testenv.SoakTime(t))
	done := map[string]int{}
	for seed := uint64(1); time.Now().Before(until); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			plays := make(chan map[string]int, 2)
			storetest.Each(t, func(t *testing.T, db *storetest.DB) {
				p := newDocumentPlay(t, db, 200, 12, seed, seed%2 == 0)
				p.run()
				plays <- p.done
			})
			close(plays)
			for play := range plays {
				for what, n := range play {
					done[what] += n
				}
			}
		})
		t.Logf("%d campaigns of 200 documents and 12 annotators on each database: %v", seed, done)
	}
}

// A documentPlay is a campaign that hands out whole documents, with annotators and leads who do what
// comes to their minds.
type documentPlay struct {
	*storetest.Sample
	t     *testing.T
	db    *storetest.DB
	r     *rand.Rand
	leads bool // a lead changes settings, and sets aside and discards

	sizes     []int              // segments of each document
	segments  int                // in all
	late      map[string]bool    // segments that were imported later
	skips     map[string]int     // by segment
	away      []time.Time        // until when an annotator is away
	aside     int                // the annotator who is set aside; -1: none
	alone     map[[2]string]bool // login and document: the annotator was given segments singly because a lead said so
	left      map[string]bool    // documents that somebody left idle
	discarded string             // the segment that the lead has discarded
	done      map[string]int     // what was done how often
}

func newDocumentPlay(t *testing.T, db *storetest.DB, documents, annotators int, seed uint64, leads bool) *documentPlay {
	p := &documentPlay{t: t, db: db, r: rand.New(rand.NewPCG(seed, 3)), leads: leads, aside: -1, away: make([]time.Time, annotators),
		late: map[string]bool{}, skips: map[string]int{}, alone: map[[2]string]bool{}, left: map[string]bool{}, done: map[string]int{}}
	p.Sample = storetest.Campaign(t, db.Store, storetest.Segments(0), storetest.Annotators(annotators), storetest.Systems(3),
		storetest.Set("assign=document", "context=document", "release_hours=24", "quota=90", "redundancy=2"))
	storetest.SetActStep(db.Store, 2) // so that documents are handed out in steps
	var first []campaign.Segment
	for d := range documents {
		p.sizes = append(p.sizes, 1+p.r.IntN(5))
		for range p.sizes[d] {
			p.segments++
			first = append(first, storetest.Segment(p.segments, d+1, p.Systems))
		}
	}
	storetest.Must(db.Intake.ImportSegments(t.Context(), p.Campaign.ID, storetest.SegmentLines(first...), intake.ImportOptions{File: "documents.jsonl"}))(t)
	return p
}

// run plays until nobody has anything left to do, and checks what has become of the segments.
func (p *documentPlay) run() {
	idle, tidied := map[int]bool{}, false // who has found nothing to do since something was done
	for turns := 0; len(idle) < len(p.away) || !tidied; turns++ {
		calm := turns > 40*p.segments // it ends, however much is undone
		if !calm && !tidied && p.r.IntN(20) == 0 {
			p.lead()
			p.checkGoesOn()
		}
		if i := p.r.IntN(len(p.away)); !p.turn(i, calm) {
			idle[i] = true
		} else {
			clear(idle)
			tidied = false
		}
		if len(idle) == len(p.away) && !tidied {
			p.tidy()
			tidied = true
			clear(idle)
		}
	}
	p.checkEnd()
}

// turn lets an annotator do something, and reports whether there was something to do.
func (p *documentPlay) turn(i int, calm bool) bool {
	if p.away[i].After(p.db.Clock.Now()) {
		p.db.Clock.Advance(time.Hour)
		return true
	}
	id, err := p.db.Work.Next(p.t.Context(), p.Campaign.ID, p.Annotators[i].ID)
	switch {
	case errors.Is(err, campaign.ErrNoWork), errors.Is(err, campaign.ErrSetAside):
		p.db.Clock.Advance(25 * time.Hour) // what others left idle is released
		return false
	case errors.Is(err, campaign.ErrQuota):
		p.db.Clock.Advance(6 * time.Hour)
		return true
	case err != nil:
		p.t.Fatal(err)
	}
	w := p.Work(p.t, i, id)
	segment := p.checkTurn(i, id, w.DocID, w.InDocument, w.Assignment.Round)
	what := p.r.IntN(60)
	if calm {
		what = 59
	}
	switch {
	case what < 4:
		p.note("pause")
		p.away[i] = p.db.Clock.Now().Add(time.Duration(p.r.IntN(60)) * time.Hour)
	case what < 8:
		p.note("save")
		p.Save(p.t, i, id, p.r.IntN(3), 3)
	case what < 11 && w.Assignment.Round == 1 && p.skips[segment] < 1+len(p.away)/10:
		p.note("skip")
		p.skips[segment]++
		storetest.Check(p.t, p.db.Work.Skip(p.t.Context(), p.Campaign, p.Annotators[i].ID, id, "not my field"))
	case what < 13:
		p.note("problem")
		storetest.ReportProblem(p.t, p.Sample, i, id, "this is not a sentence")
	default:
		scores := []float64{0, 2, 4}
		if p.r.IntN(5) == 0 {
			slices.Reverse(scores)
		}
		p.note("submit")
		p.Rate(p.t, i, id, scores...)
		if what < 17 {
			p.note("take back")
			p.db.Clock.Advance(5 * time.Second)
			storetest.Check(p.t, p.db.Work.TakeBack(p.t.Context(), p.Campaign, p.Annotators[i].ID, id))
		}
		p.db.Clock.Advance(time.Minute)
	}
	p.checkGoesOn()
	return true
}

// checkGoesOn checks that nothing is forgotten, in a large campaign only now and then.
func (p *documentPlay) checkGoesOn() {
	if p.segments < 50 || p.r.IntN(100) == 0 {
		storetest.CheckGoesOn(p.t, p.Sample, fmt.Sprint(p.done))
	}
}

func (p *documentPlay) note(what string) { p.done[what]++ }

// checkTurn fails the test if annotator i should not have been given the assignment. It returns the
// segment.
func (p *documentPlay) checkTurn(i int, id, document string, place, round int) string {
	p.t.Helper()
	login := p.Annotators[i].Login
	rows := storetest.Query[struct {
		SegmentID                  string
		Given, Open, Skipped, Left int
		Decided                    bool
	}](p.t, p.db, `SELECT s.segment_id,
			(SELECT count(*) FROM assignments a WHERE a.segment_id = s.id AND a.user_id = ? AND a.round = 1) AS given,
			(SELECT count(*) FROM assignments a WHERE a.segment_id = s.id AND a.user_id = ? AND a.round = ? AND a.state = 'open' AND a.work = 'asked' AND s.held = FALSE AND a.context = 'document') AS open,
			(SELECT count(*) FROM assignments a WHERE a.segment_id = s.id AND a.skipped <> '') AS skipped,
			(SELECT count(*) FROM assignments a WHERE a.segment_id = s.id AND a.state = 'released' AND a.skipped = '' AND a.set_aside = '') AS left,
			s.holding <> '' AS decided
		FROM segments s JOIN documents d ON d.id = s.document_id WHERE d.campaign_id = ? AND d.doc_id = ? ORDER BY s.position`,
		p.Annotators[i].ID, p.Annotators[i].ID, round, p.Campaign.ID, document)
	of := [2]string{login, document}
	if p.Campaign.Settings.Assign == "segment" {
		p.alone[of] = true
	}
	for _, row := range rows {
		p.left[document] = p.left[document] || row.Left > 0
	}
	segment := rows[place-1]
	if round > 1 || segment.Open == 0 {
		return segment.SegmentID // context=segment, or what a lead says
	}
	for n, before := range rows[:place-1] {
		if before.Open > 0 {
			p.t.Errorf("%s is given segment %d of %s before segment %d", login, place, document, n+1)
		}
		if before.Given == 0 && segment.Skipped == 0 && !before.Decided && !p.late[before.SegmentID] && !p.alone[of] {
			p.t.Errorf("%s is given segment %d of %s and never was segment %d", login, place, document, n+1)
		}
	}
	return segment.SegmentID
}

// lead imports a further segment into a document or answers a problem. If leads play, they also change
// settings, set an annotator aside and discard a segment.
func (p *documentPlay) lead() {
	switch what := p.r.IntN(12); {
	case what < 3:
		p.answer()
	case what < 5 && len(p.late) < len(p.sizes)/4:
		p.note("import")
		p.segments++
		added := storetest.Segment(p.segments, 1+p.r.IntN(len(p.sizes)), p.Systems)
		p.late[added.SegmentID] = true
		storetest.Must(storetest.MergeSegments(p.t, p.Sample, added))(p.t)
	case !p.leads || p.done["lead"] > 30:
	case what < 7:
		p.note("lead")
		settings := [][]string{{"assign=segment"}, {"assign=document"}, {"assign=document"}, {"context=segment"}, {"context=document"}, {"redundancy=2"}, {"redundancy=3"}}
		p.Change(p.t, settings[p.r.IntN(len(settings))]...)
	case what < 9 && p.aside < 0:
		p.note("lead")
		p.aside = p.r.IntN(len(p.away))
		storetest.SetAside(p.t, p.Sample, p.aside)
	case what < 9:
		p.restore()
	case p.discarded == "":
		p.note("lead")
		ids := storetest.Query[string](p.t, p.db, "SELECT id FROM segments WHERE campaign_id = ? AND holding = '' ORDER BY position", p.Campaign.ID)
		p.discarded = ids[p.r.IntN(len(ids))]
		storetest.Check(p.t, p.db.Rounds.Discard(p.t.Context(), p.Campaign.ID, []string{p.discarded}, "the source is garbled", p.Lead.ID))
	default:
		p.restore()
	}
}

// answer puts segments back to work whose problems wait for an answer, or withdraws one.
func (p *documentPlay) answer() {
	for _, problem := range storetest.AllProblems(p.t, p.Sample) {
		if problem.ResolvedAt.IsZero() {
			p.note("answer")
			err := p.db.Work.ResolveProblem(p.t.Context(), p.Campaign.ID, problem.ID, "see the guide", p.r.IntN(8) == 0, p.Lead.ID)
			if errors.Is(err, campaign.ErrConflict) { // others have settled the segment, so it is not withdrawn
				err = p.db.Work.ResolveProblem(p.t.Context(), p.Campaign.ID, problem.ID, "see the guide", false, p.Lead.ID)
			}
			storetest.Check(p.t, err)
		}
	}
}

// restore brings back who was set aside and what was discarded.
func (p *documentPlay) restore() {
	if p.aside >= 0 {
		storetest.Restore(p.t, p.Sample, p.aside)
		p.aside = -1
	}
	if p.discarded != "" {
		storetest.Check(p.t, p.db.Rounds.RestoreSegments(p.t.Context(), p.Campaign.ID, []string{p.discarded}, "it can be read", p.Lead.ID))
		p.discarded = ""
	}
}

// tidy makes the lead answer and restore everything.
func (p *documentPlay) tidy() {
	p.answer()
	p.restore()
}

// checkEnd checks what has become of the segments.
func (p *documentPlay) checkEnd() {
	p.t.Helper()
	redundancy := p.Campaign.Settings.Redundancy
	for _, seg := range p.All(p.t) {
		given := map[string]bool{}
		for _, rating := range seg.Translations[0].Ratings {
			if rating.Round == 1 {
				given[rating.Annotator] = true
			}
		}
		switch {
		case seg.Status == campaign.Withdrawn:
		case seg.Status == campaign.Pending, seg.Status == campaign.Reannotate, len(given) < redundancy:
			p.t.Errorf("%s of %s is %s with %d annotators: %q", seg.SegmentID, seg.DocID, seg.Status, len(given), storetest.States(p.t, p.db, seg.SegmentID))
		case !p.leads && !p.left[seg.DocID] && len(given) > redundancy:
			p.t.Errorf("%s of %s has ratings by %d annotators, and nobody had left the document", seg.SegmentID, seg.DocID, len(given))
		}
	}
	if wrong := storetest.Query[string](p.t, p.db, `SELECT segment_id FROM segments s WHERE taken <> (SELECT count(*) FROM assignments a
		WHERE a.segment_id = s.id AND a.round = 1 AND a.state IN ('open', 'submitted') AND NOT a.replaced)`); len(wrong) > 0 {
		p.t.Errorf("wrong number of places of %q", wrong)
	}
}
