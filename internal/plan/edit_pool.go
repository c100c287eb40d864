package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

func (x *editing) savePool() error {
	pool := x.edit.Pool
	if err := campaign.CheckName("name", pool.Name); err != nil {
		return err
	}
	if len(pool.Pattern) > 200 || len(pool.Domain) > 200 {
		return campaign.Invalid("pattern", "use at most 200 characters")
	}
	present, err := x.namedBefore("pool", pool.Name, func(name string) bool { _, ok := x.pool(name); return ok })
	if err != nil {
		return err
	}
	was, ok := x.pool(present)
	if !x.edit.sets("domain") {
		pool.Domain = was.Domain
	}
	if !x.edit.sets("pattern") {
		pool.Pattern = was.Pattern
	}
	if !x.edit.sets("member") {
		pool.Members = was.Members
	}
	pool.Members = slices.Compact(slices.Sorted(slices.Values(slices.Concat(pool.Members, x.edit.Join))))
	for _, login := range x.edit.Leave {
		if !slices.Contains(was.Members, login) {
			return campaign.Invalid("member", fmt.Sprintf("%s is not in the pool", wording.Quote(login)))
		}
	}
	pool.Members = slices.DeleteFunc(pool.Members, func(login string) bool { return slices.Contains(x.edit.Leave, login) })
	for _, login := range pool.Members {
		if _, known := x.person(login); !known && !slices.Contains(was.Members, login) {
			return campaign.Invalid("member", fmt.Sprintf("%s is not an annotator of this campaign", wording.Quote(login)))
		}
	}
	switch {
	case !ok:
		x.Pools = append(x.Pools, pool)
		x.say("New pool %s with %s%s.", pool.Name, membersInWords(pool.Members), pool.rule())
		x.from("", pool.inWords())
	case was.Name != pool.Name || was.Domain != pool.Domain || was.Pattern != pool.Pattern || !slices.Equal(was.Members, pool.Members):
		x.Pools[slices.IndexFunc(x.Pools, func(p Pool) bool { return p.Name == was.Name })] = pool
		x.rename(was.Name, pool.Name, func(d *Document) *string { return &d.Pool })
		x.say("Pool %s: %s.", was.Name, strings.Join(pool.differs(was), "; "))
		x.from(was.inWords(), pool.inWords())
	}
	slices.SortFunc(x.Pools, func(a, b Pool) int { return strings.Compare(a.Name, b.Name) })
	elsewhere := 0
	for _, i := range x.chosen {
		d := &x.Documents[i]
		if (x.edit.Documents != nil || pool.Takes(d.Domain, d.DocID)) && d.Pool != pool.Name {
			if d.Pool != "" && x.edit.Documents == nil {
				elsewhere++
				continue
			}
			d.Pool = pool.Name
		}
	}
	if elsewhere > 0 {
		x.note("%s in another pool, although the pool would take them.", stay(elsewhere, "document"))
	}
	x.keepOutsidersOut()
	return nil
}

// differs lists in words what differs from how the pool was.
func (p Pool) differs(was Pool) (out []string) {
	without := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(login string) bool { return slices.Contains(other, login) })
	}
	if p.Name != was.Name {
		out = append(out, "the name "+p.Name+" instead of "+was.Name)
	}
	if more := without(p.Members, was.Members); len(more) > 0 {
		out = append(out, "new members "+wording.ListUpTo(more, 12))
	}
	if less := without(was.Members, p.Members); len(less) > 0 {
		out = append(out, "no longer members "+wording.ListUpTo(less, 12))
	}
	if p.Domain != was.Domain {
		out = append(out, "the domain "+cmp.Or(p.Domain, "any")+" instead of "+cmp.Or(was.Domain, "any"))
	}
	if p.Pattern != was.Pattern {
		out = append(out, "ids like "+cmp.Or(p.Pattern, "any")+" instead of "+cmp.Or(was.Pattern, "any"))
	}
	return out
}

// inWords is the pool as the audit log has it.
func (p Pool) inWords() string {
	return "pool " + p.Name + ": " + membersInWords(p.Members) + p.rule()
}

// rule says which documents a pool takes.
func (p Pool) rule() string {
	switch {
	case p.Domain != "" && p.Pattern != "":
		return fmt.Sprintf(", for documents of the domain %s whose id is like %s", p.Domain, p.Pattern)
	case p.Domain != "":
		return fmt.Sprintf(", for documents of the domain %s", p.Domain)
	case p.Pattern != "":
		return fmt.Sprintf(", for documents whose id is like %s", p.Pattern)
	}
	return ""
}

func membersInWords(logins []string) string {
	if len(logins) == 0 {
		return "no members"
	}
	return "the members " + wording.ListUpTo(logins, 12)
}

func (x *editing) dropPool() error {
	i := slices.IndexFunc(x.Pools, func(p Pool) bool { return p.Name == x.edit.Name })
	if i < 0 {
		return campaign.Invalid("name", "there is no such pool")
	}
	was := x.Pools[i]
	x.Pools = slices.Delete(x.Pools, i, i+1)
	for k := range x.Documents {
		if x.Documents[k].Pool == x.edit.Name {
			x.Documents[k].Pool = ""
		}
	}
	x.say("The pool %s is removed.", x.edit.Name)
	x.from(was.inWords(), "")
	return nil
}
