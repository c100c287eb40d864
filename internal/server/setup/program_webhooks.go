package setup

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/api"
	"annotate/internal/server/site"
)

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
	return []site.Route{
		site.Operation(h.Site, site.Op{
			ID: "list-webhooks", Method: http.MethodGet, Path: "/campaigns/{slug}/webhooks", Tag: "webhooks", Who: site.Managers,
			Summary: "Webhooks of a campaign", About: "As annotate webhook list --json.",
		}, func(c *echo.Context, _ *InCampaign) (api.Webhooks, error) { return list(c) }),
		site.Operation(h.Site, site.Op{
			ID: "add-webhook", Method: http.MethodPost, Path: "/campaigns/{slug}/webhooks", Tag: "webhooks",
			Who: site.Managers, Status: http.StatusCreated,
			Summary: "Add a webhook to a campaign", About: "As annotate webhook add. The answer has the secret, which is not shown again.",
		}, func(c *echo.Context, in *webhookCall) (api.NewWebhook, error) { return add(c, in.Body) }),
		site.Operation(h.Site, site.Op{
			ID: "remove-webhook", Method: http.MethodDelete, Path: "/campaigns/{slug}/webhooks/{webhook}", Tag: "webhooks", Who: site.Managers,
			Summary: "Remove a webhook",
		}, func(c *echo.Context, in *struct {
			InCampaign
			OfWebhook
		}) (None, error) {
			return remove(c, in.Webhook)
		}),
		site.Operation(h.Site, site.Op{
			ID: "list-deliveries", Method: http.MethodGet, Path: "/campaigns/{slug}/deliveries", Tag: "webhooks", Who: site.Managers,
			Summary: "What was sent to the webhooks of a campaign", About: "The latest first.",
		}, func(c *echo.Context, in *struct {
			InCampaign
			OfLog
		}) (api.Deliveries, error) {
			return log(c, in.OfLog)
		}),
		site.Operation(h.Site, site.Op{
			ID: "send-again", Method: http.MethodPost, Path: "/campaigns/{slug}/deliveries/{delivery}/again", Tag: "webhooks", Who: site.Managers,
			Summary: "Send a delivery again",
		}, func(c *echo.Context, in *struct {
			InCampaign
			OfDelivery
		}) (None, error) {
			return again(c, in.Delivery)
		}),
		site.Operation(h.Site, site.Op{
			ID: "list-site-webhooks", Method: http.MethodGet, Path: "/webhooks", Tag: "webhooks", Who: site.Admins,
			Summary: "Webhooks that are told of all campaigns", About: ofSite,
		}, forSite(func(c *echo.Context, _ *struct{}) (api.Webhooks, error) { return list(c) })),
		site.Operation(h.Site, site.Op{
			ID: "add-site-webhook", Method: http.MethodPost, Path: "/webhooks", Tag: "webhooks", Who: site.Admins, Status: http.StatusCreated,
			Summary: "Add a webhook that is told of all campaigns", About: ofSite,
		}, forSite(func(c *echo.Context, in *siteWebhookCall) (api.NewWebhook, error) { return add(c, in.Body) })),
		site.Operation(h.Site, site.Op{
			ID: "remove-site-webhook", Method: http.MethodDelete, Path: "/webhooks/{webhook}", Tag: "webhooks", Who: site.Admins,
			Summary: "Remove a webhook that is told of all campaigns", About: ofSite,
		}, forSite(func(c *echo.Context, in *OfWebhook) (None, error) { return remove(c, in.Webhook) })),
		site.Operation(h.Site, site.Op{
			ID: "list-site-deliveries", Method: http.MethodGet, Path: "/deliveries", Tag: "webhooks", Who: site.Admins,
			Summary: "What was sent to the webhooks of the site", About: ofSite,
		}, forSite(func(c *echo.Context, in *OfLog) (api.Deliveries, error) { return log(c, *in) })),
		site.Operation(h.Site, site.Op{
			ID: "send-site-delivery-again", Method: http.MethodPost, Path: "/deliveries/{delivery}/again", Tag: "webhooks", Who: site.Admins,
			Summary: "Send a delivery to a webhook of the site again", About: ofSite,
		}, forSite(func(c *echo.Context, in *OfDelivery) (None, error) { return again(c, in.Delivery) })),
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
