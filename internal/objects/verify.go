package objects

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/report"
)

// Verify reads back what should be there and compares, object by object.
func (r *Run) Verify(ctx context.Context) (*Result, error) {
	res, err := r.each(ctx, func(ctx context.Context, it *Item) (*Outcome, error) {
		out, err := r.look(ctx, it)
		switch out.Status {
		case statusMissing:
			out.Status = StatusAbsent
		case StatusConflict:
			out.Status = StatusDiffers
		}
		return &out, err
	})
	if err != nil {
		return res, err
	}
	if n := len(slices.DeleteFunc(r.Ledger.Entries(), func(e *Entry) bool { return e.State != Created })); n > 0 && len(res.Counts) == 0 {
		res.Notes = append(res.Notes, report.Finding{Rule: "source-empty", Severity: report.Error, Message: "the source has no object, and by the ledger " + report.Plural(n, "object") + " came from it: nothing is verified"})
	}
	if a, ok := r.Kind.(Auditor); ok {
		res.Notes = append(res.Notes, a.Audit(r.all())...)
	}
	found, err := r.check(ctx)
	res.Notes = append(res.Notes, found...)
	return res, err
}

// check asks a Checker, if the kind is one.
func (r *Run) check(ctx context.Context) ([]report.Finding, error) {
	if c, ok := r.Kind.(Checker); ok {
		return c.Check(ctx)
	}
	return nil, nil
}

func (r *Run) all() []Stored {
	return lists.Of(slices.SortedFunc(maps.Keys(r.stored), compareRefs), func(ref Ref) Stored { return *r.stored[ref] })
}

// A driftClass is how source and target of one object stand to each other.
type driftClass string

// The classes of drift.
const (
	inSync        driftClass = "in-sync"
	statusOnly    driftClass = "status-only"    // the source's resourceVersion moved, nothing else
	cosmetic      driftClass = "cosmetic"       // the source was edited without changing what it means
	drifted       driftClass = "drifted"        // source or target was edited; Fields says where
	recreated     driftClass = "recreated"      // the source has a new UID
	onlyInSource  driftClass = "only-in-source" // not imported
	onlyInTarget  driftClass = "only-in-target" // its source is gone, or there never was one
	refusedSource driftClass = "refused"        // cannot be imported
)

// drifts is the order in which they are told.
var drifts = []driftClass{inSync, statusOnly, cosmetic, drifted, recreated, onlyInSource, onlyInTarget, refusedSource}

// alarming says whether a class of drift keeps the source of truth from being
// switched.
func (d driftClass) alarming() bool {
	return d != inSync && d != statusOnly && d != cosmetic
}

// A DriftLine is the drift of one object.
type DriftLine struct {
	origin  Origin // empty for onlyInTarget
	ref     Ref    // empty for onlyInSource and refusedSource
	class   driftClass
	Fields  []string // drifted: source fields by path, target fields as differences
	reason  string   // refused
	message string
}

// A DriftResult is one look at both sides while both live.
type DriftResult struct {
	Lines   []DriftLine // without those in sync
	counts  map[driftClass]int
	refused map[string]int // by reason
	objects int            // of the source
	tools   map[string]map[driftClass]int
	tool    func(namespace string) string // nil = the kind knows no tools
	notes   []report.Finding
}

// Clean says whether there is no drift that matters.
func (r *DriftResult) Clean() bool {
	for d, n := range r.counts {
		if n > 0 && d.alarming() {
			return false
		}
	}
	return true
}

// Drift compares source and target object by object and, when the ledger can
// be written, adds what it counted.
func (r *Run) Drift(ctx context.Context) (*DriftResult, error) {
	d := &DriftResult{counts: map[driftClass]int{}, refused: map[string]int{}, tools: map[string]map[driftClass]int{}}
	if k, ok := r.Kind.(interface{ Tool(namespace string) string }); ok {
		d.tool = k.Tool
	}
	res, err := r.each(ctx, func(ctx context.Context, it *Item) (*Outcome, error) {
		l, err := r.classify(ctx, it)
		if err != nil {
			return nil, err
		}
		d.objects++
		d.add(l)
		return &Outcome{Origin: it.Origin, ref: l.ref}, nil
	})
	if err != nil {
		return d, err
	}
	for _, ref := range res.extra {
		d.add(DriftLine{ref: ref, class: onlyInTarget, origin: Origin{ID: r.stored[ref].Origin}})
	}
	d.notes = res.Notes
	if !r.Ledger.writes {
		return d, nil
	}
	counters := map[string]int{}
	for c, n := range d.counts {
		counters[string(c)] = n
	}
	return d, r.Ledger.observe(observation{Counters: counters, Clean: d.Clean() && d.objects > 0})
}

func (r *DriftResult) add(l DriftLine) {
	r.counts[l.class]++
	if l.class == refusedSource {
		r.refused[l.reason]++
	}
	if r.tool != nil && l.class.alarming() {
		tool := r.tool(cmp.Or(l.origin.Namespace, l.ref.Namespace))
		if r.tools[tool] == nil {
			r.tools[tool] = map[driftClass]int{}
		}
		r.tools[tool][l.class]++
	}
	if l.class != inSync {
		r.Lines = append(r.Lines, l)
	}
}

func (r *Run) classify(ctx context.Context, it *Item) (DriftLine, error) {
	l := DriftLine{origin: it.Origin, class: inSync}
	if it.Want != nil {
		if refusal := Flaw(it.Want); refusal != nil {
			it.Want, it.Refused = nil, refusal
		}
	}
	if it.Want == nil {
		l.class, l.reason, l.message = refusedSource, it.Refused.Reason, it.Refused.Message
		return l, nil
	}
	s := r.stored[RefOf(it.Want)]
	if s == nil {
		l.class = onlyInSource
		return l, nil
	}
	l.ref = s.Ref
	if s.Origin != "" && s.Origin != it.Origin.ID {
		l.class = recreated
		l.Fields = []string{fmt.Sprintf("metadata.uid: was %s, is %s", s.Origin, it.Origin.ID)}
		return l, nil
	}
	return l, r.compareSides(ctx, it, s, &l)
}

// compareSides finds edits of the source by its fingerprint, and edits of the
// target by what it should be.
func (r *Run) compareSides(ctx context.Context, it *Item, s *Stored, l *DriftLine) error {
	e := r.Ledger.Entry(it.Origin.ID)
	if it.Mark != nil && s.mark != "" && s.mark != Digest(it.Mark) {
		before, err := r.Ledger.fields(e)
		if err != nil {
			return err
		}
		l.class = drifted
		l.Fields = sourceFields(before, it.Mark)
	}
	diffs, err := r.differences(ctx, it, s)
	if err != nil {
		return err
	}
	if ours := e != nil && e.State == Created && e.Digest == s.digest; len(diffs) > 0 {
		l.class = drifted
		if len(l.Fields) == 0 || !ours {
			l.Fields = append(l.Fields, briefly(diffs)...)
		}
	}
	switch {
	case l.class == drifted:
	case it.Raw != "" && s.raw != "" && s.raw != it.Raw:
		l.class = cosmetic
	case it.Origin.Version != s.from && s.from != "":
		l.class = statusOnly
	}
	return nil
}

func sourceFields(before map[string]string, mark Object) []string {
	if before == nil {
		return []string{"source: edited; which field is not known without the ledger of the import"}
	}
	return lists.Of(changed(before, fingerprint(mark)), func(p string) string { return "source " + p })
}

// Metrics is a drift as Prometheus text exposition format 0.0.4, for the
// textfile collector or a push gateway.
func (r *DriftResult) Metrics(kind string) string {
	var b strings.Builder
	gauge := func(name, help string) {
		fmt.Fprintf(&b, "# HELP cfctl_import_%s %s\n# TYPE cfctl_import_%s gauge\n", name, help, name)
	}
	for _, m := range []struct {
		name, help string
		n          int
	}{
		{"only_in_source", "Stored objects that are not in the target.", r.counts[onlyInSource]},
		{"only_in_target", "Objects of the target without a stored object.", r.counts[onlyInTarget]},
		{"drifted", "Objects whose source and target differ, or whose source was recreated.", r.counts[drifted] + r.counts[recreated]},
		{"status_only", "Objects whose source changed its status alone.", r.counts[statusOnly]},
		{"cosmetic", "Objects whose source was edited without changing its meaning.", r.counts[cosmetic]},
		{"in_sync", "Objects that are the same on both sides.", r.counts[inSync]},
	} {
		gauge(m.name, m.help)
		fmt.Fprintf(&b, "cfctl_import_%s{kind=%q} %d\n", m.name, kind, m.n)
	}
	gauge("refused", "Stored objects that cannot be imported, by reason.")
	for _, reason := range slices.Sorted(maps.Keys(r.refused)) {
		fmt.Fprintf(&b, "cfctl_import_refused{kind=%q,reason=%q} %d\n", kind, reason, r.refused[reason])
	}
	gauge("source_objects", "Stored objects that were checked.")
	fmt.Fprintf(&b, "cfctl_import_source_objects{kind=%q} %d\n", kind, r.objects)
	if r.tool == nil {
		return b.String()
	}
	gauge("tool_objects", "Objects of a tool that are not the same on both sides, by class.")
	for _, tool := range slices.Sorted(maps.Keys(r.tools)) {
		for _, class := range drifts {
			if n := r.tools[tool][class]; n > 0 {
				fmt.Fprintf(&b, "cfctl_import_tool_objects{kind=%q,tool=%q,class=%q} %d\n", kind, tool, class, n)
			}
		}
	}
	gauge("tools", "Tools with such objects.")
	n := len(r.tools)
	if r.tools[""] != nil {
		n-- // of namespaces without a tool
	}
	fmt.Fprintf(&b, "cfctl_import_tools{kind=%q} %d\n", kind, n)
	return b.String()
}
