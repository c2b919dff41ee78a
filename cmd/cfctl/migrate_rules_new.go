package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/migrate/author"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

const rulesNewLong = `Write a ruleset for one API group out of this repository: its kinds with their
plurals; as comments the keys, finalizers, locks and other names made of the
group, which a person decides on; and examples cut from its own files, which
hold. Without FILE it is printed; a FILE that is there is not overwritten (exit 2).`

func newMigrateRulesNew(t *terminal) *cobra.Command {
	o := &author.Options{}
	cmd := &cobra.Command{
		Use: "new [FILE]", Short: "write a ruleset for one group out of this repository", Long: rulesNewLong,
		Example: `  cfctl migrate rules new --from old.example.com --to example.dev rules.yaml
  cfctl migrate rules new --from old.example.com --to example.dev --kind Gadget=Tool`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("rules new takes one FILE, got %d", len(args))
			}
			if err := o.Check(); err != nil {
				return usageError{err}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runRulesNew(cmd.Context(), t, o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.From, "from", "", "the group that is left")
	f.StringVar(&o.To, "to", "", "the group that it becomes")
	f.StringToStringVar(&o.Kinds, "kind", nil, "a kind that is renamed, OLD=NEW; repeatable")
	return cmd
}

func runRulesNew(ctx context.Context, t *terminal, o *author.Options, args []string) error {
	root, err := source.OpenRoot(".")
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	text, err := author.Draft(ctx, root, *o, findings{t})
	if err != nil {
		return err
	}
	if len(args) == 0 {
		_, err := t.out.WriteString(text)
		return err
	}
	if err := create(args[0], text); err != nil {
		return err
	}
	t.note("wrote %s", args[0])
	t.note("next: %s", nextOf(args[0], author.HasExamples(text)))
	return nil
}

// create writes a new file where a person said, with the folders that it needs.
func create(name, text string) error {
	dir, err := source.OutputRoot(filepath.Dir(name))
	if err != nil {
		return hinted{err, "name a file in a folder that can be made"}
	}
	defer func() { _ = dir.Close() }()
	err = dir.Create(filepath.Base(name), []byte(text), 0o644)
	if errors.Is(err, fs.ErrExist) {
		return hinted{&source.Error{Path: name, Err: fs.ErrExist}, "a file that is there stays: without FILE the ruleset is printed"}
	}
	return err
}

// nextOf is what to run with a new ruleset, in a shell.
func nextOf(name string, examples bool) string {
	file := report.Shell(name)
	if !filepath.IsAbs(name) && !strings.HasPrefix(name, ".") {
		file = report.Shell("./" + name)
	}
	run := "cfctl migrate --ruleset " + file
	if examples {
		run = "cfctl migrate rules test " + file + "; " + run
	}
	return run
}
