package sample

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store"
)

// Flags is the slug of a campaign in which annotators have one flag each.
const Flags = "demo-flags-en-de"

// The number of segments in the flags campaign.
const (
	flagSegments = 24 // rated
	flagOpen     = 3  // not rated yet
)

// flagSystems make translations of five qualities.
var flagSystems = []struct {
	name string
	make func(german, english string) string
}{
	{"Aster", func(german, _ string) string { return german }},
	{"Birch", func(german, _ string) string { return strings.TrimSuffix(german, ".") + "!" }},
	{"Cedar", func(german, _ string) string { return strings.ToLower(german) }},
	{"Dune", func(german, _ string) string { return german[:strings.LastIndex(german, " ")] + "." }},
	{"Ember", func(_, english string) string { return english }},
}

// flagTexts are patterns of sentences in English and German. Each has a number to fill in.
var flagTexts = [][2]string{
	{"The train to the coast leaves from platform %d.", "Der Zug an die Küste fährt von Gleis %d ab."},
	{"Room %d is on the second floor.", "Zimmer %d liegt im zweiten Stock."},
	{"Bake the bread for %d minutes.", "Backen Sie das Brot %d Minuten lang."},
}

// flagged are the annotators of the flags campaign: two without a flag, and one for each flag, whose login is the
// name of the flag.
var flagged = []struct {
	login    string
	segments int                         // number of segments that they rated
	score    func(segment, base int) int // their score, without noise, for a translation of quality base
	seconds  float64                     // active time of a rating, without noise
}{
	{"lin", flagSegments, func(_, base int) int { return base }, 20},
	{"mara", flagSegments, func(_, base int) int { return base + 2 }, 24},
	{"low-agreement", 8, func(_, base int) int { return 118 - base }, 21},
	{"constant", 8, func(int, int) int { return 60 }, 18},
	{"fast", 8, func(_, base int) int { return base - 3 }, 3},
	{"bias", 8, func(_, base int) int { return base + 22 }, 23},
	{"drift", flagSegments, func(segment, base int) int {
		if segment < flagSegments-10 {
			return base + 9
		}
		return base - 12
	}, 22},
	{"idle", 4, func(_, base int) int { return base + 1 }, 19},
}

// LoadFlags adds the flags campaign to a store that [Load] has filled.
func LoadFlags(ctx context.Context, st *store.Store, clock *Clock) error {
	defer func() { clock.at = clock.now }()
	clock.set(9, 7)
	lead, err := st.Accounts.UserByLogin(ctx, Lead)
	if err != nil {
		return err
	}
	p, _ := protocol.Lookup("esa")
	c, err := st.Accounts.CreateCampaign(ctx, campaign.Campaign{
		Slug: Flags, Title: "Sample: one annotator of each flag, English to German", Protocol: p.ID, SourceLang: "en", TargetLang: "de", Settings: campaign.DefaultSettings(p),
	}, lead.ID)
	if err != nil {
		return err
	}
	for _, a := range flagged {
		if _, err := st.Accounts.Invite(ctx, c.ID, a.login, a.login, campaign.Annotator, lead.ID); err != nil {
			return err
		}
	}
	opt := intake.ImportOptions{File: "flags.jsonl", ByID: lead.ID}
	if _, err := st.Intake.ImportSegments(ctx, c.ID, flagLines(), opt); err != nil {
		return err
	}
	clock.set(19, 17)
	opt.File = "flags.ratings.jsonl"
	_, err = st.Intake.ImportRatings(ctx, c.ID, flagRatings(clock), opt)
	return err
}

// flagLines yields the segments of the flags campaign.
func flagLines() iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		for i := range flagSegments + flagOpen {
			text := flagTexts[i%len(flagTexts)]
			english, german := fmt.Sprintf(text[0], 10+i), fmt.Sprintf(text[1], 10+i)
			seg := campaign.Segment{
				DocID: fmt.Sprintf(
					"notes-%d", i/3+1,
				), SegmentID: fmt.Sprintf("f%02d", i+1), Domain: "travel", SourceLang: "en", TargetLang: "de", Source: english,
			}
			for _, system := range flagSystems {
				seg.Translations = append(seg.Translations, campaign.Translation{System: system.name, Text: system.make(german, english)})
			}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: seg}, nil) {
				return
			}
		}
	}
}

// flagRatings yields the ratings of the flags campaign. The annotators rated the segments in order over the last
// three days. The idle annotator rated them ten days ago.
func flagRatings(clock *Clock) iter.Seq2[campaign.RatingLine, error] {
	return func(yield func(campaign.RatingLine, error) bool) {
		line := 0
		for who, a := range flagged {
			for i := range a.segments {
				day := 17 + 3*i/a.segments
				if a.login == "idle" {
					day = 10
				}
				at := clock.moved(time.Date(2026, 11, day, 9, 20*(i%24), who, 0, time.UTC))
				for k, system := range flagSystems {
					noise := (i*7+k*3+who*5)%7 - 3
					base := []int{92, 76, 60, 44, 24}[k]
					r := campaign.RatingLine{Place: campaign.Place{File: "flags.ratings.jsonl", Line: line + 1},
						DocID: fmt.Sprintf("notes-%d", i/3+1), SegmentID: fmt.Sprintf("f%02d", i+1), System: system.name,
						Rating: campaign.Rating{Annotator: a.login, Round: 1, Seconds: a.seconds + float64(noise)/3, SubmittedAt: at},
					}
					score := a.score(i, base)
					if a.login != "constant" {
						score += noise
					}
					r.Rating.Scores = map[string]float64{"score": float64(max(0, min(100, score)))}
					line++
					if !yield(r, nil) {
						return
					}
				}
			}
		}
	}
}
