package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"annotate/internal/metaeval"
)

// A metricsFile is the content of the file that --metrics-file names.
type metricsFile struct {
	Metrics []struct {
		Name          string `json:"name"`
		Group         string `json:"group"`
		LowerIsBetter *bool  `json:"lower_is_better"` // nil keeps what was declared before
	} `json:"metrics"`
	Reference      string   `json:"reference"`
	ExcludeSystems []string `json:"exclude_systems"`
}

// readMetricsFile reads a file of metrics. Without a path the result is empty.
func readMetricsFile(path string) (m metricsFile, err error) {
	if path == "" {
		return m, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return m, Usage("--metrics-file: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		line := 1 + bytes.Count(text[:min(int(decoder.InputOffset()), len(text))], []byte("\n"))
		return m, Usage("--metrics-file: %s:%d: %w; see annotate metaeval --help for the form", path, line, err)
	}
	if err := decoder.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return m, Usage("--metrics-file: %s: there is more text after the JSON object; the file must be a single JSON object, so remove the rest", path)
	}
	for i, metric := range m.Metrics {
		if metric.Name == "" {
			return m, Usage("--metrics-file: %s: metrics[%d] has no name; give every metric a name", path, i)
		}
	}
	return m, nil
}

// choose adds the choices of the file to those of the flags.
func (m metricsFile) choose(c *metaeval.Choice) {
	for _, metric := range m.Metrics {
		c.Metrics = append(c.Metrics, metric.Name)
	}
	for _, system := range m.ExcludeSystems {
		if !slices.Contains(c.Exclude, system) {
			c.Exclude = append(c.Exclude, system)
		}
	}
	if m.Reference != "" {
		c.Declared = append(c.Declared, m.Reference)
	}
	if c.Reference == "" && !c.AllReferences {
		c.Reference = m.Reference
	}
}

// declare sets the direction and the group of the metrics that the file names.
func (m metricsFile) declare(d *metaeval.Data) {
	for _, metric := range m.Metrics {
		for i := range d.Metrics {
			s := &d.Metrics[i]
			base := s.Name
			if at := strings.LastIndexByte(base, '-'); at >= 0 {
				base = base[:at]
			}
			if s.Name != metric.Name && base != metric.Name {
				continue
			}
			if metric.Group != "" {
				s.Group = metric.Group
			}
			if metric.LowerIsBetter != nil {
				s.LowerIsBetter = *metric.LowerIsBetter
			}
		}
	}
}
