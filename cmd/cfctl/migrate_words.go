package main

import (
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/report"
)

// showPlan prints a plan in the form that was asked for. As text it is a line
// for each change.
func (t *terminal) showPlan(o *migrateOptions, plan *migrate.Plan) error {
	if o.output != "text" {
		return t.print(o.output, t.reportOf(o, plan))
	}
	if len(t.files) > 0 {
		if err := t.printBeside("text", t.reportOf(o, plan)); err != nil {
			return err
		}
	}
	t.preview(o.verbose).Plan(plan)
	return nil
}

// preview shows plans on this terminal.
func (t *terminal) preview(verbose bool) *migration.Preview {
	return &migration.Preview{Out: t.out, Style: t.style, Verbose: verbose}
}

// reportOf is a plan as findings, with the account where a form prints it.
func (t *terminal) reportOf(o *migrateOptions, plan *migrate.Plan) *report.Report {
	return plan.Report(migrate.ReportOptions{Kept: o.verbose, Check: o.Check, Account: t.prints(o.output, "json")})
}
