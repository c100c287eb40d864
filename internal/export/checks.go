package export

import (
	"io"
	"iter"
	"math"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
)

// Checks writes checks in the format "checks", a JSON object a line. people name the annotators.
func Checks(w io.Writer, people *campaign.Pseudonyms, checks iter.Seq[readmodel.Check]) error {
	out := lines{w: w}
	for k := range checks {
		o := out.object()
		o.text("kind", string(k.Kind))
		o.text("annotator", people.Login(k.Login))
		o.text("doc_id", k.DocID)
		o.text("segment_id", k.SegmentID)
		o.text("system", k.System)
		o.text("original", k.Original)
		o.text("text", k.Text)
		if k.Submitted {
			o.number("score", k.Score)
			if !math.IsNaN(k.Against) {
				o.number("against", k.Against)
				o.text("basis", k.Basis)
				if k.Uncounted == "" {
					o.bool("passed", k.Passed)
				} else {
					o.text("not_counted", k.Uncounted)
				}
			}
			o.number("seconds", k.Seconds)
			o.text("submitted_at", k.SubmittedAt.UTC().Format(time.RFC3339Nano))
		}
		if k.Removed {
			o.bool("removed", true)
		}
		o.line()
		if err := out.end(); err != nil {
			return err
		}
	}
	return out.flush()
}
