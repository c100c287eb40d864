package setup

import (
	"slices"
	"strconv"
	"strings"

	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A WebhooksView lists the webhooks of a campaign or, without one, of the site, and what was sent to them. Its forms post url and
// event, which may be repeated, to the page; and nothing to {id}/remove and {id}/ping below it, and to deliveries/{id}/again
// beside it.
type WebhooksView struct {
	templates.Page
	Webhooks   []readmodel.Webhook
	Deliveries []readmodel.Delivery
	Paging     templates.Paging
	Made       string // the secret that was made just now; it is shown this once
	Events     []templates.Option
	Form       WebhookForm
	Errors     map[string]string // of url and events
}

// A WebhookForm holds what is typed into the form of a webhook.
type WebhookForm struct {
	URL    string
	Events []string
}

func (f WebhookForm) chose(event string) bool { return slices.Contains(f.Events, event) }

// path is an address below the campaign, or below the site.
func (v WebhooksView) path(sub string) string {
	if v.Campaign == nil {
		return "/" + sub
	}
	return v.Campaign.Path(sub)
}

func (v WebhooksView) title() string {
	if v.Campaign == nil {
		return "Webhooks of the site"
	}
	return "Webhooks"
}

func (v WebhooksView) lead() string {
	what := "This campaign tells"
	if v.Campaign == nil {
		what = "All campaigns tell"
	}
	return what + " the addresses below what happens, as JSON that is signed. Receivers are programs; docs/api.md says what they get."
}

func waitingWords(w readmodel.Webhook) string {
	switch {
	case w.Failed > 0 && w.Waiting > 0:
		return wording.Count(w.Waiting) + " waiting, " + wording.Count(w.Failed) + " failed"
	case w.Failed > 0:
		return wording.Count(w.Failed) + " failed"
	case w.Waiting > 0:
		return wording.Count(w.Waiting) + " waiting"
	}
	return "none open"
}

func deliveryKind(state string) string {
	switch state {
	case "sent":
		return "good"
	case "failed":
		return "bad"
	}
	return "info"
}

// answer is what became of the latest attempt.
func answer(d readmodel.Delivery) string {
	switch {
	case d.Problem != "":
		return wording.Capital(d.Problem) + "."
	case d.Status > 0:
		return "Answered with " + strconv.Itoa(d.Status) + "."
	}
	return ""
}

func eventWords(events []string) string { return strings.Join(events, ", ") }

// canSendAgain reports whether something can be sent again: the text of a mail that was sent is not kept.
func canSendAgain(d readmodel.Delivery) bool { return d.WebhookID != "" || d.State != "sent" }

// A MailsView lists what was mailed. Its forms post nothing to {id}/again below the page.
type MailsView struct {
	templates.Page
	Deliveries []readmodel.Delivery
	Paging     templates.Paging
}
