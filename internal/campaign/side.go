package campaign

// A Side says which segments that are not work a side campaign holds. It is empty for a
// campaign that is no side campaign.
type Side string

// The side campaigns that a campaign may have, at most one of each.
const (
	Training Side = "training" // the segments that annotators train on
	Checks   Side = "checks"   // the checks that are mixed into the work of annotators
)

// manyAnnotators is a redundancy that no segment of a side campaign reaches, so that none of
// them is decided.
const manyAnnotators = 1 << 30

// SideOf returns a side campaign of a campaign, with its own id. Segments, assignments and
// ratings belong to one campaign by its id, so that nothing of a side campaign is in the gold,
// agreement, progress, hours or exports of the campaign. Whether something counts as work
// follows from this id alone.
//
// A side campaign has the state, protocol, languages, guide and settings of the campaign, but
// no segment of it is ever decided, sent back or released, and there is no quota. No other slug
// can equal its slug, because "~" is not allowed in slugs.
func (c Campaign) SideOf(side Side, id string) Campaign {
	s := c
	s.ID, s.PartOf, s.Side = id, c.ID, side
	s.Slug = c.Slug + "~" + string(side)
	s.Settings.Redundancy, s.Settings.Gate, s.Settings.Rounds = manyAnnotators, "off", 1
	s.Settings.ReleaseHours, s.Settings.Quota = 0, 0
	return s
}
