package setup

import (
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v5"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/outbox"
	"annotate/internal/server/site"
	"annotate/web/templates"
	"annotate/web/templates/setup"
)

// deliveriesPerPage is the number of lines on a page of the log of deliveries.
const deliveriesPerPage = 50

// webhooks shows the webhooks of the campaign in the address or, if there is none, those of the site.
func (h *Handlers) webhooks(c *echo.Context) error {
	return h.showWebhooks(c, http.StatusOK, func(*setup.WebhooksView) {})
}

// showWebhooks renders the page; change puts in what was made, or what was wrong.
func (h *Handlers) showWebhooks(c *echo.Context, status int, change func(*setup.WebhooksView)) error {
	of, ctx, number := site.Here(c).Campaign, c.Request().Context(), max(1, site.Atoi(c.QueryParam("page")))
	v := setup.WebhooksView{Page: h.PageAt(c, "Webhooks of the site", "users"), Clock: h.Clock(nil)}
	if of.ID != "" {
		v.Page, v.Clock = h.PageAt(c, "Webhooks", "webhooks"), h.Clock(of.Settings.Location())
	}
	for _, e := range outbox.Events {
		v.Events = append(v.Events, templates.Option{Value: e.Name, Label: e.Name, Help: e.Help})
	}
	var err error
	if v.Webhooks, err = h.store.Outbox.Webhooks(ctx, of.ID); err != nil {
		return err
	}
	deliveries, total, err := h.store.Outbox.Deliveries(ctx, of.ID, (number-1)*deliveriesPerPage, deliveriesPerPage)
	if err != nil {
		return err
	}
	v.Deliveries, v.Paging = deliveries, templates.Paging{Number: number, Size: deliveriesPerPage, Total: total}
	change(&v)
	return h.Render(c, status, setup.Webhooks(v))
}

// webhooksPath is the address of the page that the request belongs to.
func webhooksPath(c *echo.Context) string {
	if of := site.Here(c).Campaign; of.ID != "" {
		return "/campaigns/" + of.Slug + "/webhooks"
	}
	return "/webhooks"
}

// addWebhook makes a webhook and shows its secret once.
func (h *Handlers) addWebhook(c *echo.Context) error {
	form := setup.WebhookForm{URL: site.Trimmed(c, "url")}
	if _, err := c.FormValues(); err != nil {
		return err
	}
	form.Events = c.Request().PostForm["event"]
	_, secret, err := h.store.Outbox.AddWebhook(c.Request().Context(), site.Here(c).Campaign.ID, form.URL, form.Events, site.Me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return h.showWebhooks(c, http.StatusUnprocessableEntity, func(v *setup.WebhooksView) {
			v.Form, v.Errors = form, map[string]string{invalid.Field: invalid.Msg}
		})
	}
	if err != nil {
		return err
	}
	return h.showWebhooks(c, http.StatusOK, func(v *setup.WebhooksView) { v.Made = secret })
}

func (h *Handlers) removeWebhook(c *echo.Context) error {
	err := h.store.Outbox.RemoveWebhook(c.Request().Context(), site.Here(c).Campaign.ID, c.Param("webhook"), site.Me(c).ID)
	if err != nil {
		return err
	}
	return h.Done(c, "The webhook is removed.", webhooksPath(c))
}

func (h *Handlers) pingWebhook(c *echo.Context) error {
	if err := h.store.Outbox.SendPing(c.Request().Context(), site.Here(c).Campaign.ID, c.Param("webhook")); err != nil {
		return err
	}
	return h.Done(c, "A ping is sent. Load this page again in a moment to see what became of it.", webhooksPath(c))
}

func (h *Handlers) sendAgain(c *echo.Context) error {
	if err := h.store.Outbox.SendAgain(c.Request().Context(), site.Here(c).Campaign.ID, c.Param("delivery")); err != nil {
		return err
	}
	return h.Done(c, "It is sent again. Load this page again in a moment to see what became of it.", webhooksPath(c))
}

// mails shows what was mailed.
func (h *Handlers) mails(c *echo.Context) error {
	number := max(1, site.Atoi(c.QueryParam("page")))
	list, total, err := h.store.Outbox.Letters(c.Request().Context(), (number-1)*deliveriesPerPage, deliveriesPerPage)
	if err != nil {
		return err
	}
	return h.Render(
		c,
		http.StatusOK,
		setup.Mails(
			setup.MailsView{
				Page:       h.PageAt(c, "Mails", "users"),
				Clock:      h.Clock(nil),
				Deliveries: list,
				Paging:     templates.Paging{Number: number, Size: deliveriesPerPage, Total: total},
			},
		),
	)
}

func (h *Handlers) mailAgain(c *echo.Context) error {
	if err := h.store.Outbox.MailAgain(c.Request().Context(), c.Param("mail")); err != nil {
		return err
	}
	return h.Done(c, "It is sent again. Load this page again in a moment to see what became of it.", "/mails")
}

// webhookRoutes lists the pages of webhooks below a path.
func (h *Handlers) webhookRoutes(path string, who site.People) []site.Route {
	return []site.Route{
		site.Get(path+"/webhooks", who, h.webhooks),
		site.Post(path+"/webhooks", who, h.addWebhook),
		site.Post(path+"/webhooks/:webhook/remove", who, h.removeWebhook),
		site.Post(path+"/webhooks/:webhook/ping", who, h.pingWebhook),
		site.Post(path+"/deliveries/:delivery/again", who, h.sendAgain),
	}
}

type newWebhookBody struct {
	URL    string   `json:"url"`
	Events []string `json:"events" doc:"names of events"`
}

type webhookCall struct {
	InCampaign
	Body newWebhookBody
}

type siteWebhookCall struct{ Body newWebhookBody }

// OfWebhook names a webhook of the site in an address.
type OfWebhook struct {
	Webhook string `path:"webhook"`
}

// OfDelivery names a delivery to a webhook of the site in an address.
type OfDelivery struct {
	Delivery string `path:"delivery"`
}

// OfLog names a part of the log of deliveries.
type OfLog struct {
	Offset int `query:"offset" minimum:"0" doc:"number of deliveries, the latest first, that are left out"`
	Limit  int `query:"limit" minimum:"1" maximum:"500" default:"50"`
}

// webhookOperations lists the operations of webhooks for programs, of campaigns and of the site.
func (h *Handlers) webhookOperations() []site.Route {
	op := func(id, method, path, summary, about string, who site.People) site.Op {
		return site.Op{
			Operation: huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Description: about, Tags: []string{"webhooks"}},
			Who:       who,
		}
	}
	list := func(c *echo.Context) (api.Webhooks, error) {
		hooks, err := h.store.Outbox.Webhooks(c.Request().Context(), site.Here(c).Campaign.ID)
		return api.WebhooksOf(hooks), err
	}
	add := func(c *echo.Context, b newWebhookBody) (api.NewWebhook, error) {
		id, secret, err := h.store.Outbox.AddWebhook(c.Request().Context(), site.Here(c).Campaign.ID, b.URL, b.Events, site.Me(c).ID)
		return api.NewWebhook{ID: id, Secret: secret}, err
	}
	remove := func(c *echo.Context, id string) (None, error) {
		return None{}, h.store.Outbox.RemoveWebhook(c.Request().Context(), site.Here(c).Campaign.ID, id, site.Me(c).ID)
	}
	log := func(c *echo.Context, of OfLog) (api.Deliveries, error) {
		list, total, err := h.store.Outbox.Deliveries(c.Request().Context(), site.Here(c).Campaign.ID, of.Offset, of.Limit)
		return api.DeliveriesOf(list, total), err
	}
	again := func(c *echo.Context, id string) (None, error) {
		return None{}, h.store.Outbox.SendAgain(c.Request().Context(), site.Here(c).Campaign.ID, id)
	}
	const ofSite = "For admins, with a token for all campaigns."
	added := op(
		"add-webhook",
		http.MethodPost,
		"/campaigns/{slug}/webhooks",
		"Add a webhook to a campaign",
		"As annotate webhook add. The answer has the secret, which is not shown again.",
		site.Managers,
	)
	addedToSite := op("add-site-webhook", http.MethodPost, "/webhooks", "Add a webhook that is told of all campaigns", ofSite, site.Admins)
	added.DefaultStatus, addedToSite.DefaultStatus = http.StatusCreated, http.StatusCreated
	return []site.Route{
		site.Operation(
			h.Site,
			op("list-webhooks", http.MethodGet, "/campaigns/{slug}/webhooks", "Webhooks of a campaign", "As annotate webhook list --json.", site.Managers),
			func(c *echo.Context, _ *InCampaign) (api.Webhooks, error) { return list(c) },
		),
		site.Operation(h.Site, added, func(c *echo.Context, in *webhookCall) (api.NewWebhook, error) { return add(c, in.Body) }),
		site.Operation(
			h.Site,
			op("remove-webhook", http.MethodDelete, "/campaigns/{slug}/webhooks/{webhook}", "Remove a webhook", "", site.Managers),
			func(c *echo.Context, in *struct {
				InCampaign
				OfWebhook
			}) (None, error) {
				return remove(c, in.Webhook)
			},
		),
		site.Operation(
			h.Site,
			op(
				"list-deliveries",
				http.MethodGet,
				"/campaigns/{slug}/deliveries",
				"What was sent to the webhooks of a campaign",
				"The latest first.",
				site.Managers,
			),
			func(c *echo.Context, in *struct {
				InCampaign
				OfLog
			}) (api.Deliveries, error) {
				return log(c, in.OfLog)
			},
		),
		site.Operation(
			h.Site,
			op("send-again", http.MethodPost, "/campaigns/{slug}/deliveries/{delivery}/again", "Send a delivery again", "", site.Managers),
			func(c *echo.Context, in *struct {
				InCampaign
				OfDelivery
			}) (None, error) {
				return again(c, in.Delivery)
			},
		),
		site.Operation(
			h.Site,
			op("list-site-webhooks", http.MethodGet, "/webhooks", "Webhooks that are told of all campaigns", ofSite, site.Admins),
			forSite(func(c *echo.Context, _ *struct{}) (api.Webhooks, error) { return list(c) }),
		),
		site.Operation(h.Site, addedToSite, forSite(func(c *echo.Context, in *siteWebhookCall) (api.NewWebhook, error) { return add(c, in.Body) })),
		site.Operation(
			h.Site,
			op("remove-site-webhook", http.MethodDelete, "/webhooks/{webhook}", "Remove a webhook that is told of all campaigns", ofSite, site.Admins),
			forSite(func(c *echo.Context, in *OfWebhook) (None, error) { return remove(c, in.Webhook) }),
		),
		site.Operation(
			h.Site,
			op("list-site-deliveries", http.MethodGet, "/deliveries", "What was sent to the webhooks of the site", ofSite, site.Admins),
			forSite(func(c *echo.Context, in *OfLog) (api.Deliveries, error) { return log(c, *in) }),
		),
		site.Operation(
			h.Site,
			op(
				"send-site-delivery-again",
				http.MethodPost,
				"/deliveries/{delivery}/again",
				"Send a delivery to a webhook of the site again",
				ofSite,
				site.Admins,
			),
			forSite(func(c *echo.Context, in *OfDelivery) (None, error) { return again(c, in.Delivery) }),
		),
	}
}

// forSite refuses a token that is for chosen campaigns.
func forSite[I, O any](handle func(c *echo.Context, in *I) (O, error)) func(c *echo.Context, in *I) (O, error) {
	return func(c *echo.Context, in *I) (out O, err error) {
		if grant, _ := site.Granted(c); !grant.Everywhere {
			return out, echo.NewHTTPError(
				http.StatusForbidden,
				"this token is for chosen campaigns; make one for all of your campaigns to see those of the site",
			)
		}
		return handle(c, in)
	}
}
