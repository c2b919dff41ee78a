package judge

import (
	"iter"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// Decided is a site with what is decided of it. Without a site a document
// begins, or ends where Ends says which.
type Decided struct {
	Site *find.Site
	Decision
	Ends *find.Document
}

// Decisions are what is decided of the names of a file, in the order in which
// they are found, each when it is found: none is held. Name is the file's, as
// the user gives it.
func Decisions(names *find.Names, t *rules.Table, f *Facts, name string) iter.Seq[Decided] {
	return func(yield func(Decided) bool) {
		f.Format.Read(names, name, f.Data, &decider{table: t, facts: f, yield: yield})
	}
}

// A decider decides what a format reports. It says no more when nobody listens.
type decider struct {
	table *rules.Table
	facts *Facts
	yield func(Decided) bool
	done  bool
}

func (d *decider) Site(s find.Site) {
	d.facts.asWebhook(&s)
	d.say(Decided{Site: &s, Decision: Decide(&s, d.table, d.facts)})
}
func (d *decider) Begin()               { d.say(Decided{}) }
func (d *decider) End(of find.Document) { d.say(Decided{Ends: &of}) }

// say hands something on.
func (d *decider) say(x Decided) { d.done = d.done || !d.yield(x) }
