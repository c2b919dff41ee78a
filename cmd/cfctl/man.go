//go:build man

package main

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/source"
)

// addMan adds the command that writes the manual pages of all commands that a
// person sees. What makes them costs every start half a millisecond, so that
// only builds with the tag man have it: .ci/release-files.sh and packagers.
func addMan(root *cobra.Command, t *terminal) { root.AddCommand(newMan(t)) }

func newMan(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "write the manual pages of all commands into a folder",
		Hidden: true, // it needs no page of its own
		Args:   oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			date, err := creationTime(t)
			if err != nil {
				return err
			}
			dir, err := source.MakeRoot(args[0])
			if err != nil {
				return err
			}
			return errors.Join(writeMan(cmd.Root(), date, dir), dir.Close())
		},
	}
}

// writeMan writes the page of cmd and of each command below it.
func writeMan(cmd *cobra.Command, date time.Time, dir *source.Root) error {
	cmd.DisableAutoGenTag = true
	cmd.Long = manText(cmd.Long)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = manEscape(f.Usage) })
	var page bytes.Buffer
	header := &doc.GenManHeader{Section: "1", Date: &date, Source: "cfctl", Manual: "cfctl manual"}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return err
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	if err := dir.Write(name, page.Bytes(), 0o644); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if err := writeMan(sub, date, dir); err != nil {
			return err
		}
	}
	return nil
}

// manText makes help text the Markdown that pages are made from: indented
// lines stay as they are, the rest loses what Markdown would take for marks.
func manText(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "  ")
		if indented != code && strings.TrimSpace(line) != "" {
			b.WriteString("\n")
			code = indented
		}
		if code && strings.TrimSpace(line) != "" {
			b.WriteString("  " + line)
		} else {
			b.WriteString(manEscape(line))
		}
	}
	return b.String()
}

var manEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "`", "\\`")

func manEscape(text string) string { return manEscaper.Replace(text) }
