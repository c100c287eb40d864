package api

import (
	"time"

	"annotate/internal/readmodel"
)

// Webhooks is a list of webhooks, the oldest first.
type Webhooks struct {
	Webhooks []Webhook `json:"webhooks"`
}

// A Webhook is an address that is told of events.
type Webhook struct {
	ID        string    `json:"id"`
	Campaign  string    `json:"campaign,omitempty" doc:"slug; without it the webhook is told of all campaigns"`
	URL       string    `json:"url"`
	Events    []string  `json:"events"`
	CreatedAt time.Time `json:"created_at"`
	Waiting   int       `json:"waiting" doc:"deliveries that are to be sent, or sent again"`
	Failed    int       `json:"failed" doc:"deliveries that were given up"`
}

// A NewWebhook is a webhook that was made just now.
type NewWebhook struct {
	ID     string `json:"id"`
	Secret string `json:"secret" doc:"signs what is sent, as the Standard Webhooks specification has it; it is shown only this once"`
}

// WebhooksOf returns webhooks as they are written.
func WebhooksOf(hooks []readmodel.Webhook) Webhooks {
	out := Webhooks{Webhooks: []Webhook{}}
	for _, w := range hooks {
		out.Webhooks = append(out.Webhooks, Webhook{w.ID, w.Campaign, w.URL, w.Events, w.CreatedAt, w.Waiting, w.Failed})
	}
	return out
}

// Deliveries is a part of the log of what was sent to webhooks, the latest first.
type Deliveries struct {
	Total      int        `json:"total"`
	Deliveries []Delivery `json:"deliveries"`
}

// A Delivery is an event that is sent to a webhook, and what became of it.
type Delivery struct {
	ID        string     `json:"id"`
	Webhook   string     `json:"webhook" doc:"id of the webhook"`
	Campaign  string     `json:"campaign,omitempty"`
	Event     string     `json:"event"`
	State     string     `json:"state" enum:"waiting,sent,failed"`
	Attempts  int        `json:"attempts"`
	CreatedAt time.Time  `json:"created_at"`
	NextAt    *time.Time `json:"next_at" doc:"of the next attempt; null if there is none"`
	EndedAt   *time.Time `json:"ended_at" doc:"of the latest attempt; null if there was none"`
	Status    int        `json:"status" doc:"that the receiver answered with; 0 if it did not"`
	Problem   string     `json:"problem,omitempty" doc:"of the latest attempt"`
}

// DeliveriesOf returns a part of the log as it is written.
func DeliveriesOf(list []readmodel.Delivery, total int) Deliveries {
	out := Deliveries{Total: total, Deliveries: []Delivery{}}
	for _, d := range list {
		out.Deliveries = append(out.Deliveries,
			Delivery{ID: d.ID, Webhook: d.WebhookID, Campaign: d.Campaign, Event: d.Event, State: d.State, Attempts: d.Attempts,
				CreatedAt: d.CreatedAt, NextAt: moment(d.NextAt), EndedAt: moment(d.EndedAt), Status: d.Status, Problem: d.Problem})
	}
	return out
}

// Mails is a part of the log of what was mailed, the latest first.
type Mails struct {
	Total int    `json:"total"`
	Mails []Mail `json:"mails"`
}

// A Mail is a mail without its text, and what became of it.
type Mail struct {
	ID        string     `json:"id"`
	About     string     `json:"about"`
	Campaign  string     `json:"campaign,omitempty"`
	To        string     `json:"to"`
	State     string     `json:"state"`
	Attempts  int        `json:"attempts"`
	CreatedAt time.Time  `json:"created_at"`
	NextAt    *time.Time `json:"next_at"`
	EndedAt   *time.Time `json:"ended_at"`
	Status    int        `json:"status"`
	Problem   string     `json:"problem,omitempty"`
}

// MailsOf returns a part of the log as it is written.
func MailsOf(list []readmodel.Delivery, total int) Mails {
	out := Mails{Total: total, Mails: []Mail{}}
	for _, d := range list {
		out.Mails = append(out.Mails, Mail{ID: d.ID, About: d.Event, Campaign: d.Campaign, To: d.To, State: d.State, Attempts: d.Attempts,
			CreatedAt: d.CreatedAt, NextAt: moment(d.NextAt), EndedAt: moment(d.EndedAt), Status: d.Status, Problem: d.Problem})
	}
	return out
}
