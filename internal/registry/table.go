package registry

import (
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
)

// Short is a tag's version and the beginning of its digest.
func (t Tag) Short() string {
	if t.Digest == "" {
		return "-"
	}
	digest := strings.TrimPrefix(t.Digest, "sha256:")
	return strings.TrimSpace(t.Version + " " + digest[:min(12, len(digest))])
}

// WriteViews prints one line for each image.
func WriteViews(out io.Writer, views []*View) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	report.Fprintf(w, "COMPONENT\tSTABLE\tDEV\tHIGHEST RELEASE\n")
	for _, v := range views {
		report.Fprintf(w, "%s\t%s\t%s\t%s\n", v.Component, v.Stable.Short(), v.Dev.Short(), v.Highest.Short())
	}
	return w.Flush()
}

// WriteDevs prints one line for each dev image.
func WriteDevs(out io.Writer, list []*Dev, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	report.Fprintf(w, "COMPONENT\tDEV\tAGE\tBUILT FROM\tHEAD\tSTATE\n")
	for _, d := range list {
		age, from := "-", "-"
		if !d.Created.IsZero() {
			age = report.Span(now.Sub(d.Created))
		}
		if d.Revision != "" {
			from = report.Sprintf("%.7s", d.Revision)
		}
		report.Fprintf(w, "%s\t%s\t%s\t%s\t%s %.7s\t%s\n", d.Component, Tag{Digest: d.Digest}.Short(), age, from, d.Branch, d.Head, string(d.State))
	}
	return w.Flush()
}
