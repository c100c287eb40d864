package storetest

import (
	"fmt"
	"iter"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"annotate/internal/campaign"
)

// LongText is about 150 bytes, never twice the same.
func LongText(n int) string {
	return fmt.Sprintf("%d %s", n, strings.Repeat("Der schnelle Fuchs springt. ", 6))[:150]
}

// ManyLines makes segments with 150-byte texts.
func ManyLines(segments, systems int) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		for i := range segments {
			seg := campaign.Segment{DocID: fmt.Sprint("d", i/10), SegmentID: fmt.Sprint("s", i), Domain: fmt.Sprint("domain", i%4), Source: LongText(i)}
			for k := range systems {
				seg.Translations = append(seg.Translations, campaign.Translation{System: fmt.Sprint("system", k), Text: LongText(i*systems + k)})
			}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: seg}, nil) {
				return
			}
		}
	}
}

// ResetPeak resets the figure of [PeakMB].
func ResetPeak(b testing.TB) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Log(err)
	}
}

// PeakMB is the most memory that the process has held, in megabytes; 0 where the system
// does not tell. The heap of Go alone says little, since SQLite allocates outside it.
func PeakMB(b testing.TB) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kb float64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		b.Log(err)
	}
	return kb / 1024
}
