package evaluation

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/gob"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/report"
	"annotate/internal/store"
)

// ReportState returns a text that identifies the state of the data of a report. It changes
// with the data of the campaign and of the campaigns beside it.
func ReportState(ctx context.Context, st *store.Store, c campaign.Campaign, beside []campaign.Campaign) (string, error) {
	var parts []string
	chain, err := st.Records.Chain(ctx, c)
	if err != nil {
		return "", err
	}
	for _, c := range slices.Concat([]campaign.Campaign{c}, beside, chain[1:]) {
		state, err := st.Desk.ReportState(ctx, c.ID)
		if err != nil {
			return "", err
		}
		if len(parts) > 0 {
			state = c.Slug + ":" + state
		}
		parts = append(parts, state)
	}
	return strings.Join(parts, " "), nil
}

// KeepReport stores a report of a campaign. It replaces the stored report with the same
// choices.
func KeepReport(ctx context.Context, st *store.Store, c campaign.Campaign, choices Choices, r report.Report) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := gob.NewEncoder(z).Encode(r); err != nil {
		return fmt.Errorf("store the report of %s: %w", c.Slug, err)
	}
	if err := z.Close(); err != nil {
		return err
	}
	return st.Desk.KeepReport(
		ctx, c.ID,
		desk.KeptReport{Choices: choices.Key(), State: r.Stamp.State, Program: r.Stamp.Program, ComputedAt: r.Stamp.ComputedAt, Body: b.Bytes()},
	)
}

// KeptReport returns the stored report of a campaign for the choices. The error is
// ErrNotFound if there is none, or if another version of the program stored it in a
// form that this one cannot read.
func KeptReport(ctx context.Context, st *store.Store, c campaign.Campaign, choices Choices) (report.Report, error) {
	var r report.Report
	kept, err := st.Desk.KeptReport(ctx, c.ID, choices.Key())
	if err != nil {
		return r, err
	}
	z, err := gzip.NewReader(bytes.NewReader(kept.Body))
	if err == nil {
		err = gob.NewDecoder(z).Decode(&r)
	}
	if err != nil {
		return report.Report{}, fmt.Errorf("the stored report of %s can't be read (%v): %w", c.Slug, err, campaign.ErrNotFound)
	}
	return r, nil
}

// Program returns the name of this program and the version that Go recorded when it built the
// program: the tag, or "(devel)" and the commit if it is known.
func Program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "annotate (devel)"
	}
	v := "annotate " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && info.Main.Version == "(devel)" {
			v += " " + s.Value
		}
	}
	return v
}
