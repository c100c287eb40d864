package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"annotate/internal/campaign"
)

func (x *editing) saveBatch() error {
	b := x.edit.Batch
	if err := campaign.CheckName("name", b.Name); err != nil {
		return err
	}
	if b.Priority < -1000 || b.Priority > 1000 {
		return campaign.Invalid("priority", "must be a whole number from -1000 to 1000")
	}
	if err := checkDay("due", b.Due); b.Due != "" && err != nil {
		return err
	}
	present, err := x.namedBefore("batch", b.Name, func(name string) bool { return x.BatchOf(name).Name != "" })
	if err != nil {
		return err
	}
	was := x.BatchOf(present)
	if !x.edit.sets("priority") {
		b.Priority = was.Priority
	}
	if !x.edit.sets("due") {
		b.Due = was.Due
	}
	switch {
	case was.Name == "":
		x.Batches = append(x.Batches, b)
		x.say("New batch %s: priority %d, %s.", b.Name, b.Priority, b.dueInWords())
		x.from("", b.inWords())
	case was != b:
		x.Batches[slices.Index(x.Batches, was)] = b
		x.rename(was.Name, b.Name, func(d *Document) *string { return &d.Batch })
		var parts []string
		if was.Name != b.Name {
			parts = append(parts, "the name "+b.Name+" instead of "+was.Name)
		}
		if was.Priority != b.Priority {
			parts = append(parts, fmt.Sprintf("priority %d instead of %d", b.Priority, was.Priority))
		}
		if was.Due != b.Due {
			parts = append(parts, b.dueInWords()+" instead of "+was.dueInWords())
		}
		x.say("Batch %s: %s.", was.Name, strings.Join(parts, ", "))
		x.from(was.inWords(), b.inWords())
	}
	slices.SortFunc(x.Batches, func(a, b Batch) int { return strings.Compare(a.Name, b.Name) })
	if x.edit.Documents != nil {
		for _, i := range x.chosen {
			x.Documents[i].Batch = b.Name
		}
	}
	return nil
}

// dueInWords says when the documents of the batch should be done.
func (b Batch) dueInWords() string {
	if b.Due == "" {
		return "no due date"
	}
	return "due " + b.Due
}

// inWords is the batch as the audit log has it.
func (b Batch) inWords() string {
	return fmt.Sprintf("batch %s: priority %d, %s", b.Name, b.Priority, b.dueInWords())
}

func (x *editing) dropBatch() error {
	i := slices.IndexFunc(x.Batches, func(b Batch) bool { return b.Name == x.edit.Name })
	if i < 0 {
		return campaign.Invalid("name", "there is no such batch")
	}
	was := x.Batches[i]
	x.Batches = slices.Delete(x.Batches, i, i+1)
	for k := range x.Documents {
		if x.Documents[k].Batch == x.edit.Name {
			x.Documents[k].Batch = ""
		}
	}
	x.say("The batch %s is removed.", x.edit.Name)
	x.from(was.inWords(), "")
	return nil
}

func checkDay(field, day string) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return campaign.Invalid(field, "write a day such as 2026-12-24")
	}
	return nil
}
