package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// previewWidth is how many columns a preview has where the terminal does not say.
const previewWidth = 100

// placeWidth is how many columns of the preview the positions take.
const placeWidth = 10

// showFile is a file of the preview on a terminal: its path once, then each line
// that changes as a line with "-" and one with "+". data is the file as it was
// read; a site that is no longer there as it is spelled is shown without its line.
// It says whether there was anything to show; a blank line separates files.
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
		t.showSites(data, shown[:n])
		shown = shown[n:]
	}
	return true
}

// inLine says whether a change is within one line of the file, byte for byte.
func inLine(data []byte, s migrate.Site) bool {
	return s.Action() == migrate.Change && s.Start >= 0 && s.End <= len(data) && s.Start < s.End &&
		string(data[s.Start:s.End]) == s.Old && !strings.Contains(s.Old+s.New, "\n")
}

// showSites prints the sites of one line: the line before and after, or what is
// known of the first one where the file does not show it.
func (t *terminal) showSites(data []byte, sites []migrate.Site) {
	first := sites[0]
	place := report.Raw(fmt.Sprintf("%*s  ", placeWidth-2, fmt.Sprintf("%d:%d", first.Pos.Line, first.Pos.Column)))
	if first.Action() == migrate.Stay {
		report.Fprintf(t.out, "%s  %s  %s\n", place, first.Old, t.style("2", "kept: "+about(sites)))
		return
	}
	before, after := []piece{{first.Old, true}}, []piece{{first.New, true}}
	if inLine(data, first) {
		before, after = lineOf(data, sites, false), lineOf(data, sites, true)
	}
	why := "[" + about(sites) + "]"
	gone, _ := t.cut(before)
	if first.New == "" && len(after) == 1 {
		report.Fprintf(t.out, "%s%s  %s\n", place, t.signed("31", "- ", gone), t.style("2", why))
		return
	}
	come, columns := t.cut(after)
	report.Fprintf(t.out, "%s%s\n%*s%s", place, t.signed("31", "- ", gone), placeWidth, "", t.signed("32", "+ ", come))
	if columns+2+utf8.RuneCountInString(why) > t.previewed() {
		report.Fprintf(t.out, "\n%*s", placeWidth, "")
	}
	report.Fprintf(t.out, "  %s\n", t.style("2", why))
}

// previewed is how many columns a line of the preview has behind its sign.
func (t *terminal) previewed() int {
	width := cmp.Or(t.columns, previewWidth)
	return max(width-placeWidth-len("- "), 20)
}

// A piece is a part of a line; what differs is shown bright.
type piece struct {
	text    string
	differs bool
}

// lineOf are the pieces of the line of the sites, before or after the change.
func lineOf(data []byte, sites []migrate.Site, after bool) []piece {
	last := sites[len(sites)-1]
	at := bytes.LastIndexByte(data[:sites[0].Start], '\n') + 1
	end := len(data)
	if i := bytes.IndexByte(data[last.End:], '\n'); i >= 0 {
		end = last.End + i
	}
	var list []piece
	for i, s := range sites {
		before := blanked(data[at:s.Start])
		if i == 0 {
			before = strings.TrimLeft(before, " ")
		}
		text := s.Old
		if after {
			text = s.New
			if removed(s) {
				text = ""
			}
		}
		list = append(list, piece{report.Visible(before), false}, piece{report.Visible(text), true})
		at = s.End
	}
	return append(list, piece{report.Visible(strings.TrimRight(blanked(data[at:end]), " ")), false})
}

// removed says whether a change only removes text: the new name is there already.
func removed(s migrate.Site) bool {
	return len(s.Edits()) > 0 && !slices.ContainsFunc(s.Edits(), func(e source.Edit) bool { return e.New != "" })
}

// cut shortens pieces to the columns of the preview, and says how many they have:
// first at the end of the line, then before its first change.
func (t *terminal) cut(list []piece) ([]piece, int) {
	list = slices.Clone(list)
	total := 0
	for _, p := range list {
		total += utf8.RuneCountInString(p.text)
	}
	room := t.previewed()
	shorten := func(i int, atEnd bool) {
		text := []rune(list[i].text)
		if n := len(text); total > room && n > 1 && !list[i].differs {
			n = max(n-(total-room)-1, 0)
			total -= len(text) - n - 1
			if atEnd {
				list[i].text = string(text[:n]) + "…"
			} else {
				list[i].text = "…" + string(text[len(text)-n:])
			}
		}
	}
	shorten(len(list)-1, true)
	shorten(0, false)
	return list, total
}

// signed is a line with its sign, in a colour, with what differs in it bright.
func (t *terminal) signed(sgr, sign string, list []piece) report.Raw {
	text := t.style(sgr, sign)
	for _, p := range list {
		code := sgr
		if p.differs {
			code = "1;" + sgr
		}
		text += t.style(code, p.text)
	}
	return text
}

// blanked is a piece of a line, its tabs and the CR of its end as blanks.
func blanked(b []byte) string { return strings.NewReplacer("\t", " ", "\r", " ").Replace(string(b)) }

// about names the rules of the sites, and the reasons.
func about(sites []migrate.Site) string {
	var list []string
	for _, s := range sites {
		text := s.Rule
		switch {
		case s.Action() == migrate.Stay:
			text = whyKept(s)
		case s.Why != "":
			text += " (" + s.Why + ")"
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}
