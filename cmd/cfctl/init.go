package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix/survey"
	"github.com/project-codeflare/cfctl/internal/migrate/author"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

type initOptions struct {
	ci     string
	dryRun bool
}

func newInit(t *terminal) *cobra.Command {
	o := &initOptions{}
	cmd := command(t, o, "init", "read a repository and write its .cfctl.yaml", runInit)
	names := lists.Of(author.Jobs, func(f author.Job) string { return f.Name })
	choiceFlag(cmd, &o.ci, "ci", "", "", names, "--ci", "also write the CI job for: ")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the files instead of writing them")
	return cmd
}

// A writtenFile is one that init writes, with the command that follows.
type writtenFile struct{ path, text, next string }

func runInit(ctx context.Context, t *terminal, o *initOptions) error {
	root, err := source.OpenRoot(".")
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := initHere(ctx, t); err != nil {
		return err
	}
	exists := func(name string) error {
		if _, err := fs.Stat(root.FS(), name); err == nil && !o.dryRun {
			hint := "cfctl init --dry-run"
			if name != config.Name {
				hint += " --ci " + o.ci + " prints what to add to it by hand"
			}
			return hinted{&source.Error{Path: name, Err: errors.New("exists already: nothing was written")}, hint}
		}
		return nil
	}
	if o.ci == "" { // before the tree is read
		if err := exists(config.Name); err != nil {
			return err
		}
	}
	files, err := o.files(ctx, t, root)
	if err != nil {
		return err
	}
	for _, f := range files { // before anything is written
		if err := exists(f.path); err != nil {
			return err
		}
	}
	for _, f := range files {
		if o.dryRun {
			fmt.Fprintf(t.out, "# %s\n%s", f.path, f.text)
			continue
		}
		if err := root.Create(f.path, []byte(f.text), 0o644); err != nil {
			return err
		}
		t.note("wrote %s", f.path)
		if f.next != "" {
			t.note("next: %s", f.next)
		}
	}
	return nil
}

// initHere refuses a folder that is no place for a configuration: a bare
// repository, and one below a configuration that it would shadow. The top of a
// work tree is a place of its own.
func initHere(ctx context.Context, t *terminal) error {
	repo, err := git.Open(ctx, ".")
	if err != nil {
		return nil //nolint:nilerr // what is wrong with the repository is said where it is read
	}
	defer func() { _ = repo.Close() }()
	if repo.Bare {
		return hinted{errors.New("this is a bare repository: nothing was written"), "run cfctl init in a work tree of it"}
	}
	file, err := t.Configs.Find()
	if err == nil && file.Path != "" && file.Path != config.Name {
		err = hinted{errorf("%s has a %s, which applies here too: nothing was written", path.Dir(file.Path), config.Name), "cfctl config check"}
	}
	return err
}

// files are what init would write.
func (o *initOptions) files(ctx context.Context, t *terminal, root *source.Root) ([]writtenFile, error) {
	var files []writtenFile
	written, err := root.ReadFile(config.Name)
	text := string(written)
	if err == nil && o.ci != "" {
		t.note("%s exists and is not changed", config.Name)
	} else {
		fresh, next, err := configuration(ctx, t, root)
		if err != nil {
			return nil, err
		}
		files = append(files, writtenFile{config.Name, fresh, "cfctl config check; " + next})
		text = fresh
	}
	for _, job := range author.Jobs {
		if job.Name != o.ci {
			continue
		}
		c, err := config.File{Path: config.Name, Data: []byte(text)}.Decode()
		if err != nil {
			return nil, err
		}
		written, err := job.Text(survey.Compares(c.Stack))
		if err != nil {
			return nil, err
		}
		files = append(files, writtenFile{job.To, written, job.Next})
	}
	return files, nil
}

// configuration is the text of a .cfctl.yaml for the repository in the working
// directory, and the command that uses it first.
func configuration(ctx context.Context, t *terminal, root *source.Root) (text, next string, err error) {
	migrating, next, project, err := author.Configure(ctx, t.Progress)
	if err != nil {
		return "", "", err
	}
	text = "# Written by cfctl init. Every key: " + report.DocsURL("config") + "\n" + migrating
	declared, used, err := survey.Declare(ctx, root.FS(), survey.Hints{Bundle: project.Bundle, Workflows: project.Workflows}, t.Progress)
	if err != nil || declared == "" {
		return text, next, err
	}
	return text + "\n# From the compatibility tables of this repository; cfctl matrix check compares the files\n# with them. Where a component has no repository here, add it (repository: OWNER/NAME);\n# cfctl matrix history then prints its other places.\n" + declared, used, nil
}
