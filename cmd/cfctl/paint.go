package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

// writeDiff prints a unified diff: as it is for git apply, and in git's colours,
// made visible, where a user reads it.
func (t *terminal) writeDiff(diff []byte) error {
	if !t.color {
		_, err := t.out.Write(diff)
		return err
	}
	for line := range bytes.Lines(diff) {
		text := report.Lines("", strings.TrimSuffix(string(line), "\n"))
		code := ""
		switch {
		case bytes.HasPrefix(line, []byte("diff ")), bytes.HasPrefix(line, []byte("--- ")), bytes.HasPrefix(line, []byte("+++ ")):
			code = "1"
		case bytes.HasPrefix(line, []byte("@@")):
			code = "36"
		case bytes.HasPrefix(line, []byte("-")):
			code = "31"
		case bytes.HasPrefix(line, []byte("+")):
			code = "32"
		}
		if code != "" {
			text = "\x1b[" + report.Raw(code) + "m" + text + "\x1b[0m"
		}
		report.Fprintf(t.out, "%s\n", text)
	}
	return nil
}

// markColors are those of the signs of a step's state.
var markColors = map[string]string{
	train.Marks[train.Done]: "32", train.Marks[train.Waiting]: "33", train.Marks[train.Missing]: "36",
	train.Marks[train.Conflict]: "31", train.Marks[train.Blocked]: "2",
}

// mark is the sign of a step's state, in its colour where that is wanted.
func mark(s train.State, colored bool) report.Raw {
	sign := train.Marks[s]
	if code := markColors[sign]; colored && code != "" {
		sign = "\x1b[" + code + "m" + sign + "\x1b[0m"
	}
	return report.Raw(sign)
}

// paintMarks gives the sign that a line begins with its colour; the other lines
// stay.
func paintMarks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, size := utf8.DecodeRuneInString(line)
		if code := markColors[line[:size]]; code != "" && strings.HasPrefix(line[size:], " ") {
			line = "\x1b[" + code + "m" + line[:size] + "\x1b[0m" + line[size:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// showStatistics prints how much there is to migrate, counted in three ways
// instead of listed.
func (t *terminal) showStatistics(plan *migrate.Plan) {
	rules, formats, folders := map[string]int{}, map[string]int{}, map[string]int{}
	for _, f := range plan.Files {
		for _, s := range f.Sites {
			if s.Action() == migrate.Stay {
				continue
			}
			rule := s.Rule
			if s.Action() == migrate.NeedsReview {
				rule = migrate.FindingReview
			}
			folder, _, nested := strings.Cut(f.Path, "/")
			if !nested {
				folder = "."
			}
			rules[rule]++
			formats[f.Format]++
			folders[folder]++
		}
	}
	t.showCounts("rule", rules)
	t.showCounts("format", formats)
	t.showCounts("folder", folders)
}

// showCounts prints a table of counts, the largest first.
func (t *terminal) showCounts(title string, counts map[string]int) {
	names := byCount(counts)
	if len(names) == 0 {
		return
	}
	report.Fprintf(t.out, "%s\n", t.style("1", "by "+title))
	for _, name := range names {
		report.Fprintf(t.out, "%s  %s\n", report.Raw(fmt.Sprintf("%7d", counts[name])), name)
	}
}

// byCount are the names, the most counted first, then by name.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
}
