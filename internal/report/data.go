package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// dataPart counts annotated data, annotators and active time.
type dataPart struct {
	estimates  *estimates
	protocol   *protocol.Protocol
	documents  map[string]bool
	systems    map[string]*systemCount
	domains    map[string]*domainCount
	annotators map[string]*annotatorCount
	statuses   map[campaign.Status]int
	rounds     []int // the number of ratings in each round, from round 1
	sum        domainCount
	times      ratedTimes // until they are drawn
}

// ratedTimes are the active seconds of the ratings whose time is known, in the order of reading.
type ratedTimes struct {
	seconds    stat.QuantileTotals
	annotators []*annotatorCount // by number
	given      []int32           // by rating: the number of its annotator
	runs       []timesRun
}

// A timesRun says where ratings of a document and domain are.
type timesRun struct {
	document int
	domain   *domainCount
	from, to int
}

func (t *ratedTimes) add(document int, domain *domainCount, annotator *annotatorCount, seconds float64) {
	if annotator.times.ratings == 0 {
		annotator.number = int32(len(t.annotators))
		t.annotators = append(t.annotators, annotator)
	}
	annotator.times.ratings++
	domain.times.ratings++
	if n := len(t.runs); n == 0 || t.runs[n-1].document != document || t.runs[n-1].domain != domain {
		t.runs = append(t.runs, timesRun{document: document, domain: domain, from: len(t.given)})
	}
	t.seconds.Add(document, seconds)
	t.given = append(t.given, annotator.number)
	t.runs[len(t.runs)-1].to = len(t.given)
}

type systemCount struct{ translations, empty, ratings, gold int }

type annotatorCount struct {
	number         int32 // in ratedTimes
	segments, gold int
	work           workCount
	times          activeTimes
}

// domainCount has the counts of one domain or of all domains.
type domainCount struct {
	documents                                                                                       map[string]bool
	segments, characters, words, translations, ratings, goldSegments, goldTranslations, goldRatings int
	times                                                                                           activeTimes
}

func newDataPart(p *protocol.Protocol, e *estimates) *dataPart {
	return &dataPart{
		estimates: e,
		protocol:  p,
		documents: map[string]bool{}, systems: map[string]*systemCount{}, domains: map[string]*domainCount{},
		annotators: map[string]*annotatorCount{}, statuses: map[campaign.Status]int{},
	}
}

func (p *dataPart) add(seg campaign.Segment) {
	p.documents[seg.DocID] = true
	p.statuses[seg.Status]++
	domain := entry(p.domains, seg.Domain)
	if domain.documents == nil {
		domain.documents = map[string]bool{}
	}
	domain.documents[seg.DocID] = true
	characters, words := utf8.RuneCountInString(seg.Source), codepoint.Words(seg.Source)
	for _, d := range []*domainCount{domain, &p.sum} {
		d.segments++
		d.characters += characters
		d.words += words
		d.translations += len(seg.Translations)
		if seg.Status.InGold() {
			d.goldSegments++
			d.goldTranslations += len(seg.Translations)
		}
	}
	for _, name := range seg.Absent {
		entry(p.systems, name)
	}
	met := map[string]bool{}
	for _, t := range seg.Translations {
		system := entry(p.systems, t.System)
		system.translations++
		if t.Text == "" {
			system.empty++
		}
		system.ratings += len(t.Ratings)
		forming := campaign.ContributingRatings(p.protocol, seg, t)
		for _, r := range t.Ratings {
			gold := slices.ContainsFunc(forming, func(g campaign.Rating) bool { return g.Annotator == r.Annotator && g.Round == r.Round })
			if gold {
				system.gold++
			}
			met[r.Annotator] = true
			p.addRating(domain, r, words, gold)
			p.addTime(domain, seg, r, words)
		}
	}
	for login := range met {
		p.annotators[login].segments++
	}
}

func (p *dataPart) addRating(domain *domainCount, r campaign.Rating, words int, gold bool) {
	for len(p.rounds) < r.Round {
		p.rounds = append(p.rounds, 0)
	}
	if r.Round > 0 {
		p.rounds[r.Round-1]++
	}
	a := entry(p.annotators, r.Annotator)
	a.work.add(words, r.Seconds)
	domain.ratings++
	p.sum.ratings++
	if gold {
		a.gold++
		domain.goldRatings++
		p.sum.goldRatings++
	}
}

// addTime adds the time of a rating, if it is known, to the times and to the estimates.
func (p *dataPart) addTime(domain *domainCount, seg campaign.Segment, r campaign.Rating, words int) {
	document := p.estimates.document(seg.DocID)
	if r.Seconds > 0 {
		p.times.add(document, domain, p.annotators[r.Annotator], r.Seconds)
	}
	p.estimates.group("work", r.Annotator).addTime(document, words, r.Seconds)
	p.estimates.group("work", everything{}).addTime(document, words, r.Seconds)
	p.estimates.group("time", seg.Domain).addTime(document, words, r.Seconds)
}

// entry returns the value of a key. It creates the value if there is none.
func entry[K comparable, V any](m map[K]*V, key K) *V {
	return made(m, key, func() *V { return new(V) })
}

// made returns the value of a key. It makes the value if there is none.
func made[K comparable, V any](m map[K]*V, key K, value func() *V) *V {
	v := m[key]
	if v == nil {
		v = value()
		m[key] = v
	}
	return v
}

func (p *dataPart) counts() Counts {
	domains := len(p.domains)
	if _, ok := p.domains[""]; ok {
		domains--
	}
	return Counts{
		Documents: len(p.documents), Segments: p.sum.segments, Systems: len(p.systems), Translations: p.sum.translations,
		Domains: domains, Annotators: len(p.annotators), Ratings: p.sum.ratings,
		GoldSegments: p.sum.goldSegments, GoldRatings: p.sum.goldRatings, Rounds: len(p.rounds),
	}
}

// drawTimes computes the means and medians of all times after the last segment. They are in memory little more than twice.
func (p *dataPart) drawTimes(ctx context.Context, b stat.Bootstrap) error {
	times, all := p.times, &p.sum.times
	p.times = ratedTimes{}
	seconds := times.seconds.Values()
	all.QuantileTotals = times.seconds
	if err := all.draw(ctx, b); err != nil {
		return err
	}
	var sum stat.Sum // domain by domain, which decides the last digit
	for _, name := range sorted(p.domains) {
		domain := p.domains[name]
		domain.times.Grow(domain.times.ratings)
		for _, run := range times.runs {
			if run.domain != domain {
				continue
			}
			for _, v := range seconds[run.from:run.to] {
				domain.times.Add(run.document, v)
				sum.Add(v)
			}
		}
		if err := domain.times.draw(ctx, b); err != nil {
			return err
		}
	}
	all.mean = sum.Value() / float64(len(seconds))
	for _, a := range times.annotators {
		a.times.Grow(a.times.ratings)
	}
	for _, run := range times.runs {
		for i := run.from; i < run.to; i++ {
			times.annotators[times.given[i]].times.Add(run.document, seconds[i])
		}
	}
	for _, a := range p.annotators {
		if err := a.times.draw(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// goldStatuses lists all statuses in gold: "ungated, agreed or adjudicated", for
// example.
func goldStatuses() string {
	var words []string
	for _, status := range campaign.Statuses {
		if status.InGold() {
			words = append(words, status.Words())
		}
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (p *dataPart) section(c campaign.Campaign, done campaign.Interventions, o Options, sides []*side) Section {
	s := Section{ID: DataSection, Title: "Data", Note: "Counted over all segments of the campaign and all submitted ratings of every round. " +
		"Gold are the segments that are " + goldStatuses() + ", with the ratings of the round that settles them. " +
		"Active time stops while the page is hidden or idle; ratings whose time is not known are left out of medians and means, which are undefined without any."}
	if p.sum.segments == 0 {
		s.Paragraphs = []string{"The campaign has no segments yet."}
		return s
	}
	words, tables := interventions(c, done)
	s.Paragraphs = append(p.paragraphs(c), p.statusWords(), strings.Join(words, " "))
	s.Tables = append([]Table{settingsTable(c), p.domainTable(), p.statusTable()}, tables...)
	if !c.Rules.OfSegments() {
		s.Tables = slices.Insert(s.Tables, 3, p.systemTable())
	}
	if len(o.Systems) > 0 {
		s.Tables = append(s.Tables, p.aboutTable(o.Systems))
	}
	if unknown := p.unknownSystems(o.Systems); len(unknown) > 0 {
		s.Paragraphs = append(s.Paragraphs,
			fmt.Sprintf("The file of systems describes %s, which the campaign does not have.", wording.ListUpTo(unknown, 20)))
	}
	if len(p.rounds) > 1 {
		s.Tables = append(s.Tables, p.roundTable())
	}
	if len(p.annotators) > 0 {
		s.Tables = append(s.Tables, p.annotatorTable(), p.workTable(o.Prices))
	}
	if len(sides) > 1 {
		s.Tables = append(s.Tables, translationsTable(sides), p.campaignsTable(sides, o.Prices))
	}
	return appendNonEmpty(s, p.timeTable())
}

// appendNonEmpty adds a table if it has rows.
func appendNonEmpty(s Section, t Table) Section {
	if len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
	return s
}

func (p *dataPart) paragraphs(c campaign.Campaign) []string {
	n := p.counts()
	what := fmt.Sprintf("The data are %s in %s", wording.Counted(n.Segments, "segment"), wording.Counted(n.Documents, "document"))
	if n.Domains > 0 {
		names := slices.DeleteFunc(sorted(p.domains), func(name string) bool { return name == "" })
		what += fmt.Sprintf(" from %s (%s)", wording.Counted(n.Domains, "domain"), wording.List(names))
	}
	unit := "segment"
	if !c.Rules.OfSegments() {
		unit = "translation"
		what += fmt.Sprintf(", each translated by up to %s: %s in all", wording.Counted(n.Systems, "system"),
			wording.Counted(n.Translations, "translation"))
	}
	if pair := c.LanguagePair(); pair != "" {
		what += ", language pair " + pair
	}
	if n.Ratings == 0 {
		return []string{what + ".", "No " + unit + " has been rated yet."}
	}
	who := fmt.Sprintf("%s gave %s under the protocol %s", wording.Counted(n.Annotators, "annotator"),
		wording.Counted(n.Ratings, "rating"), c.Rules.Name)
	if len(p.rounds) > 1 {
		again := n.Ratings - p.rounds[0]
		who += fmt.Sprintf(", %s of them in a second look", wording.Count(again))
	}
	gold := fmt.Sprintf("Gold holds %s of the segments.", percent(n.GoldSegments, n.Segments))
	out := []string{what + ".", who + ". " + gold}
	if times := p.sum.times; times.ratings > 0 {
		out = append(
			out,
			fmt.Sprintf(
				"The median active time was %s seconds a rating, the mean %s.", wording.Decimal(times.median.Value, 1),
				wording.Decimal(times.mean, 1),
			),
		)
	} else {
		out = append(out, "How long the ratings took is not known.")
	}
	return out
}

func (p *dataPart) domainTable() Table {
	t := Table{ID: "domains", Title: "Annotated data", Caption: "Annotated data by domain.",
		Note: "Characters are code points of the sources, words those of the sources: in Chinese and Japanese every character is one.",
		Columns: slices.Concat(
			texts("Domain"), counts("Documents", "Segments", "Characters", "Words", "Translations", "Ratings"),
			under("Gold", counts("Segments", "Translations", "Ratings")),
		)}
	row := func(name string, documents int, d domainCount) []Cell {
		return []Cell{
			text(name), count(documents), count(d.segments), count(d.characters), count(d.words), count(d.translations), count(d.ratings),
			count(d.goldSegments), count(d.goldTranslations), count(d.goldRatings),
		}
	}
	for _, name := range sorted(p.domains) {
		if name == "" && len(p.domains) == 1 {
			continue
		}
		t.add(row(domainName(name), len(p.domains[name].documents), *p.domains[name])...)
	}
	t.addTotal(row("All", len(p.documents), p.sum)...)
	return t
}

// translationsTable counts the translations by domain in each campaign (Table 2 of "Beyond Literal Mapping").
func translationsTable(sides []*side) Table {
	t := Table{ID: "domains-campaigns", Title: "Translations by domain and campaign",
		Caption: "The number of translations in each campaign, by domain.",
		Note:    "All of a campaign's translations, rated or not. A translation that several campaigns have counts in each.",
		Columns: texts("Domain")}
	domains := map[string]bool{}
	for _, s := range sides {
		t.addColumns(counts(s.label))
		for name := range s.translations {
			domains[name] = true
		}
	}
	t.addColumns(counts("Sum"))
	all := make([]int, len(sides)+1)
	row := func(name string, each []int) []Cell {
		cells := []Cell{text(name)}
		for _, n := range each {
			cells = append(cells, count(n))
		}
		return cells
	}
	for _, name := range sorted(domains) {
		each := make([]int, len(sides)+1)
		for i, s := range sides {
			each[i] = s.translations[name]
			each[len(sides)] += each[i]
		}
		for i, n := range each {
			all[i] += n
		}
		if name != "" || len(domains) > 1 {
			t.add(row(domainName(name), each)...)
		}
	}
	t.addTotal(row("All", all)...)
	return t
}

// domainName returns the name of a domain as it is shown.
func domainName(name string) string { return cmp.Or(name, "(none)") }

// statusWords says how many segments have each status.
func (p *dataPart) statusWords() string {
	var parts []string
	for _, status := range campaign.Statuses {
		if n := p.statuses[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", wording.Count(n), status.Words()))
		}
	}
	return fmt.Sprintf("By status: %s.", wording.List(parts))
}

func (p *dataPart) statusTable() Table {
	t := Table{ID: "statuses", Title: "Segments by status", Caption: "The number of segments with each status.",
		Columns: slices.Concat(texts("Status", "In gold"), counts("Segments"), shares("Share"))}
	for _, status := range campaign.Statuses {
		gold := "no"
		if status.InGold() {
			gold = "yes"
		}
		n := p.statuses[status]
		t.add(text(string(status)), text(gold), count(n), value(stat.Ratio(n, p.sum.segments)))
	}
	return t
}

// settingsTable lists the campaign's protocol and the settings that mean something under it.
func settingsTable(c campaign.Campaign) Table {
	t := Table{ID: "settings", Title: "Settings", Caption: "Protocol and settings of the campaign.",
		Columns: texts("Setting", "Value", "Meaning"),
		Rows:    []Row{{Cells: []Cell{text("protocol"), text(c.Protocol), text(c.Rules.Name)}, RuleAfter: true}}}
	for _, key := range campaign.SettingList {
		if !c.Rules.Heeds(key.Key) {
			continue
		}
		t.add(text(key.Key), text(key.Get(c.Settings)), text(key.Help))
	}
	return t
}

func (p *dataPart) roundTable() Table {
	t := Table{ID: "rounds", Title: "Ratings by round", Caption: "How many ratings each round has; the first is the first annotation.",
		Columns: slices.Concat(texts("Round"), counts("Ratings"), shares("Share"))}
	for i, n := range p.rounds {
		t.add(text(strconv.Itoa(i+1)), count(n), value(stat.Ratio(n, p.sum.ratings)))
	}
	return t
}

func (p *dataPart) systemTable() Table {
	t := Table{ID: "systems-data", Title: "Systems", Caption: "Translations and ratings of each system.",
		Columns: slices.Concat(
			texts("System"), counts("Translations", "Empty", "Ratings", "Ratings in gold"),
		)}
	for _, name := range sorted(p.systems) {
		s := p.systems[name]
		t.add(text(name), count(s.translations), count(s.empty), count(s.ratings), count(s.gold))
	}
	return t
}

func (p *dataPart) annotatorTable() Table {
	t := Table{ID: "annotators", Title: "Annotators", Caption: "Ratings of each annotator. Times are active seconds a rating.",
		Columns: slices.Concat(
			texts("Annotator"), counts("Segments", "Ratings", "Ratings in gold"),
			under("Time (s)", numbers(1, "Median", "Mean")),
		)}
	for _, login := range sorted(p.annotators) {
		a := p.annotators[login]
		t.add(
			text(login), count(a.segments), count(a.work.ratings), count(a.gold), a.times.median,
			estimated(a.times.mean, p.estimates.interval("work", login, meanTime)),
		)
	}
	return t
}

// timeTable is Table 2 of Popov et al. 2025, in seconds.
func (p *dataPart) timeTable() Table {
	t := Table{ID: "time", Title: "Active time", Caption: "Active seconds a rating, by domain.",
		Note:    "Times are over the ratings of all rounds whose time is known.",
		Columns: slices.Concat(texts("Domain"), counts("Ratings"), numbers(1, "Median (s)", "Mean (s)"))}
	row := func(name, table string, domain any, of *activeTimes) []Cell {
		mean := estimated(of.mean, p.estimates.interval(table, domain, meanTime))
		return []Cell{text(name), count(of.ratings), of.median, mean}
	}
	all := &p.sum.times
	if all.ratings == 0 {
		return t
	}
	for _, name := range sorted(p.domains) {
		if name != "" || len(p.domains) > 1 {
			t.add(row(domainName(name), "time", name, &p.domains[name].times)...)
		}
	}
	t.addTotal(row("All", "work", everything{}, all)...)
	return t
}
