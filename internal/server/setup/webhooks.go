package setup

import (
	"net/http"

	"github.com/labstack/echo/v5"

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
	v := setup.WebhooksView{Page: h.PageAt(c, "Webhooks of the site", "users")}
	if of.ID != "" {
		v.Page = h.PageAt(c, "Webhooks", "webhooks")
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
	if wrong := site.Wrong(err); wrong != nil {
		return h.showWebhooks(c, http.StatusUnprocessableEntity, func(v *setup.WebhooksView) {
			v.Form, v.Errors = form, wrong
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
