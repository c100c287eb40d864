package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/campaign"
	"annotate/internal/plan"
	"annotate/internal/wording"
)

// PlanCommand makes the command plan.
func (a *App) PlanCommand() *cobra.Command {
	return a.Group(&cobra.Command{
		Use:   "plan",
		Short: "Plan who annotates which documents",
		Long: `Plan who annotates which documents of a campaign. Without a plan, segments go to whoever
asks for work. A change of the plan changes no rating, and documents that are begun stay
with their annotators. Each command that changes a plan prints the change; with --check
it only prints the change.`,
	}, a.planShowCommand(), a.planExportCommand(), a.planImportCommand(), a.planBalanceCommand(), a.planAssignCommand(),
		a.planUnassignCommand(),
		a.planBatchCommand(), a.planPoolCommand(), a.planPersonCommand(), a.planPullCommand(), a.planEndCommand())
}

type planChangeJSON struct {
	Campaign  string             `json:"campaign"`
	Stored    bool               `json:"stored"`
	Documents []planDocumentMove `json:"documents"`
	Other     []string           `json:"other"`
	Notes     []string           `json:"notes"`
	Loads     []planLoadJSON     `json:"loads"`
	Short     []string           `json:"short"` // ids of documents that balancing left with fewer annotators than the redundancy
}

type planDocumentMove struct {
	DocID   string   `json:"doc_id"`
	Words   int      `json:"words"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Pool    string   `json:"pool"`
	Batch   string   `json:"batch"`
}

type planLoadJSON struct {
	Annotator string   `json:"annotator"`
	Before    int      `json:"before"`
	After     int      `json:"after"`
	Target    *float64 `json:"target"` // null unless the change balances
}

// planEditCommand completes a command that changes a plan. The command makes or previews the edit, and prints
// the change.
func (a *App) planEditCommand(cmd *cobra.Command, edit func(args []string, before plan.Plan) (plan.Edit, error)) *cobra.Command {
	var check bool
	cmd.Flags().BoolVar(&check, "check", false, "print what would change, but change nothing")
	cmd.RunE = a.InCampaign(func(r Run) error {
		before, err := r.Plan.Plan(r.Ctx, r.Campaign)
		if err != nil {
			return err
		}
		e, err := edit(r.Args, before)
		if err != nil {
			return err
		}
		var change plan.Change
		if check {
			change, err = r.Plan.PreviewPlan(r.Ctx, r.Campaign, e)
		} else {
			change, err = r.Plan.ChangePlan(r.Ctx, r.Campaign.ID, e, "", "")
		}
		if rows, ok := errors.AsType[*plan.RowsError](err); ok {
			return Usage("%w", rows)
		}
		if err != nil {
			return err
		}
		if r.JSON() {
			return a.planChangeJSON(r.Campaign, change, !check && !change.Empty())
		}
		return a.writePlanChange(change, check)
	})
	return WithJSON(cmd)
}

// writePlanChange prints what a change of a plan does, or would do.
func (a *App) writePlanChange(change plan.Change, check bool) error {
	for _, text := range append(change.Other, change.Notes...) {
		if err := a.Println(text); err != nil {
			return err
		}
	}
	for _, d := range change.Documents {
		parts := []string{}
		for _, login := range d.Gained {
			parts = append(parts, "+"+login)
		}
		for _, login := range slices.Concat(d.Lost, d.Dropped) {
			parts = append(parts, "-"+login)
		}
		if d.Pool[0] != d.Pool[1] {
			parts = append(parts, "pool "+Dash(d.Pool[1]))
		}
		if d.Batch[0] != d.Batch[1] {
			parts = append(parts, "batch "+Dash(d.Batch[1]))
		}
		if err := a.Printf("%s: %s\n", d.DocID, strings.Join(parts, ", ")); err != nil {
			return err
		}
	}
	filled, freed := change.Moves()
	done := "changed"
	if check {
		done = "would change"
	}
	return a.Printf(
		"%s %s: %s filled, %s freed\n", wording.Counted(len(change.Documents), "document"), done, wording.Counted(filled, "place"),
		wording.Counted(freed, "place"),
	)
}

func (a *App) planChangeJSON(c campaign.Campaign, change plan.Change, stored bool) error {
	out := planChangeJSON{
		Campaign:  c.Slug,
		Stored:    stored,
		Documents: []planDocumentMove{},
		Other:     listed(change.Other),
		Notes:     listed(change.Notes),
		Loads:     []planLoadJSON{},
		Short:     listed(change.Short),
	}
	for _, d := range change.Documents {
		out.Documents = append(
			out.Documents,
			planDocumentMove{
				DocID:   d.DocID,
				Words:   d.Words,
				Added:   listed(d.Gained),
				Removed: listed(slices.Concat(d.Lost, d.Dropped)),
				Pool:    d.Pool[1],
				Batch:   d.Batch[1],
			},
		)
	}
	for _, l := range change.Loads {
		out.Loads = append(out.Loads, planLoadJSON{l.Login, l.Before, l.After, l.Target})
	}
	return a.printJSON(out)
}

// listed is a list that JSON writes as [] if it is empty.
func listed(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (a *App) printJSON(v any) error {
	e := json.NewEncoder(a.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

type planJSON struct {
	Campaign   string             `json:"campaign"`
	Version    int                `json:"version"`
	Redundancy int                `json:"redundancy"`
	Pull       bool               `json:"pull"`
	Pools      []planPoolJSON     `json:"pools"`
	Batches    []planBatchJSON    `json:"batches"`
	Annotators []planPersonJSON   `json:"annotators"`
	Documents  []planDocumentJSON `json:"documents"`
}

type planPoolJSON struct {
	Name    string   `json:"name"`
	Domain  string   `json:"domain"`
	Pattern string   `json:"pattern"`
	Members []string `json:"members"`
}

type planBatchJSON struct {
	Name     string `json:"name"`
	Priority int    `json:"priority"`
	Due      string `json:"due"`
}

type planPersonJSON struct {
	Login   string  `json:"login"`
	Active  bool    `json:"active"`
	State   string  `json:"state"` // active, or why the annotator is not: set aside, removed, disabled
	Share   float64 `json:"share"`
	Words   int     `json:"words"`
	Away    string  `json:"away"`
	Planned int     `json:"planned_words"`
	Left    int     `json:"left_words"`
	Behind  float64 `json:"behind_words"`
	Overdue int     `json:"overdue_documents"`
	NextDue string  `json:"next_due"`
}

type planDocumentJSON struct {
	DocID      string         `json:"doc_id"`
	Domain     string         `json:"domain"`
	Segments   int            `json:"segments"`
	Words      int            `json:"words"`
	Pool       string         `json:"pool"`
	Batch      string         `json:"batch"`
	Free       int            `json:"free_places"`
	Annotators []planTurnJSON `json:"annotators"`
}

type planTurnJSON struct {
	Login string `json:"login"`
	Kept  bool   `json:"kept"` // false: the annotator is not active, and the place is free
	Begun bool   `json:"begun"`
	Done  int    `json:"done"`
	Left  int    `json:"left"`
}

func (a *App) planShowCommand() *cobra.Command {
	return WithJSON(&cobra.Command{
		Use:     "show CAMPAIGN",
		Short:   "Show the plan of a campaign",
		Long:    "Show how many places are free, how many words each annotator has, and who is behind. Places of annotators who are set aside or have left are free. --json also has the documents, pools and batches.",
		Example: "  annotate plan show gold-zh-en\n  annotate plan show gold-zh-en --json | jq '.annotators[] | select(.overdue_documents > 0)'",
		Args:    Takes("CAMPAIGN"),
		RunE: a.InCampaign(func(r Run) error {
			p, err := r.Plan.Plan(r.Ctx, r.Campaign)
			if err != nil {
				return err
			}
			if r.JSON() {
				return a.printJSON(planView(r.Campaign, p))
			}
			if p.Version == 0 {
				return a.Printf("campaign %s has no plan: segments go to whoever asks for work\n", r.Campaign.Slug)
			}
			full, free := len(p.Documents)-p.Short(), p.FreePlaces()
			err = a.Printf(
				"%s of %s %s their %s; %s %s free\n", wording.Count(full), wording.Counted(len(p.Documents), "document"),
				wording.Choose(full, "has", "have"), wording.Counted(p.Redundancy, "annotator"), wording.Counted(free, "place"),
				wording.Choose(free, "is", "are"),
			)
			if err != nil {
				return err
			}
			return a.Table(func(row func(...any)) {
				row("ANNOTATOR", "SHARE", "WORDS", "AWAY", "PLANNED", "LEFT", "NEXT DUE", "OVERDUE", "BEHIND", "STATE")
				for i, s := range p.Standings() {
					x := p.People[i]
					row(
						x.Login, wording.Plain(x.Share), x.Words, Dash(plan.AwayText(x.Away)), p.Load(x.Login), s.Left, Dash(s.NextDue), s.Overdue,
						int(s.Behind+0.5), planState(x),
					)
				}
			})
		}),
	})
}

// planState says whether an annotator is active, and if not, why.
func planState(p plan.Person) string { return cmp.Or(p.Inactive, "active") }

func planView(c campaign.Campaign, p plan.Plan) planJSON {
	out := planJSON{
		Campaign:   c.Slug,
		Version:    p.Version,
		Redundancy: p.Redundancy,
		Pull:       p.Pull,
		Pools:      []planPoolJSON{},
		Batches:    []planBatchJSON{},
		Annotators: []planPersonJSON{},
		Documents:  []planDocumentJSON{},
	}
	for _, x := range p.Pools {
		out.Pools = append(out.Pools, planPoolJSON{x.Name, x.Domain, x.Pattern, listed(x.Members)})
	}
	for _, b := range p.Batches {
		out.Batches = append(out.Batches, planBatchJSON(b))
	}
	for i, s := range p.Standings() {
		x := p.People[i]
		out.Annotators = append(
			out.Annotators,
			planPersonJSON{x.Login, x.Active, planState(x), x.Share, x.Words, plan.AwayText(x.Away), p.Load(x.Login), s.Left, s.Behind,
				s.Overdue, s.NextDue},
		)
	}
	for _, d := range p.Documents {
		row := planDocumentJSON{d.DocID, d.Domain, d.Segments, d.Words, d.Pool, d.Batch, p.Free(d), []planTurnJSON{}}
		for _, t := range d.Turns {
			row.Annotators = append(row.Annotators, planTurnJSON{t.Login, p.Keeps(t), t.Begun, t.Done, t.Left})
		}
		out.Documents = append(out.Documents, row)
	}
	return out
}

func (a *App) planExportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "export CAMPAIGN",
		Short:   "Write the plan as CSV",
		Long:    "Write the plan as CSV with the columns document, annotator and batch: a row for each annotator of a document.",
		Example: "  annotate plan export gold-zh-en --out plan.csv",
		Args:    Takes("CAMPAIGN"),
		RunE: a.InCampaign(func(r Run) error {
			p, err := r.Plan.Plan(r.Ctx, r.Campaign)
			if err != nil {
				return err
			}
			if out == "" {
				return plan.WriteRows(a.Stdout, p)
			}
			f, err := os.Create(out)
			if err != nil {
				return err
			}
			return errors.Join(plan.WriteRows(f, p), f.Close())
		}),
	}
	cmd.Flags().StringVar(&out, "out", "", "`FILE` to write (default standard output)")
	return cmd
}

func (a *App) planImportCommand() *cobra.Command {
	return a.planEditCommand(&cobra.Command{
		Use:   "import CAMPAIGN FILE",
		Short: "Plan documents as a CSV file says",
		Long: `Plan documents by a CSV file with the columns document, annotator and, optionally, batch, and
a row for each annotator of a document. The file replaces the annotators and batches of the
documents that it names. Other documents stay as they are. FILE - is standard input.`,
		Example: "  annotate plan import gold-zh-en plan.csv --check",
		Args:    Takes("CAMPAIGN", "FILE"),
	}, func(args []string, _ plan.Plan) (edit plan.Edit, err error) {
		in := a.Stdin
		if args[1] != "-" {
			f, err := os.Open(args[1])
			if err != nil {
				return edit, Usage("%w", err)
			}
			defer f.Close()
			in = f
		}
		edit = plan.Edit{Kind: plan.EditRows}
		edit.Rows, err = plan.ReadRows(args[1], in)
		if err != nil {
			err = Usage("%w", err)
		}
		return edit, err
	})
}

func (a *App) planBalanceCommand() *cobra.Command {
	var anew bool
	cmd := a.planEditCommand(&cobra.Command{
		Use:   "balance CAMPAIGN [DOCUMENT…]",
		Short: "Fill free places by balance of words",
		Long: `Plan annotators for the free places of documents, so that each annotator
gets the words of their share or target, as near as pools and absences allow. Without
DOCUMENT, all places are filled. The command prints what it could not reach, and why.`,
		Example: "  annotate plan balance gold-zh-en --check\n  annotate plan balance gold-zh-en --anew",
		Args:    Takes("CAMPAIGN", "[DOCUMENT…]"),
	}, func(args []string, _ plan.Plan) (plan.Edit, error) {
		edit := plan.Edit{Kind: plan.EditBalance, Documents: named(args)}
		if anew {
			edit.Kind = plan.EditAnew
		}
		return edit, nil
	})
	cmd.Flags().BoolVar(&anew, "anew", false, "also plan anew what is planned but not begun")
	return cmd
}

// named returns the documents that follow the campaign, or nil, which stands for all, if
// there are none.
func named(args []string) []string {
	if len(args) == 1 {
		return nil
	}
	return args[1:]
}

func (a *App) planAssignCommand() *cobra.Command {
	return a.planHandCommand(
		plan.EditAssign, "assign", "Plan annotators for documents",
		"Plan annotators for documents, beside those who are planned. Without DOCUMENT, plan them for all documents.",
		"  annotate plan assign gold-zh-en news-1 news-2 --annotator mara",
	)
}

func (a *App) planUnassignCommand() *cobra.Command {
	return a.planHandCommand(
		plan.EditUnassign, "unassign", "Take documents away from annotators",
		"Take documents that are not begun away from annotators. Without --annotator, all annotators lose them. Without DOCUMENT, all documents are taken away.",
		"  annotate plan unassign gold-zh-en --annotator mara",
	)
}

func (a *App) planHandCommand(kind plan.EditKind, use, short, long, example string) *cobra.Command {
	var logins []string
	cmd := a.planEditCommand(
		&cobra.Command{Use: use + " CAMPAIGN [DOCUMENT…]", Short: short, Long: long, Example: example,
			Args: Takes("CAMPAIGN", "[DOCUMENT…]")},
		func(args []string, _ plan.Plan) (plan.Edit, error) {
			return plan.Edit{Kind: kind, Logins: logins, Documents: named(args)}, nil
		},
	)
	cmd.Flags().StringArrayVar(&logins, "annotator", nil, "`LOGIN` of an annotator; may be repeated")
	return cmd
}

func (a *App) planBatchCommand() *cobra.Command {
	var cmd *cobra.Command
	var batch plan.Batch
	var documents []string
	var remove bool
	cmd = a.planEditCommand(&cobra.Command{
		Use:   "batch CAMPAIGN NAME",
		Short: "Make, change or remove a batch",
		Long: `Make or change a batch of documents. Documents of the batch with the highest priority are
handed out first, then those with the earliest due date. Documents without a batch have the
priority 0. The command changes only the priority and the due date that it names.
--due "" removes the due date, and --name gives the batch another name.`,
		Example: "  annotate plan batch gold-zh-en urgent --priority 10 --due 2026-12-01 --document news-1 --document news-2\n  annotate plan batch gold-zh-en urgent --due 2026-12-08",
		Args:    Takes("CAMPAIGN", "NAME"),
	}, func(args []string, before plan.Plan) (plan.Edit, error) {
		if remove {
			return plan.Edit{Kind: plan.EditDropBatch, Name: args[1]}, nil
		}
		was := before.BatchOf(args[1])
		keep(cmd, "priority", &batch.Priority, was.Priority)
		keep(cmd, "due", &batch.Due, was.Due)
		keep(cmd, "name", &batch.Name, args[1])
		return plan.Edit{Kind: plan.EditSaveBatch, Name: args[1], Batch: batch, Documents: documents}, nil
	})
	f := cmd.Flags()
	f.StringVar(&batch.Name, "name", "", "new `NAME` of the batch")
	f.IntVar(&batch.Priority, "priority", 0, "priority `N`, from -1000 to 1000")
	f.StringVar(&batch.Due, "due", "", "last `DAY` on which the documents should be done, such as 2026-12-01")
	f.StringArrayVar(&documents, "document", nil, "put the document `ID` into the batch; may be repeated")
	f.BoolVar(&remove, "remove", false, "remove the batch; its documents stay planned")
	return cmd
}

// keep leaves a field as it was unless the command line has its flag.
func keep[T any](cmd *cobra.Command, flag string, field *T, was T) {
	if !cmd.Flags().Changed(flag) {
		*field = was
	}
}

func (a *App) planPoolCommand() *cobra.Command {
	var cmd *cobra.Command
	var pool plan.Pool
	var documents, join, leave []string
	var remove bool
	cmd = a.planEditCommand(&cobra.Command{
		Use:   "pool CAMPAIGN NAME",
		Short: "Make, change or remove a pool",
		Long: `Make or change a pool. Only members of a pool get its documents. Documents of its domain, or
with an id that fits its pattern, come into the pool, even if they are imported later. The
command changes only the members, domain and pattern that it names.
--member sets all members, --add and --drop change some. --name gives the pool another name.`,
		Example: "  annotate plan pool gold-zh-en lawyers --domain legal --member mara --member jonas\n  annotate plan pool gold-zh-en lawyers --add lena --drop jonas",
		Args:    Takes("CAMPAIGN", "NAME"),
	}, func(args []string, before plan.Plan) (plan.Edit, error) {
		if remove {
			return plan.Edit{Kind: plan.EditDropPool, Name: args[1]}, nil
		}
		was := before.PoolOf(args[1])
		keep(cmd, "domain", &pool.Domain, was.Domain)
		keep(cmd, "pattern", &pool.Pattern, was.Pattern)
		keep(cmd, "member", &pool.Members, was.Members)
		keep(cmd, "name", &pool.Name, args[1])
		for _, login := range leave {
			if !slices.Contains(was.Members, login) {
				return plan.Edit{}, campaign.Invalid("member", wording.Quote(login)+" is not in the pool")
			}
		}
		pool.Members = slices.DeleteFunc(slices.Concat(pool.Members, join), func(login string) bool { return slices.Contains(leave, login) })
		return plan.Edit{Kind: plan.EditSavePool, Name: args[1], Pool: pool, Documents: documents}, nil
	})
	f := cmd.Flags()
	f.StringVar(&pool.Name, "name", "", "new `NAME` of the pool")
	f.StringVar(&pool.Domain, "domain", "", "`DOMAIN` of documents that come into the pool")
	f.StringVar(&pool.Pattern, "pattern", "", "`PATTERN` of ids of documents that come into the pool, with * and ?")
	f.StringArrayVar(&pool.Members, "member", nil, "`LOGIN` of a member; may be repeated; the pool has no other members")
	f.StringArrayVar(&join, "add", nil, "`LOGIN` of a new member; may be repeated")
	f.StringArrayVar(&leave, "drop", nil, "`LOGIN` of a member who leaves the pool; may be repeated")
	f.StringArrayVar(&documents, "document", nil, "put the document `ID` into the pool; may be repeated")
	f.BoolVar(&remove, "remove", false, "remove the pool")
	return cmd
}

func (a *App) planPersonCommand() *cobra.Command {
	var cmd *cobra.Command
	var to plan.Person
	var away string
	cmd = a.planEditCommand(&cobra.Command{
		Use:   "person CAMPAIGN LOGIN",
		Short: "Set the share and the absences of an annotator",
		Long: `Set how much an annotator gets when words are balanced, and on which days the annotator is away.
The command changes only the share, words and absences that it names.
--words 0 and --away "" remove them.`,
		Example: "  annotate plan person gold-zh-en mara --share 0.5 --away 2026-12-24..2027-01-02",
		Args:    Takes("CAMPAIGN", "LOGIN"),
	}, func(args []string, before plan.Plan) (edit plan.Edit, err error) {
		was, _ := before.Person(args[1])
		to.Login = args[1]
		keep(cmd, "share", &to.Share, was.Share)
		keep(cmd, "words", &to.Words, was.Words)
		keep(cmd, "away", &away, plan.AwayText(was.Away))
		to.Away, err = plan.ParseAway(away)
		return plan.Edit{Kind: plan.EditSetPeople, People: []plan.Person{to}}, err
	})
	f := cmd.Flags()
	f.Float64Var(&to.Share, "share", 1, "share of the words `X`, relative to others; 0: none")
	f.IntVar(&to.Words, "words", 0, "words `N` to give, whatever the share; 0: by share")
	f.StringVar(&away, "away", "", "`DAYS` such as 2026-12-24..2027-01-02, separated by commas")
	return cmd
}

func (a *App) planPullCommand() *cobra.Command {
	return a.planEditCommand(&cobra.Command{
		Use:     "pull CAMPAIGN yes|no",
		Short:   "Say whether places without a planned annotator go to whoever asks",
		Long:    "Say whether places without a planned annotator go to whoever asks for work (yes) or are kept back (no).",
		Example: "  annotate plan pull gold-zh-en no",
		Args:    Takes("CAMPAIGN", "yes|no"),
	}, func(args []string, _ plan.Plan) (edit plan.Edit, err error) {
		if args[1] != "yes" && args[1] != "no" {
			err = Usage("%q is neither yes nor no", args[1])
		}
		return plan.Edit{Kind: plan.EditSetPull, Pull: args[1] == "yes"}, err
	})
}

func (a *App) planEndCommand() *cobra.Command {
	return a.planEditCommand(&cobra.Command{
		Use:     "end CAMPAIGN",
		Short:   "Remove the plan",
		Long:    "Remove the plan with its pools, batches, shares and absences. Segments go to whoever asks for work.",
		Example: "  annotate plan end gold-zh-en",
		Args:    Takes("CAMPAIGN"),
	}, func([]string, plan.Plan) (plan.Edit, error) { return plan.Edit{Kind: plan.EditEnd}, nil })
}
