package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
)

const verifyLong = `Check every effect of a release against the evidence in the journal: a tag that
was moved, an image that was pushed again, notes or a matrix that were edited
after. Exit 1 on any of them.

Without a journal, it only checks whether each step is done.`

func newReleaseVerify(t *terminal) *cobra.Command {
	o, output := &trainOptions{reads: true, past: true}, ""
	cmd := &cobra.Command{
		Use: "verify VERSION", Short: "check a release against its evidence", Long: verifyLong, Args: oneVersion("verify"),
		RunE: func(cmd *cobra.Command, args []string) error { return runVerify(cmd.Context(), t, o, args[0], output) },
	}
	o.flags(cmd)
	o.servers(cmd)
	findingsFlags(t, cmd, &output)
	return cmd
}

func runVerify(ctx context.Context, t *terminal, o *trainOptions, version, output string) error {
	s, err := o.open(ctx, t, version)
	if err != nil {
		return err
	}
	defer s.done()
	if err := o.readJournal(ctx, t, s); err != nil {
		return err
	}
	findings, err := s.train.On(s.env).Verify(ctx, &s.env.Env)
	if err != nil {
		return err
	}
	if err := t.print(output, &report.Report{Command: "release verify", Rules: release.VerifyRules(), Findings: findings}); err != nil {
		return err
	}
	if slices.ContainsFunc(findings, func(f report.Finding) bool { return f.Severity != report.Note }) {
		return errPending
	}
	if output == "text" {
		report.Fprintf(t.out, "%s: all %d steps are as they were released\n", s.train.Title(), len(s.train.Steps()))
	}
	return nil
}
