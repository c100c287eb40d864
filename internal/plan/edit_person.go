package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

func (x *editing) setPerson(to Person) error {
	i := slices.IndexFunc(x.People, func(p Person) bool { return p.Login == to.Login })
	if i < 0 {
		return campaign.Invalid("login", fmt.Sprintf("%s is not an annotator of this campaign", wording.Quote(to.Login)))
	}
	if math.IsNaN(to.Share) || to.Share < 0 || to.Share > 1000 {
		return campaign.Invalid("share", "must be a number from 0 to 1000")
	}
	if to.Words < 0 || to.Words > 1_000_000_000 {
		return campaign.Invalid("words", "must be a whole number, 0 or more")
	}
	for _, a := range to.Away {
		if err := checkDay("away", a.From); err != nil {
			return err
		}
		if err := checkDay("away", a.To); err != nil {
			return err
		}
		if a.To < a.From {
			return campaign.Invalid("away", "the last day is before the first")
		}
	}
	slices.SortFunc(to.Away, func(a, b Away) int { return strings.Compare(a.From+a.To, b.From+b.To) })
	to.Away = slices.Compact(to.Away)
	was := x.People[i]
	if !x.edit.sets("share") {
		to.Share = was.Share
	}
	if !x.edit.sets("words") {
		to.Words = was.Words
	}
	if !x.edit.sets("away") {
		to.Away = was.Away
	}
	if was.Share == to.Share && was.Words == to.Words && slices.Equal(was.Away, to.Away) {
		return nil
	}
	x.People[i].Share, x.People[i].Words, x.People[i].Away = to.Share, to.Words, to.Away
	x.say("%s: %s.", to.Login, strings.Join(x.People[i].differs(was), ", "))
	x.from(was.inWords(), x.People[i].inWords())
	return nil
}

// differs lists in words what differs from how much the person should have got, and when they were away.
func (p Person) differs(was Person) (out []string) {
	if p.Share != was.Share {
		out = append(out, "share "+wording.Plain(p.Share)+" instead of "+wording.Plain(was.Share))
	}
	if p.Words != was.Words {
		out = append(out, p.fixed()+" instead of "+was.fixed())
	}
	if !slices.Equal(p.Away, was.Away) {
		out = append(out, "away "+cmp.Or(AwayText(p.Away), "never")+" instead of "+cmp.Or(AwayText(was.Away), "never"))
	}
	return out
}

// fixed says how many words the person should get, whatever the share.
func (p Person) fixed() string {
	if p.Words == 0 {
		return "no fixed words"
	}
	return wording.Counted(p.Words, "fixed word")
}

// inWords is what the plan says of the person, as the audit log has it.
func (p Person) inWords() string {
	return p.Login + ": share " + wording.Plain(p.Share) + ", " + p.fixed() + ", away " + cmp.Or(AwayText(p.Away), "never")
}

// AwayText writes absences as [ParseAway] reads them.
func AwayText(away []Away) string {
	parts := make([]string, len(away))
	for i, a := range away {
		parts[i] = a.From + ".." + a.To
		if a.From == a.To {
			parts[i] = a.From
		}
	}
	return strings.Join(parts, ", ")
}

// ParseAway reads absences such as "2026-12-24..2027-01-02, 2027-02-01". The error is a [campaign.InvalidError]
// of the field away.
func ParseAway(text string) (out []Away, err error) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		from, to, both := strings.Cut(strings.TrimSpace(part), "..")
		if !both {
			to = from
		}
		a := Away{From: strings.TrimSpace(from), To: strings.TrimSpace(to)}
		if a.From == "" && a.To == "" {
			continue
		}
		if checkDay("away", a.From) != nil || checkDay("away", a.To) != nil {
			return nil, campaign.Invalid("away", "write days such as 2026-12-24..2027-01-02, separated by commas")
		}
		if a.To < a.From {
			return nil, campaign.Invalid("away", "the last day "+a.To+" is before the first, "+a.From)
		}
		out = append(out, a)
	}
	return out, nil
}
