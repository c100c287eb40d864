package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/labstack/echo/v5"

	"annotate/internal/server/site"
)

// durations are the upper bounds, in seconds, of the classes in which the times of requests are counted. The third one is
// the most that a page should take.
var durations = []float64{.005, .02, .05, .15, .5, 1, 3, 10, 60}

// figures counts what a monitor reads.
type figures struct {
	set          *metrics.Set
	saves        *metrics.Counter
	wrong, tried *metrics.Counter // sign-ins refused, by reason
}

func newFigures(s *Server) *figures {
	f := &figures{set: metrics.NewSet()}
	f.saves = f.set.NewCounter("annotate_saves_total")
	f.wrong = f.set.NewCounter(`annotate_sign_ins_refused_total{reason="wrong"}`)
	f.tried = f.set.NewCounter(`annotate_sign_ins_refused_total{reason="too many"}`)
	for kind, underWay := range map[string]func() int{
		"report": s.results.Reports.Runner.UnderWay, "file": s.results.Files.Runner.UnderWay, "import": s.setup.Imports.Runner.UnderWay,
		"judge": s.setup.JudgeRuns.Runner.UnderWay, "agreement": s.monitoring.Judged.Runner.UnderWay, "settling": s.Settling.UnderWay,
	} {
		f.set.NewGauge(fmt.Sprintf("annotate_jobs{kind=%q}", kind), func() float64 { return float64(underWay()) })
	}
	return f
}

// count counts a request that is answered.
func (f *figures) count(c *echo.Context, took time.Duration) {
	status, method, route := site.Answer(c).Status, c.Request().Method, c.Path()
	if route == "" { // no such address; anything may be asked for by any method
		method, route = "other", "other"
	}
	labels := fmt.Sprintf("method=%q,route=%q", method, route)
	f.set.GetOrCreateCounter("annotate_requests_total{" + labels + `,status="` + strconv.Itoa(status) + `"}`).Inc()
	f.set.GetOrCreatePrometheusHistogramExt("annotate_request_duration_seconds{"+labels+"}", durations).Update(took.Seconds())
	_, wrong := c.Get(site.FailedKey).(string)
	switch {
	case route == site.CardPath && status == http.StatusOK:
		f.saves.Inc()
	case status == http.StatusTooManyRequests:
		f.tried.Inc()
	case wrong:
		f.wrong.Inc()
	}
}

// Metrics answers a monitor in the text format of Prometheus: requests by route, saves, writes and jobs that wait, the size of
// the database, sign-ins that were refused, and figures of the process. No text of a campaign and no login is among them. It
// belongs on an address that only the monitor reaches.
func (s *Server) Metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		s.figures.set.WritePrometheus(w)
		load := s.store.DB.Load()
		metrics.WriteGaugeUint64(w, "annotate_writes_waiting", uint64(load.Writes))
		metrics.WriteGaugeUint64(w, "annotate_database_connections", uint64(load.Connections))
		metrics.WriteCounterUint64(w, "annotate_database_connection_waits_total", uint64(load.Waits))
		state := s.health.state(r.Context())
		canSave := 0.0
		if state.CanSave {
			canSave = 1
		}
		metrics.WriteGaugeFloat64(w, "annotate_can_save", canSave)
		if size, err := s.store.DB.Size(context.WithoutCancel(r.Context())); err == nil {
			metrics.WriteGaugeUint64(w, "annotate_database_bytes", uint64(max(0, size)))
		}
		if state.DiskFreeBytes != nil {
			metrics.WriteGaugeUint64(w, "annotate_disk_free_bytes", uint64(max(0, *state.DiskFreeBytes)))
		}
		metrics.WriteProcessMetrics(w)
	})
}
