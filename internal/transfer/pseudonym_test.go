package transfer

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/format"
	"annotate/internal/ingest"
	"annotate/internal/intake"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
	"annotate/web"
)

// named are people with logins and names that stand nowhere else.
var named = []struct {
	login, name string
	role        campaign.Role
}{
	{"zofia.zet@example.org", "Zofia Zet", campaign.Annotator}, {"yusuf-ypsilon", "Yusuf Ypsilon", campaign.Annotator},
	{"boss-qwerty", "Boss Qwerty", campaign.Lead}, {"aardvark", "Aina Aardvark", campaign.Annotator},
}

// pseudonymous makes a campaign in which people are named wherever they can be.
func pseudonymous(t *testing.T, db *storetest.DB, protocol string) campaign.Campaign {
	t.Helper()
	s := storetest.Campaign(t, db.Store, storetest.Slug(protocol), storetest.Protocol(protocol), storetest.Segments(6), storetest.PerDocument(6), storetest.Annotators(0), storetest.Set("gate=report", "redundancy=2"))
	for _, n := range named {
		db.Clock.Advance(time.Minute)
		storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, n.login, n.name, n.role, s.Lead.ID))(t)
	}
	var lines strings.Builder
	for seg := 1; seg <= 6; seg++ {
		for i, n := range []int{0, 1, 3} {
			for k, system := range s.Systems {
				scores := map[string]string{
					"sqm": fmt.Sprintf(`"scores":{"sqm":%d}`, (seg+i*k)%5), "mqm": `"spans":[]`, "esa": fmt.Sprintf(`"scores":{"score":%d}`, 10*((seg+k)%9)),
					"rate": fmt.Sprintf(`"scores":{"accuracy":%d,"fluency":80}`, 10*((seg+k)%9)),
				}[protocol]
				if severity := map[string]string{"mqm": "minor", "esa": "minor", "rate": "2"}[protocol]; severity != "" && k == 1 {
					category := map[string]string{"mqm": `"category":"Style","subcategory":"Awkward",`, "rate": `"category":"Grammar",`}[protocol]
					scores = strings.TrimSuffix(scores, `,"spans":[]`)
					scores = strings.Replace(scores, `"spans":[]`, "", 1)
					if scores != "" {
						scores += ","
					}
					scores += `"spans":[{"id":"1","side":"target","start":0,"end":1,"severity":"` + severity + `",` + category + `"comment":"ask Yusuf Ypsilon"}]`
				} else if protocol == "esa" || protocol == "rate" {
					scores += `,"spans":[]`
				}
				fmt.Fprintf(&lines, `{"segment_id":"s%d","system":"%s","annotator":"%s",%s,"comment":"as AARDVARK said","seconds":%d,"submitted_at":"2026-11-1%dT10:00:00Z"}`+"\n", seg, system, named[n].login, scores, 5+seg, i+1)
			}
		}
	}
	ratings := ingest.Ratings(strings.NewReader(lines.String()), s.Campaign.Rules, ingest.Options{File: "r.jsonl"})
	storetest.Must(db.Intake.ImportRatings(t.Context(), s.Campaign.ID, ratings, intake.ImportOptions{File: "r.jsonl"}))(t)
	boss := storetest.Must(db.Accounts.UserByLogin(t.Context(), "boss-qwerty"))(t)
	storetest.Check(t, db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, boss.ID, records.CampaignChange{Settings: []string{"threshold=0.1", "pseudonyms=yes"}}))
	storetest.Check(t, db.Desk.SetAside(t.Context(), s.Campaign.ID, "aardvark", "zofia.zet@example.org says that Aina Aardvark guessed", boss.ID))
	s.Reload(t)
	return s.Campaign
}

// mentions returns a login or name that a text contains.
func mentions(text string) string {
	text = strings.ToLower(text)
	for _, n := range named {
		for _, word := range append(strings.Fields(n.name), n.login, strings.Split(n.login, "@")[0]) {
			if i := strings.Index(text, strings.ToLower(word)); i >= 0 && word != "Boss" {
				return fmt.Sprintf("%s in %q", word, text[max(0, i-40):min(len(text), i+40)])
			}
		}
	}
	return ""
}

// No format contains a login or a name, and nothing else is changed.
func TestPseudonymsInEveryFormat(t *testing.T) {
	db := storetest.Open(t)
	for _, protocol := range []string{"sqm", "esa", "mqm", "rate"} {
		c := pseudonymous(t, db, protocol)
		open := c
		open.Settings.Pseudonyms = false
		for _, id := range Formats(c) {
			var masked, plain bytes.Buffer
			if _, err := Export(t.Context(), db.Store, c, id, &masked); err != nil {
				t.Fatal(id, err)
			}
			if _, err := Export(t.Context(), db.Store, open, id, &plain); err != nil {
				t.Fatal(id, err)
			}
			if id == format.MTME {
				a, b := unpack(t, masked.Bytes()), unpack(t, plain.Bytes())
				for path, text := range a {
					if text != b[path] || mentions(path+text) != "" {
						t.Errorf("%s: %s is not the same under pseudonyms, or names somebody: %s", protocol, path, mentions(path+text))
					}
				}
				continue
			}
			if format.Lookup(id).Output.Type == "application/zip" {
				a, b := unpack(t, masked.Bytes()), unpack(t, plain.Bytes())
				for path, text := range a {
					if strings.Count(text, "\n") != strings.Count(b[path], "\n") || mentions(path+text) != "" {
						t.Errorf("%s, %s: %s has other lines under pseudonyms, or names somebody: %s", protocol, id, path, mentions(path+text))
					}
				}
				continue
			}
			if found := mentions(masked.String()); found != "" {
				t.Errorf("%s, %s names somebody: %s", protocol, id, found)
			}
			if slices.Contains([]string{format.Ratings, "csv", "rate", "mqm-tsv"}, id) && (mentions(plain.String()) == "" || !strings.Contains(masked.String(), "A02")) {
				t.Errorf("%s, %s tells nothing", protocol, id)
			}
			if a, b := strings.Count(masked.String(), "\n"), strings.Count(plain.String(), "\n"); a != b {
				t.Errorf("%s, %s has %d lines under pseudonyms, %d without", protocol, id, a, b)
			}
		}
		checkPseudonymArchive(t, db, c)
	}
}

func checkPseudonymArchive(t *testing.T, db *storetest.DB, c campaign.Campaign) {
	t.Helper()
	for _, choice := range []string{"", "no"} {
		r := storetest.Must(evaluation.ComputeReport(t.Context(), db.Store, &evaluation.ReportTask{Campaign: c, Choices: evaluation.Choices{Pseudonyms: choice}.For(c), Now: db.Clock.Now}))(t)
		var html, zipped bytes.Buffer
		storetest.Check(t, web.WriteReport(t.Context(), &html, r))
		z := NewZipTree(&zipped, db.Clock.Now())
		a := &Archive{Campaign: c, Report: r, Page: html.Bytes(), State: func(ctx context.Context) (string, error) { return evaluation.ReportState(ctx, db.Store, c, nil) }}
		storetest.Check(t, a.Write(t.Context(), db.Store, z))
		storetest.Check(t, z.Close())
		for path, text := range unpack(t, zipped.Bytes()) {
			if strings.HasSuffix(path, ".png") || strings.HasSuffix(path, ".pdf") {
				text = "" // bytes that are compressed can spell anything; the SVG beside has the words of the drawing
			}
			found := mentions(path + text)
			if choice == "" && found != "" {
				t.Errorf("%s, %s names somebody: %s", c.Slug, path, found)
			}
			if choice == "no" && found == "" && slices.Contains([]string{"README.md", "report.html", "data/ratings.jsonl", "tables/set-aside.tex", "figures/iaa-system.svg", "tables/annotators.md"}, path) {
				t.Errorf("%s, %s names nobody with pseudonyms turned off", c.Slug, path)
			}
		}
	}
}

// Pseudonyms are numbered in the order of joining and never change, and the key names the
// people.
func TestPseudonymKey(t *testing.T) {
	db := storetest.Open(t)
	c := pseudonymous(t, db, "sqm")
	key := func() string {
		var b strings.Builder
		storetest.Check(t, WritePseudonymKey(t.Context(), db.Store, c, &b))
		return b.String()
	}
	want := "pseudonym,login,name,role,letter\nA01,zofia.zet@example.org,Zofia Zet,annotator,B\nA02,yusuf-ypsilon,Yusuf Ypsilon,annotator,A\nA03,aardvark,Aina Aardvark,annotator,\n" +
		"L01,lead,lead,lead,\nL02,boss-qwerty,Boss Qwerty,lead,\nR01,researcher,researcher,researcher,\n"
	if got := key(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	db.Clock.Advance(time.Minute)
	storetest.Check(t, db.Accounts.RemoveMember(t.Context(), c.ID, "zofia.zet@example.org", ""))
	storetest.Must(db.Accounts.Invite(t.Context(), c.ID, "abba", "Abba", campaign.Annotator, ""))(t)
	if got := key(); !strings.Contains(got, "\nA01,zofia.zet@example.org,") || !strings.Contains(got, "\nA04,abba,Abba,annotator,\n") {
		t.Errorf("later\n%s", got)
	}
}
