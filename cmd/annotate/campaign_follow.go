package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

func (a *app) campaignFollowCommand() *cobra.Command {
	var from, newTexts string
	var where, carry []string
	var take, stop bool
	cmd := &cobra.Command{
		Use:   "follow NEXT [--from PREV]",
		Short: "Have a campaign take over segments that another one has settled",
		Long: `Make the campaign NEXT follow the campaign PREV, and say how many of PREV's segments are
ready: the segments in gold that meet all conditions and that NEXT has not taken over. If
annotators have left different texts, a segment that brings a text waits for an adjudicator.
Without --from, the command prints what NEXT follows. --take imports the segments that are
ready, all or none. annotate import undo undoes this while nobody has worked on them. With
the setting follow=auto, the server takes segments over by itself.

Each --where is a condition on a settled answer: QUESTION=VALUE, for a choice also
QUESTION=VALUE,VALUE (one of the values), and for a number QUESTION>=N or QUESTION<=N.
--carry names what the segments bring: source (the cleaned source), reference (the accepted
text as reference, or the reference that the segment has), answers (the answers as domain and
tags), candidates (the texts to choose from), terms (the gold terms as given terms, for a
protocol that takes them; a segment without a term in its source then stays behind). Segments
always bring ids, domain and context.

The pages of NEXT name later changes in PREV. Nothing takes them over silently. --new-texts
takes over the sources and references that have changed: a source under a protocol about
segments without marks and terms, such as reference, and a reference under one that asks
about it, such as review. Segments that were rated get another look by their annotators, who
read the REASON. The earlier texts and ratings stay in the history. Segments that somebody
works on, or that are discarded or withdrawn, are left out.`,
		Example: `  annotate campaign follow translate --from inspect --where keep=yes --where "difficulty>=3" --carry source --carry answers
  annotate campaign follow translate --take
  annotate campaign follow translate --stop
  annotate campaign follow check --new-texts "The text was rewritten after the review."`,
		Args: command.Takes("NEXT"),
		RunE: a.InCampaign(func(r command.Run) error {
			takesNew := r.Cmd.Flags().Changed("new-texts")
			switch {
			case from == "" && len(where)+len(carry) > 0:
				return command.Usage("--where and --carry need --from, which names the campaign to follow")
			case stop && (from != "" || take || r.JSON() || takesNew):
				return command.Usage("--stop ends the following; leave --from, --take, --new-texts and --json out")
			case takesNew && (from != "" || take):
				return command.Usage("--new-texts is a command of its own; leave --from and --take out")
			case takesNew:
				n, err := r.Intake.TakeNewTexts(r.Ctx, r.Campaign.ID, nil, newTexts, "")
				if err != nil {
					return err
				}
				if r.JSON() {
					return api.WriteJSON(a.Stdout, api.NewTexts{Segments: n})
				}
				return a.Printf("%s took over a new text\n", wording.Counted(n, "segment"))
			case stop:
				err := r.Intake.StopFollowing(r.Ctx, r.Campaign.ID, "")
				if errors.Is(err, campaign.ErrNotFound) {
					return command.Usage("campaign %s follows no other campaign", r.Campaign.Slug)
				}
				if err != nil {
					return err
				}
				return a.Printf("campaign %s no longer follows a campaign; the segments that it took over stay\n", r.Campaign.Slug)
			case from != "":
				prev, err := r.Records.Campaign(r.Ctx, from)
				if err != nil {
					return err
				}
				rule, err := campaign.NewFollow(prev.Rules, where, carry)
				if err != nil {
					return err
				}
				if err := r.Intake.Follow(r.Ctx, r.Campaign.ID, prev.ID, rule, ""); err != nil {
					return err
				}
			}
			if take {
				report, err := r.Intake.TakeOver(r.Ctx, r.Campaign.ID, "")
				if problems, ok := errors.AsType[*campaign.Problems](err); ok {
					fmt.Fprintln(a.Stderr, problems)
					return &refusedError{problems, "nothing was taken over"}
				}
				if err != nil {
					return err
				}
				if r.JSON() {
					return api.WriteJSON(a.Stdout, api.ImportReportOf(report, false))
				}
				return a.Printf("took over %s\n", wording.Counted(report.Segments, "segment"))
			}
			f, err := r.Intake.Following(r.Ctx, r.Campaign)
			if err != nil {
				return err
			}
			if r.JSON() {
				return api.WriteJSON(a.Stdout, api.FollowingOf(r.Campaign.Slug, f))
			}
			if f != nil && f.NoReference {
				fmt.Fprintf(a.Stderr, "annotate: note: %s asks about the reference, and the segments bring none; add --carry reference, or import references\n", r.Campaign.Rules.Name)
			}
			return a.Println(followingWords(r.Campaign.Slug, f))
		}),
	}
	f := cmd.Flags()
	f.StringVar(&from, "from", "", "slug of the campaign `PREV` to follow")
	f.StringArrayVar(&where, "where", nil, "a `CONDITION` on a settled answer, such as keep=yes or difficulty>=3; may be repeated")
	f.StringArrayVar(&carry, "carry", nil, "`WHAT` segments bring: "+strings.Join(campaign.Carries, ", ")+"; may be repeated")
	f.BoolVar(&take, "take", false, "take over the segments that are ready")
	f.StringVar(&newTexts, "new-texts", "", "take over texts that have changed; annotators read the `REASON`")
	f.BoolVar(&stop, "stop", false, "stop following")
	return command.WithJSON(cmd)
}

// followingWords says what a campaign follows. f may be nil.
func followingWords(slug string, f *readmodel.Following) string {
	switch {
	case f == nil:
		return "campaign " + slug + " follows no other campaign"
	case f.Gone:
		return fmt.Sprintf("campaign %s followed %s, which was deleted", slug, wording.Quote(f.Title))
	}
	out := "campaign " + slug + " follows " + f.Slug
	if len(f.Where) > 0 {
		out += " where " + wording.List(f.Where)
	}
	if len(f.Carry) > 0 {
		out += ", with " + wording.List(f.Carry)
	}
	if f.Archived {
		return out + "; it is archived and hands nothing on"
	}
	return out + "; " + wording.Counted(f.Ready, "segment") + wording.Choose(f.Ready, " is", " are") + " ready"
}
