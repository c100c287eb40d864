package main

import (
	"cmp"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/markdown"
)

func (a *app) campaignGuideCommand() *cobra.Command {
	var file string
	var clear bool
	cmd := &cobra.Command{
		Use:   "guide SLUG",
		Short: "Print or replace the guide for annotators",
		Long: `Print the guide for the annotators of a campaign in Markdown: the lead's text if there
is one, else the guide of the protocol. --file replaces it by a text for this campaign.
--clear restores the protocol's guide. Pages always show the scales, severities and
categories beside the guide.

A guide has at most 100 KB. It may not contain images, since pages load nothing from
other sites. HTML is shown as text.`,
		Example: `  annotate campaign guide gold-zh-en > guide.md
  annotate campaign guide gold-zh-en --file guide.md
  annotate campaign guide gold-zh-en --clear`,
		Args: command.Takes("SLUG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			set := cmd.Flags().Changed("file")
			if set && clear {
				return command.Usage("--file and --clear exclude each other")
			}
			var text string
			if set {
				var err error
				if text, err = a.readGuide(file); err != nil {
					return err
				}
			}
			return a.InCampaign(func(r command.Run) error {
				if !set && !clear {
					return a.printGuide(r.Campaign)
				}
				if err := r.Records.SetGuide(r.Ctx, r.Campaign.ID, "", text, ""); err != nil {
					return err
				}
				said := "set the guide of campaign"
				if text == "" {
					said = "restored the protocol's guide in campaign"
				}
				return a.Println(said, r.Campaign.Slug)
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "a `FILE` in Markdown; - for standard input")
	cmd.Flags().BoolVar(&clear, "clear", false, "restore the protocol's guide")
	return cmd
}

// readGuide reads a guide. If parts of it cannot be shown, the error has a line for
// each.
func (a *app) readGuide(file string) (string, error) {
	read := io.Reader(a.Stdin)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", command.Usage("%w", err)
		}
		defer f.Close()
		read = f
	}
	// The limit is high enough to detect a guide that is too long. A byte order mark
	// and carriage returns, which CleanGuide removes, do not count.
	b, err := io.ReadAll(io.LimitReader(read, 2*campaign.MaxGuide+4))
	if err != nil {
		return "", command.Usage("%w", err)
	}
	text, err := campaign.CleanGuide(string(b))
	if err != nil {
		return "", campaign.Invalid("", file+": "+err.Error())
	}
	if text == "" {
		return "", campaign.Invalid("", file+": the file is empty; --clear restores the protocol's guide")
	}
	var lines []string
	for _, p := range markdown.Check(text) {
		lines = append(lines, file+": "+p.Error())
	}
	if len(lines) > 0 {
		return "", campaign.Invalid("", strings.Join(lines, "\n"))
	}
	return text, nil
}

func (a *app) printGuide(c campaign.Campaign) error {
	text := c.Guide
	text = cmp.Or(text, c.Rules.Markdown())
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(a.Stdout, text)
	return err
}
