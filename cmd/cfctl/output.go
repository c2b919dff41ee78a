package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// An outputFile is a file that findings are written to next to standard output.
type outputFile struct{ form, path string }

// outputFiles is the value of --output-file.
type outputFiles []outputFile

// Set takes FORM=FILE.
func (l *outputFiles) Set(text string) error {
	form, path, ok := strings.Cut(text, "=")
	if !ok || path == "" {
		return errors.New("want FORM=FILE, such as sarif=cfctl.sarif")
	}
	if _, err := oneOf("output format", report.Formats)(form); err != nil {
		return err
	}
	*l = append(*l, outputFile{form, path})
	return nil
}

// Type is shown in the help text.
func (l *outputFiles) Type() string { return "FORM=FILE" }

func (l *outputFiles) String() string {
	parts := make([]string, 0, len(*l))
	for _, f := range *l {
		parts = append(parts, f.form+"="+f.path)
	}
	return strings.Join(parts, " ")
}

// findingsFlags are the flags of every command that prints findings.
func findingsFlags(t *terminal, cmd *cobra.Command, output *string) {
	outputFlag(cmd, output, "text", report.Formats...)
	cmd.Flags().Var(&t.files, "output-file", "write the findings to a file too; repeatable")
	var forms []string
	for _, form := range report.Formats {
		forms = append(forms, form+"=")
	}
	complete(cmd, "output-file", forms)
}

// prints says whether one of the forms is printed, to standard output or a file.
func (t *terminal) prints(output string, forms ...string) bool {
	return slices.Contains(forms, output) || slices.ContainsFunc(t.files, func(f outputFile) bool { return slices.Contains(forms, f.form) })
}

// print writes a report to standard output, the job summary where GitHub wants
// one, and the files of --output-file.
func (t *terminal) print(form string, r *report.Report) error {
	r.Version = build().Version
	var err error
	if form == "text" {
		err = report.WriteText(t.out, r, t.style)
	} else {
		err = report.Write(t.out, form, r)
	}
	if err != nil {
		return err
	}
	return t.printBeside(form, r)
}

// printBeside is print for a command that has words of its own for standard
// output: the job summary and the files alone.
func (t *terminal) printBeside(form string, r *report.Report) error {
	r.Version = build().Version
	for _, f := range t.files {
		if _, err := os.Stat(filepath.Dir(f.path)); err != nil {
			return errorf("--output-file %s=%s: there is no folder %s", f.form, f.path, filepath.Dir(f.path))
		}
	}
	if err := jobSummary(t, form, r); err != nil {
		return err
	}
	for _, f := range t.files {
		var b bytes.Buffer
		if err := report.Write(&b, f.form, r); err != nil {
			return err
		}
		if err := source.WriteFile(f.path, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// jobSummary appends the markdown form to $GITHUB_STEP_SUMMARY, with -o github.
func jobSummary(t *terminal, output string, r *report.Report) error {
	path := t.env["GITHUB_STEP_SUMMARY"]
	if output != "github" || path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := report.Write(&b, "markdown", r); err != nil {
		return err
	}
	return source.AppendFile(path, b.Bytes(), 0o644)
}
