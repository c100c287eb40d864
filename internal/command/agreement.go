package command

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/spreadsheet"
)

// agreementFormats lists the formats of annotate agreement.
var agreementFormats = []string{"text", "json", "csv"}

// AgreementCommand makes the command agreement.
func (a *App) AgreementCommand() *cobra.Command {
	var format string
	var gold bool
	cmd := &cobra.Command{
		Use:   "agreement CAMPAIGN",
		Short: "Print the agreement of a campaign's annotators",
		Long: `Print how far the annotators of a campaign agree, at one state of the database.

Two annotators are compared in the latest round of each segment that both submitted
and that counts, whatever the status of the segment. --gold compares them only in segments in gold.
At system level r is Pearson's correlation of the sums of their scores by system. At
segment level r is the mean of Pearson's correlations within single segments. r is
undefined for fewer than three systems, and if one annotator gave the same score
throughout.

Annotators are named by login, or by pseudonym if the campaign's setting
pseudonyms is on.

Krippendorff's alpha compares all annotators at once, in the latest round of each
segment that at least two submitted. The comparison of each annotator with the mean
of the others uses the same rounds. If the gate score of the protocol is ordinal, as
that of sqm is, alpha is ordinal, and Cohen's kappa is computed with quadratic
weights over the whole scale. Otherwise alpha is interval, and there is no kappa.

Further tables compare the score of each judge with the gate score of each
annotator, in the annotator's latest round of each segment, and with the scores of
the other judges. No figure about annotators depends on judges.

  text  all results as tables
  json  the last decided round of every segment with its pairs, both matrices,
        alpha, each annotator with their flags, checks that annotators took, if any,
        judges with their pairs, work that is set aside, changes of settings and a
        summary; undefined values are null. Alpha, pairs, annotators and judges have
        95 % intervals, from resamples of whole documents
  csv   a row for each pair of annotators in the last decided round of each
        segment: doc_id, segment_id, round, status, a, b, shared (translations that
        both rated), r, reason, passed. A segment without a decision or without a
        pair has one row, in which the columns of the pair are empty`,
		Example: `  annotate agreement gold-zh-en
  annotate agreement gold-zh-en --format json | jq .summary`,
		Args: Takes("CAMPAIGN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := CheckFormat(format, agreementFormats); err != nil {
				return err
			}
			return a.InCampaign(func(r Run) error {
				p := a.NewProgress()
				f, err := api.ReadAgreement(r.Ctx, r.Store, r.Campaign, gold, func(n int) { p.Say("read %d segments of %s", n, r.Campaign.Slug) })
				p.Clear()
				if err != nil {
					return err
				}
				switch format {
				case "csv":
					return writeAgreementCSV(a.Stdout, f.Report)
				case "json":
					return api.WriteJSON(a.Stdout, f.JSON(r.Campaign))
				}
				return a.writeAgreementText(r.Campaign, f, gold)
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the figures: "+strings.Join(agreementFormats, ", "))
	cmd.Flags().BoolVar(&gold, "gold", false, "compare annotators only in segments in gold")
	return cmd
}

func writeAgreementCSV(w io.Writer, r campaign.AgreementReport) error {
	out := csv.NewWriter(w)
	out.Write([]string{"doc_id", "segment_id", "round", "status", "a", "b", "shared", "r", "reason", "passed"})
	for _, s := range r.Segments {
		segment := []string{spreadsheet.Escape(s.DocID), spreadsheet.Escape(s.SegmentID), strconv.Itoa(s.Round), string(s.Status)}
		if len(s.Pairs) == 0 {
			out.Write(append(segment, "", "", "", "", "", ""))
		}
		for _, p := range s.Pairs {
			corr := ""
			if p.R != nil {
				corr = strconv.FormatFloat(*p.R, 'g', -1, 64)
			}
			out.Write(append(segment[:4:4], p.A, p.B, strconv.Itoa(p.Shared), corr, string(p.Reason), strconv.FormatBool(p.Passed)))
		}
	}
	out.Flush()
	return out.Error()
}
