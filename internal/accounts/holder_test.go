package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// A credential is a link, session or password of an account, with the people who may
// know it besides the one whose account it is.
type credential struct {
	kind   string // "link", "session" or "password"
	secret string // token, or the stored text of a password
	of     string // login
	known  []string
	ended  bool // by an act that ends it whoever knows it, or because somebody who must not knew it
}

// A doorWorld is two campaigns, a led by lead and b by other, with people whose
// rights the acts of [doorActs] change. The person is a researcher of a, the helper
// an annotator there; lead invited both.
type doorWorld struct {
	t      *testing.T
	db     *storetest.DB
	prefix string
	a, b   campaign.Campaign
	creds  []*credential
	join   string // token of the join link that other, and nobody else, may know
	n      int
}

func (w *doorWorld) login(who string) string { return w.prefix + who }

func (w *doorWorld) user(who string) accounts.User {
	u, err := w.db.Accounts.UserByLogin(w.t.Context(), w.login(who))
	if err != nil {
		w.t.Error(err)
	}
	return u
}

// may reports whether an act succeeded. It fails the test if the error is not a refusal.
func (w *doorWorld) may(err error) bool {
	if err != nil && !errors.Is(err, campaign.ErrConflict) && !errors.Is(err, campaign.ErrForbidden) && !errors.Is(err, campaign.ErrNotFound) {
		w.t.Errorf("%s: %v", w.prefix, err)
	}
	return err == nil
}

func (w *doorWorld) add(kind, secret, of string, known ...string) *credential {
	known = slices.DeleteFunc(slices.Clone(known), func(who string) bool { return who == of || who == "" })
	c := &credential{kind: kind, secret: secret, of: of, known: known}
	w.creds = append(w.creds, c)
	return c
}

// latest is the credential of a kind that was made last and is still good; nil if
// there is none.
func (w *doorWorld) latest(kind, of string) *credential {
	for _, c := range slices.Backward(w.creds) {
		if c.kind == kind && c.of == of && !c.ended {
			return c
		}
	}
	return nil
}

func (w *doorWorld) end(of string, keep *credential, kinds ...string) {
	for _, c := range w.creds {
		if c.of == of && c != keep && slices.Contains(kinds, c.kind) {
			c.ended = true
		}
	}
}

// as returns the context in which a person acts in a session. If session is nil, it is a
// session that nobody else knows.
func (w *doorWorld) as(who string, session *credential) context.Context {
	a := records.Actor{UserID: w.user(who).ID}
	if session != nil {
		a.Session = session.secret
	}
	return records.WithActor(w.t.Context(), a)
}

// useLink signs in with the person's latest link; anybody who knows the link may be the one
// who did.
func (w *doorWorld) useLink() *credential {
	link := w.latest("link", "person")
	if link == nil {
		return nil
	}
	token, err := w.db.Accounts.UseLink(w.t.Context(), link.secret, "")
	if !w.may(err) {
		return nil
	}
	link.ended = true
	return w.add("session", token, "person", link.known...)
}

// choosePassword sets a password in a session, with the current password as proof
// where there is one to give.
func (w *doorWorld) choosePassword(session, proof *credential) {
	if session == nil {
		return
	}
	w.n++
	fresh, old := fmt.Sprintf("hash %d", w.n), ""
	known := session.known
	if proof != nil {
		old = proof.secret
		known = slices.DeleteFunc(slices.Clone(known), func(who string) bool { return !slices.Contains(proof.known, who) })
	}
	if w.may(w.db.Accounts.ChangePassword(w.t.Context(), session.secret, old, fresh)) {
		w.end("person", session, "link", "session", "password")
		w.add("password", fresh, "person", known...)
	}
}

// accept answers the invitation to b in the person's latest session. Who joins in need of a new password
// chooses one that those know who know the session and the join link.
func (w *doorWorld) accept(join string) {
	session := w.latest("session", "person")
	if session == nil {
		return
	}
	w.n++
	hash := fmt.Sprintf("hash %d", w.n)
	fresh, err := w.db.Accounts.Join(w.as("person", session), w.b.ID, session.secret, join, hash, "")
	if !w.may(err) || fresh == "" {
		return
	}
	if join != w.join {
		w.t.Errorf("%s: somebody joined without the join link", w.prefix)
	}
	both := slices.DeleteFunc(slices.Clone(session.known), func(who string) bool { return who != "other" })
	w.end("person", nil, "link", "session", "password")
	w.add("password", hash, "person", both...)
	w.add("session", fresh, "person", both...)
}

func (w *doorWorld) link(token string, err error, of string, known ...string) {
	if w.may(err) {
		w.add("link", token, of, known...)
	}
}

func (w *doorWorld) setRole(who, role string) {
	before := w.user(who).Role
	if w.may(w.db.Accounts.SetRole(w.t.Context(), w.user(who).ID, role)) && role == accounts.Admin && before != role {
		w.end(who, nil, "link", "session")
	}
}

func (w *doorWorld) disable(who string, disabled bool) {
	if w.may(w.db.Accounts.SetDisabled(w.t.Context(), w.user(who).ID, disabled)) && disabled {
		w.end(who, nil, "link", "session")
	}
}

func (w *doorWorld) member(c campaign.Campaign, who string, role campaign.Role, by string) {
	byID := ""
	if by != "" {
		byID = w.user(by).ID
	}
	w.may(w.db.Accounts.AddMember(w.t.Context(), c.ID, w.login(who), role, byID))
}

func (w *doorWorld) remove(c campaign.Campaign, who string) {
	w.may(w.db.Accounts.RemoveMember(w.t.Context(), c.ID, w.login(who), ""))
}

type doorAct struct {
	name string
	do   func(w *doorWorld)
}

var doorActs = []doorAct{
	{"nothing", func(*doorWorld) {}},
	{"other invites the person to b", func(w *doorWorld) {
		made, err := w.db.Accounts.Invite(w.as("other", nil), w.b.ID, w.login("person"), "", campaign.Researcher, w.user("other").ID)
		if w.may(err) {
			w.join = made.Join
		}
	}},
	{"lead, who has no join link, accepts in the person's session", func(w *doorWorld) { w.accept("made up") }},
	{"the person accepts with the join link", func(w *doorWorld) { w.accept(w.join) }},
	{"the command line adds the person to b as lead", func(w *doorWorld) { w.member(w.b, "person", campaign.Lead, "") }},
	{"lead promotes the person to lead of a", func(w *doorWorld) { w.member(w.a, "person", campaign.Lead, "lead") }},
	{"the person becomes an annotator of a", func(w *doorWorld) { w.member(w.a, "person", campaign.Annotator, "lead") }},
	{"the person is removed from a", func(w *doorWorld) { w.remove(w.a, "person") }},
	{"the person is removed from b", func(w *doorWorld) { w.remove(w.b, "person") }},
	{"the person becomes admin", func(w *doorWorld) { w.setRole("person", accounts.Admin) }},
	{"the person is no longer admin", func(w *doorWorld) { w.setRole("person", accounts.Member) }},
	{"the person is disabled", func(w *doorWorld) { w.disable("person", true) }},
	{"the person is enabled", func(w *doorWorld) { w.disable("person", false) }},
	{"lead is removed from a", func(w *doorWorld) { w.remove(w.a, "lead") }},
	{"lead is demoted to researcher of a", func(w *doorWorld) { w.member(w.a, "lead", campaign.Researcher, "") }},
	{"lead leads a again", func(w *doorWorld) { w.member(w.a, "lead", campaign.Lead, "") }},
	{"lead joins b as lead", func(w *doorWorld) { w.member(w.b, "lead", campaign.Lead, "other") }},
	{"lead is disabled", func(w *doorWorld) { w.disable("lead", true) }},
	{"lead is enabled", func(w *doorWorld) { w.disable("lead", false) }},
	{"lead becomes admin", func(w *doorWorld) { w.setRole("lead", accounts.Admin) }},
	{"lead is no longer admin", func(w *doorWorld) { w.setRole("lead", accounts.Member) }},
	{"boss is no longer admin", func(w *doorWorld) { w.setRole("boss", accounts.Member) }},
	{"lead renews the person's link", func(w *doorWorld) {
		token, err := w.db.Accounts.RenewLink(w.as("lead", nil), w.a.ID, w.login("person"), w.user("lead"))
		w.link(token, err, "person", "lead")
	}},
	{"other renews the person's link", func(w *doorWorld) {
		token, err := w.db.Accounts.RenewLink(w.as("other", nil), w.b.ID, w.login("person"), w.user("other"))
		w.link(token, err, "person", "other")
	}},
	{"boss makes the person a link", func(w *doorWorld) {
		token, err := w.db.Accounts.NewLink(w.as("boss", nil), w.user("person").ID)
		w.link(token, err, "person", "boss")
	}},
	{"the command line makes the person a link", func(w *doorWorld) {
		token, err := w.db.Accounts.NewLink(w.t.Context(), w.user("person").ID)
		w.link(token, err, "person")
	}},
	{"the person makes the helper a link", func(w *doorWorld) {
		session := w.latest("session", "person")
		if session == nil {
			return
		}
		token, err := w.db.Accounts.RenewLink(w.as("person", session), w.a.ID, w.login("helper"), w.user("person"))
		w.link(token, err, "helper", append(slices.Clone(session.known), "person")...)
	}},
	{"the link is used", func(w *doorWorld) { w.useLink() }},
	{"the link is used and a password set", func(w *doorWorld) { w.choosePassword(w.useLink(), nil) }},
	{"the password is changed", func(w *doorWorld) {
		if proof := w.latest("password", "person"); proof != nil {
			w.choosePassword(w.latest("session", "person"), proof)
		}
	}},
	{"the password is used", func(w *doorWorld) {
		if c := w.latest("password", "person"); c != nil {
			if token, err := w.db.Accounts.StartSession(w.t.Context(), w.user("person"), ""); w.may(err) {
				w.add("session", token, "person", c.known...)
			}
		}
	}},
	{"the command line sets the password", func(w *doorWorld) {
		w.n++
		hash := fmt.Sprintf("hash %d", w.n)
		if w.may(w.db.Accounts.SetPassword(w.t.Context(), w.user("person").ID, hash)) {
			w.end("person", nil, "link", "session", "password")
			w.add("password", hash, "person")
		}
	}},
	{"the person signs out everywhere else", func(w *doorWorld) {
		keep := w.latest("session", "person")
		if keep != nil && w.may(w.db.Accounts.EndSessions(w.t.Context(), w.user("person").ID, keep.secret)) {
			w.end("person", keep, "link", "session")
		}
	}},
	{"an admin signs the person out", func(w *doorWorld) {
		if w.may(w.db.Accounts.EndSessions(w.t.Context(), w.user("person").ID, "")) {
			w.end("person", nil, "link", "session")
		}
	}},
	{"the person creates a campaign", func(w *doorWorld) {
		if session := w.latest("session", "person"); session != nil {
			c := w.a
			c.Slug = strings.ToLower(w.prefix) + "own"
			_, err := w.db.Accounts.CreateCampaign(w.as("person", session), c, w.user("person").ID)
			w.may(err)
		}
	}},
}

// newDoorWorld has links, sessions and a password of the person that lead may know,
// and a session that nobody else does.
func newDoorWorld(t *testing.T, db *storetest.DB, prefix string) *doorWorld {
	w := &doorWorld{t: t, db: db, prefix: prefix}
	for who, role := range map[string]string{"lead": accounts.Member, "other": accounts.Member, "boss": accounts.Admin} {
		if _, err := db.Accounts.AddUser(t.Context(), w.login(who), "", role); err != nil {
			t.Error(err)
		}
	}
	sqm, _ := protocol.Lookup("sqm")
	sample := func(slug, lead string) campaign.Campaign {
		c, err := db.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: strings.ToLower(prefix) + slug, Title: slug, Protocol: "sqm", Settings: campaign.DefaultSettings(sqm)}, w.user(lead).ID)
		if err != nil {
			t.Error(err)
		}
		return c
	}
	w.a, w.b = sample("a", "lead"), sample("b", "other")
	invite := func(who string, role campaign.Role) {
		made, err := db.Accounts.Invite(t.Context(), w.a.ID, w.login(who), "", role, w.user("lead").ID)
		w.link(made.SignIn, err, who, "lead")
	}
	invite("person", campaign.Researcher)
	invite("helper", campaign.Annotator)
	w.choosePassword(w.useLink(), nil)
	token, err := db.Accounts.NewLink(t.Context(), w.user("person").ID)
	w.link(token, err, "person")
	w.useLink()
	token, err = db.Accounts.RenewLink(t.Context(), w.a.ID, w.login("person"), w.user("lead"))
	w.link(token, err, "person", "lead")
	return w
}

// rights returns what each person may do: the key "admin", or the campaigns with the person's
// role there. It also returns who is disabled.
func (w *doorWorld) rights() (mine map[string]map[string]string, disabled map[string]bool) {
	var rows []struct {
		Login, Site, Campaign, Role string
		Disabled                    bool
	}
	err := storetest.Conn(w.db.Store).Raw(`SELECT u.login, u.role AS site, u.disabled, coalesce(m.campaign_id, '') AS campaign, coalesce(m.role, '') AS role
		FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND NOT m.removed WHERE u.login IN ?`,
		[]string{w.login("person"), w.login("helper"), w.login("lead"), w.login("other"), w.login("boss")}).Scan(&rows).Error
	if err != nil {
		w.t.Error(err)
	}
	mine, disabled = map[string]map[string]string{}, map[string]bool{}
	for _, r := range rows {
		who := strings.TrimPrefix(r.Login, w.prefix)
		if mine[who] == nil {
			mine[who] = map[string]string{}
		}
		disabled[who] = r.Disabled
		if r.Site == accounts.Admin {
			mine[who]["admin"] = r.Site
		}
		if r.Campaign != "" {
			mine[who][r.Campaign] = r.Role
		}
	}
	return mine, disabled
}

// settle ends what must end by the rule, computed from the facts and not as the store
// does: everybody who may know a credential may do all that its account may do.
func (w *doorWorld) settle() {
	mine, disabled := w.rights()
	reaches := func(who, of string) bool {
		if disabled[who] {
			return false
		}
		if mine[who]["admin"] != "" {
			return true
		}
		for what := range mine[of] {
			if mine[who][what] != string(campaign.Lead) {
				return false
			}
		}
		return true
	}
	for _, c := range w.creds {
		for _, who := range c.known {
			c.ended = c.ended || !reaches(who, c.of)
		}
	}
}

func (w *doorWorld) good(c *credential) bool {
	var err error
	switch c.kind {
	case "link":
		_, err = w.db.Accounts.LinkUser(w.t.Context(), c.secret)
	case "session":
		_, err = w.db.SessionUser(w.t.Context(), c.secret)
	default:
		return w.user(c.of).PasswordHash == c.secret
	}
	return w.may(err)
}

// check fails the test if a credential is good that must have ended, or the other way round.
func (w *doorWorld) check(after string) {
	for _, c := range w.creds {
		if good := w.good(c); good == c.ended {
			w.t.Errorf("after %s: the %s of %s that %q may know is good: %t", after, c.kind, c.of, c.known, good)
		}
	}
}

// TestWhoHoldsWhat goes through pairs of acts after one another, and after each pair asks for every link, session and
// password that there is: it is good exactly if everybody who may know it may do all that the account may do, and no act
// ended it. Every act comes first in one pair and second in another; the soak test has all pairs.
func TestWhoHoldsWhat(t *testing.T) { whoHoldsWhat(t, storetest.Open(t), len(doorActs)) }

func TestSoakWhoHoldsWhat(t *testing.T) {
	testenv.SoakTime(t)
	whoHoldsWhat(t, storetest.Open(t), 1)
}

// whoHoldsWhat tries one of so many pairs, and each act with an invitation by another lead before it and the person's
// answer between or after them: nobody gets into the other campaign in the person's name who may not do everything there,
// and the invitation alone ends nothing. Many are tried at a time only to be quick.
func whoHoldsWhat(t *testing.T, db *storetest.DB, oneOf int) {
	actOf := func(name string) int {
		return slices.IndexFunc(doorActs, func(a doorAct) bool { return a.name == name })
	}
	invites, accepts := actOf("other invites the person to b"), actOf("the person accepts with the join link")
	var wg sync.WaitGroup
	var world atomic.Int64
	next := make(chan []int)
	for range 16 {
		wg.Go(func() {
			for acts := range next {
				w := newDoorWorld(t, db, fmt.Sprint("W", world.Add(1), "X"))
				var names []string
				for _, k := range acts {
					doorActs[k].do(w)
					names = append(names, doorActs[k].name)
					w.settle()
				}
				w.check(strings.Join(names, ", then "))
			}
		})
	}
	for i := range doorActs {
		for j := range doorActs {
			if (i+j)%oneOf == 0 {
				next <- []int{i, j}
			}
		}
		for _, acts := range [][]int{{invites, i, accepts}, {i, invites, accepts}, {invites, accepts, i}} {
			next <- acts
		}
	}
	close(next)
	wg.Wait()
}

// TestInterleavedAdmin: nobody becomes an admin and an annotator at the same time.
func TestInterleavedAdmin(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(0), storetest.Annotators(0))
		for i := range 20 {
			u := storetest.AddUser(t, db, fmt.Sprintf("u%d", i))
			var wg sync.WaitGroup
			wg.Go(func() { _ = db.Accounts.SetRole(t.Context(), u.ID, accounts.Admin) })
			wg.Go(func() { _ = db.Accounts.AddMember(t.Context(), s.Campaign.ID, u.Login, campaign.Annotator, "") })
			wg.Wait()
		}
		storetest.WantCount(t, db, 0, "users u JOIN memberships m ON m.user_id = u.id WHERE u.role = 'admin' AND m.role = 'annotator' AND ?", true)
	})
}
