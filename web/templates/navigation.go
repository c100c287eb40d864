package templates

import "slices"

// A NavItem is one entry of a navigation.
type NavItem struct {
	Label   string
	Href    string
	Current string // value of aria-current: "page" for the page itself, "true" for its group, empty for others
	Count   int    // number of things that wait on the page; 0 shows no number
	Waiting string // what the number counts, for example "to answer"
}

// A campaignPage is a page of a campaign and who sees it in the navigation.
type campaignPage struct {
	id, label, sub string
	roles          []string
	count          func(Campaign) int // number of things that wait on the page; nil if the page shows no number
	waiting        string
}

// A pageGroup is a group of a campaign's pages. A reader who sees one page of it gets that page in place of the group.
type pageGroup struct {
	label string
	pages []campaignPage
}

var (
	readers = []string{"lead", "researcher"}
	leads   = []string{"lead"}
	workers = []string{"annotator"}
)

// pageGroups lists the pages of a campaign in the order of its navigation: what is worked on, who works, what
// comes out, and what the campaign is made of.
var pageGroups = []pageGroup{
	{"", []campaignPage{{id: "overview", label: "Overview", roles: readers}}},
	{"Work", []campaignPage{
		{id: "segments", label: "Segments", sub: "segments", roles: readers},
		{id: "queue", label: "Queue", sub: "queue", roles: readers, count: func(c Campaign) int { return c.Failed }, waiting: "to decide"},
		{id: "messages", label: "Messages", sub: "messages",
			roles: leads, count: func(c Campaign) int { return c.ToAnswer }, waiting: "to answer"},
		{id: "plan", label: "Plan", sub: "plan", roles: leads},
	}},
	{"People", []campaignPage{
		{id: "annotators", label: "Annotators", sub: "annotators", roles: readers},
		{id: "members", label: "Members", sub: "members", roles: leads},
		{id: "training", label: "Training", sub: "training", roles: leads},
		{id: "checks", label: "Checks", sub: "checks", roles: readers},
		{id: "announcements", label: "Announcements", sub: "announcements", roles: leads},
	}},
	{"Results", []campaignPage{
		{id: "agreement", label: "Agreement", sub: "agreement", roles: readers},
		{id: "judges", label: "Judges", sub: "judges", roles: readers},
		{id: "report", label: "Report", sub: "report", roles: readers},
		{id: "export", label: "Export", sub: "export", roles: readers},
	}},
	{"Set-up", []campaignPage{
		{id: "settings", label: "Settings", sub: "settings", roles: leads},
		{id: "import", label: "Import", sub: "import", roles: leads},
		{id: "guide", label: "Guide", sub: "guide", roles: readers},
		{id: "instructions", label: "Instructions", sub: "instructions", roles: leads},
		{id: "webhooks", label: "Webhooks", sub: "webhooks", roles: leads},
		{id: "audit", label: "Audit log", sub: "audit"},
	}},
	{"", []campaignPage{{id: "adjudicate", label: "To adjudicate", sub: "adjudicate"}}},
	{"", []campaignPage{{id: "finished", label: "My segments", sub: "finished", roles: workers}}},
	{"", []campaignPage{{id: "numbers", label: "My numbers", sub: "numbers", roles: workers}}},
	{"", []campaignPage{{id: "guide", label: "Guide", sub: "guide", roles: []string{"annotator", "adjudicator"}}}},
}

// shows reports whether the navigation shows a page to the user. Leads reach what they adjudicate from the queue,
// and may read the audit log of a campaign that is archived.
func (c Campaign) shows(p campaignPage) bool {
	switch p.id {
	case "adjudicate":
		return c.Adjudicates && c.Role != "lead"
	case "audit":
		return c.Leads || c.Role == "lead"
	}
	return slices.Contains(p.roles, c.Role)
}

// Nav returns the groups of the campaign's pages that the user may see, and the pages of the group to which the
// current page belongs. A group leads to its first page and has the counts of all its pages. pages is empty if
// the current page stands alone.
func (p Page) Nav() (groups, pages []NavItem, group string) {
	if p.Campaign == nil {
		return nil, nil, ""
	}
	for _, g := range pageGroups {
		items, current := p.itemsOf(g)
		switch {
		case len(items) == 0:
			continue
		case len(items) == 1:
			groups = append(groups, items[0])
			continue
		}
		item := NavItem{Label: g.label, Href: items[0].Href, Waiting: "waiting"}
		for _, i := range items {
			item.Count += i.Count
		}
		if current {
			item.Current, pages, group = "true", items, g.label
		}
		groups = append(groups, item)
	}
	return groups, pages, group
}

// itemsOf returns the entries of a group that the user may see, and whether the current page is one of them.
func (p Page) itemsOf(g pageGroup) (items []NavItem, current bool) {
	for _, page := range g.pages {
		if !p.Campaign.shows(page) {
			continue
		}
		item := NavItem{Label: page.label, Href: p.Campaign.Path(page.sub), Waiting: page.waiting}
		if page.count != nil {
			item.Count = page.count(*p.Campaign)
		}
		if page.id == p.Here {
			item.Current, current = "page", true
		}
		items = append(items, item)
	}
	return items, current
}

// mainNav lists the pages outside any campaign.
func (p Page) mainNav() []NavItem {
	if p.User == nil {
		return nil
	}
	var items []NavItem
	add := func(id, label, href string) {
		item := NavItem{Label: label, Href: href}
		if p.Here == id {
			item.Current = "page"
		}
		items = append(items, item)
	}
	add("work", "My work", "/work")
	if p.User.Admin || p.User.Leads {
		add("campaigns", "Campaigns", "/campaigns")
	}
	if p.User.Admin {
		add("users", "Users", "/users")
		add("site-log", "Audit log", "/audit")
	}
	return items
}
