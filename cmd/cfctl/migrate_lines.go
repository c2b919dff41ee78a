package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
)

// margin is how many characters of a long line are shown before and behind
// what changes in it.
const margin = 40

// showFile is a file of the preview for a reader: its name once, then each line
// with what goes and what comes in it. data is the file as it was read; a site
// that does not stand there as it is spelled is shown without its line. It says
// whether there was anything to show; a blank line is before what is not first.
func (t *terminal) showFile(o *migrateOptions, f *migrate.File, data []byte, first bool) bool {
	var shown []migrate.Site
	for _, s := range f.Sites {
		if s.Action() == migrate.Change || s.Action() == migrate.Stay && o.verbose {
			shown = append(shown, s)
		}
	}
	if len(shown) == 0 && f.To == f.Path {
		return false
	}
	if !first {
		report.Fprintf(t.out, "\n")
	}
	report.Fprintf(t.out, "%s\n", t.style("1", renamed(f.Path, f.After())))
	for len(shown) > 0 {
		n := 1
		for inLine(data, shown[0]) && n < len(shown) && shown[n].Pos.Line == shown[0].Pos.Line && shown[n].Start >= shown[n-1].End && inLine(data, shown[n]) {
			n++
		}
		place := fmt.Sprintf("%d:%d", shown[0].Pos.Line, shown[0].Pos.Column)
		report.Fprintf(t.out, "%s  %s  %s\n", report.Raw(fmt.Sprintf("%8s", place)), t.siteText(data, shown[:n]), t.style("2", about(shown[:n])))
		shown = shown[n:]
	}
	return true
}

// inLine says whether a change stands in one line of the file, byte for byte.
func inLine(data []byte, s migrate.Site) bool {
	return s.Action() == migrate.Change && s.Start >= 0 && s.End <= len(data) && s.Start < s.End &&
		string(data[s.Start:s.End]) == s.Old && !strings.Contains(s.Old+s.New, "\n")
}

// siteText is the line of the sites, which stand in the same one, or what is
// known of the first one where the file does not show it.
func (t *terminal) siteText(data []byte, sites []migrate.Site) report.Raw {
	first := sites[0]
	switch {
	case inLine(data, first):
		return t.lineText(data, sites)
	case first.Action() == migrate.Stay:
		return t.style("2", "kept: "+first.Old)
	case first.New == "":
		return t.gone(first.Old)
	}
	return t.gone(first.Old) + " → " + t.come(first.New)
}

// lineText is a line with its changes: in colours the old is struck and the new
// bright; without, they are marked as by git diff --word-diff.
func (t *terminal) lineText(data []byte, sites []migrate.Site) report.Raw {
	last := sites[len(sites)-1]
	begin := bytes.LastIndexByte(data[:sites[0].Start], '\n') + 1
	end := len(data)
	if i := bytes.IndexByte(data[last.End:], '\n'); i >= 0 {
		end = last.End + i
	}
	var b strings.Builder
	at := begin
	for i, s := range sites {
		before := blanked(data[at:s.Start])
		if i == 0 {
			before = strings.TrimLeft(before, " ")
			if r := []rune(before); len(r) > margin {
				before = "…" + string(r[len(r)-margin:])
			}
		}
		b.WriteString(report.Visible(before) + string(t.gone(s.Old)+t.come(s.New)))
		at = s.End
	}
	after := []rune(strings.TrimRight(blanked(data[at:end]), " "))
	if len(after) > margin {
		after = append(after[:margin:margin], '…')
	}
	b.WriteString(report.Visible(string(after)))
	return report.Raw(b.String())
}

// blanked is a piece of a line, its tabs and the CR of its end as blanks.
func blanked(b []byte) string { return strings.NewReplacer("\t", " ", "\r", " ").Replace(string(b)) }

func (t *terminal) gone(text string) report.Raw {
	if !t.color {
		return report.Raw("[-" + report.Visible(text) + "-]")
	}
	return t.style("9;31", text)
}

func (t *terminal) come(text string) report.Raw {
	if text == "" {
		return ""
	}
	if !t.color {
		return report.Raw("{+" + report.Visible(text) + "+}")
	}
	return t.style("1;32", text)
}

// about says by which rules, and why.
func about(sites []migrate.Site) string {
	var list []string
	for _, s := range sites {
		text := s.Rule
		switch {
		case s.Action() == migrate.Stay:
			text = fmt.Sprintf("%s (%s)", s.Why, s.Role)
		case s.Why != "":
			text += " (" + s.Why + ")"
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}
