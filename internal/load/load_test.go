package main

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"annotate/internal/server"
	"annotate/internal/store/storetest"
)

// What a run's annotators were told is saved is read back, and a save that the server has lost is named.
func TestReadBack(t *testing.T) {
	db := storetest.Open(t)
	srv, err := server.New(server.Config{}, db.Store)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv.Handler())
	defer ts.Close()
	s := storetest.Campaign(t, db.Store, storetest.Slug(slug), storetest.Segments(12), storetest.Systems(2), storetest.Set("quota=0"))
	at := &site{addr: strings.TrimPrefix(ts.URL, "http://")}
	var crew []*annotator
	for _, u := range s.Annotators {
		token, err := db.Accounts.NewLink(t.Context(), u.ID)
		storetest.Check(t, err)
		a := &annotator{site: at, given: map[string]*work{}}
		storetest.Check(t, a.signIn("/sign-in/link/"+token))
		storetest.Check(t, a.begin())
		crew = append(crew, a)
	}
	for _, o := range []options{{submit: true, rate: 20, length: 200 * time.Millisecond}, {rate: 200, length: 100 * time.Millisecond}} {
		if f, err := once(t.Context(), at, crew, o); err != nil || f.perSecond == 0 {
			t.Fatalf("a run gives %+v, %v", f, err)
		}
	}
	var said strings.Builder
	storetest.Check(t, readBack(t.Context(), &said, at, crew))
	if want := "nothing that was acknowledged is missing"; !strings.Contains(said.String(), want) {
		t.Errorf("the command says %q, want %q in it", said.String(), want)
	}
	if n := storetest.Query[int](t, db, "SELECT count(*) FROM assignments WHERE state = 'submitted'")[0]; n == 0 {
		t.Error("nothing was submitted")
	}
	storetest.Check(t, db.DB.Conn.Exec("UPDATE drafts SET revision = revision - 1 WHERE revision > 0 AND assignment_id = (SELECT max(assignment_id) FROM drafts)").Error)
	if err := readBack(t.Context(), &said, at, crew); err == nil || !strings.Contains(err.Error(), "that were acknowledged are not there") {
		t.Errorf("after a lost save the command says %v", err)
	}
}

// A restored backup may have what was saved after it began, and must have what was acknowledged before.
func TestLostSince(t *testing.T) {
	at := func(revision int, score float64, submitted bool) *work {
		return &work{Submitted: submitted, Cards: []card{{"c", revision, map[string]float64{"sqm": score}}}}
	}
	for _, c := range []struct {
		want, got *work
		lost      int
	}{
		{at(2, 3, false), at(2, 3, false), 0},
		{at(2, 3, false), at(3, 1, false), 0}, // saved since
		{at(2, 3, false), at(0, 1, true), 0},  // saved and submitted since, and its round is complete
		{at(2, 3, true), at(0, 3, true), 0},   // its round is complete
		{at(2, 3, true), at(0, 1, true), 1},
		{at(2, 3, true), at(2, 3, false), 1},
		{at(2, 3, false), at(1, 3, false), 1},
		{at(2, 3, false), at(2, 1, false), 1},
		{at(2, 3, false), &work{}, 1},
	} {
		if lost := c.want.lostSince(c.got); len(lost) != c.lost {
			t.Errorf("of %+v, %+v lacks %v", c.want, c.got, lost)
		}
	}
}
