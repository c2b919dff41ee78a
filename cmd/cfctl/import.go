package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// An importKind is one kind of stored object on the command line.
type importKind struct {
	name, short string
	from        string // what --from may be
	example     string
	flags       func(*pflag.FlagSet, *importOptions)
	checks      func(*pflag.FlagSet, *importOptions) // flags of verify and cutover; nil = none
	open        func(context.Context, *terminal, *importOptions) (objects.Kind, error)
	extra       func(*terminal) []*cobra.Command // verbs that only this kind has
}

// importKinds are the kinds of stored objects, in the order of the help text.
var importKinds = []importKind{
	operatorConfigKind,
	pipelinesKind,
	jobsKind,
	resourcesKind,
}

// importOptions is what the user chose.
type importOptions struct {
	from, to            string
	kubeconfig, context string
	namespace           string
	ledger              string
	output              string
	metrics             string
	partial, manifests  bool
	dry                 bool
	clean               time.Duration

	operator  operatorConfigOptions
	pipelines pipelineOptions
	objects   objectOptions

	kind    string // the kind's name
	meter   objects.Meter
	cluster *objects.Cluster // once it is connected
}

func newImport(t *terminal) *cobra.Command {
	return family("import", "move stored objects into their new custom resources, with proof",
		lists.Of(importKinds, func(k importKind) *cobra.Command { return newImportKind(t, k) })...)
}

func newImportKind(t *terminal, k importKind) *cobra.Command {
	verbs := lists.Of(importVerbs, func(v importVerb) *cobra.Command { return newImportVerb(t, k, v) })
	if k.extra != nil {
		verbs = append(verbs, k.extra(t)...)
	}
	return family(k.name, k.short, verbs...)
}

// An importVerb is one verb of every kind.
type importVerb struct {
	name, short string
	long        string // empty = as short
	source      bool   // reads the source
	run         func(context.Context, *terminal, *importOptions, *objects.Run) error
	flags       func(*pflag.FlagSet, *importOptions)
	writes      bool // the ledger
}

var importVerbs = []importVerb{
	{name: "plan", short: "show what would be created, refused and lost", source: true, run: runImportPlan,
		flags: func(f *pflag.FlagSet, o *importOptions) {
			partialFlag(f, o)
			f.BoolVar(&o.manifests, "manifests", false, "print the manifests of what would be created, as YAML")
		}},
	{name: "apply", short: "create what is missing", source: true, run: runImportApply, writes: true, flags: partialFlag},
	{name: "verify", short: "read back and compare, object by object", source: true, flags: partialFlag,
		run: func(ctx context.Context, t *terminal, o *importOptions, run *objects.Run) error {
			res, err := run.Verify(ctx)
			return o.conclude(t, "verify", res, err)
		}},
	{name: "drift", short: "compare old and new while both live", source: true, run: runImportDrift, writes: true, flags: driftFlags},
	{name: "cutover", short: "check whether the source of truth can be switched", source: true, run: runImportCutover, writes: true,
		flags: func(f *pflag.FlagSet, o *importOptions) {
			f.DurationVar(&o.clean, "clean-for", 168*time.Hour, "how long every drift check must have been without findings")
			driftFlags(f, o)
		}},
	{name: "rollback", short: "delete unchanged objects that this ledger created", long: rollbackLong, run: runImportRollback, writes: true,
		flags: func(f *pflag.FlagSet, o *importOptions) {
			f.BoolVar(&o.dry, "dry-run", false, "say what would be deleted, and delete nothing")
		}},
}

const rollbackLong = `Delete the objects that this ledger created and that were not changed since,
newest first, in every namespace. The old objects are not touched, and need not
exist.

An object that was changed or recreated since is not deleted, nor is an object
that owns one that is not deleted. The server deletes what belongs to a deleted
object, such as the Pods of a job, as it does for every deletion. --dry-run
makes the same checks and prints what would be deleted; neither target nor
ledger is written.`

// examples are the calls of a verb that its help shows.
func (v importVerb) examples(k importKind) string {
	if v.source {
		return strings.ReplaceAll(k.example, "VERB", v.name)
	}
	return fmt.Sprintf("  cfctl import %[1]s %[2]s --dry-run\n  cfctl import %[1]s %[2]s --to manifests", k.name, v.name)
}

func partialFlag(f *pflag.FlagSet, o *importOptions) {
	f.BoolVar(&o.partial, "allow-partial", false, "exit 0 although some objects were refused")
}

func driftFlags(f *pflag.FlagSet, o *importOptions) {
	f.StringVar(&o.metrics, "metrics", "", "write the counters to this file as Prometheus text; - is standard output")
}

func newImportVerb(t *terminal, k importKind, v importVerb) *cobra.Command {
	o := &importOptions{kind: k.name}
	cmd := &cobra.Command{
		Use:     v.name,
		Short:   v.short,
		Long:    v.long,
		Example: v.examples(k),
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runImport(cmd.Context(), t, k, v, o) },
	}
	f := cmd.Flags()
	if v.source {
		f.StringVar(&o.from, "from", "", k.from)
	}
	f.StringVar(&o.to, "to", "cluster", "where the new objects are: \"cluster\", or a folder of manifests")
	o.clusterFlags(f)
	f.StringVar(&o.ledger, "ledger", "cfctl-import-"+k.name+".jsonl", "file that records which new object each old one became")
	findingsFlags(t, cmd, &o.output)
	bind(f, "to", "import.to")
	bind(f, "ledger", "import.ledger")
	if v.source {
		k.flags(f, o)
	} else {
		k.flags(pflag.NewFlagSet(v.name, pflag.ContinueOnError), o) // their defaults: they choose what is read
	}
	v.flags(f, o)
	if k.checks != nil && (v.name == "verify" || v.name == "cutover") {
		k.checks(f, o)
	}
	return cmd
}

// frugalMemory is the size, in bytes, above which the garbage of a command is
// collected at once that runs where memory is dear, such as in a pod.
const frugalMemory = 100 << 20

// frugal bounds the garbage of this process, unless the user did.
func (t *terminal) frugal() {
	if t.Env["GOMEMLIMIT"] == "" {
		debug.SetMemoryLimit(frugalMemory)
	}
}

// runImport opens what a verb needs and runs it.
func runImport(ctx context.Context, t *terminal, k importKind, v importVerb, o *importOptions) error {
	if v.source && o.from == "" {
		return usage("--from is needed: %s", k.from)
	}
	t.frugal()
	target, err := o.target(t)
	if err != nil {
		return err
	}
	ledger, err := objects.OpenLedger(o.ledger, k.name, v.writes && !o.dry, time.Now)
	if err != nil {
		return err
	}
	key, err := t.JournalKey(v.writes && !o.dry)
	if err != nil { // nowhere to keep one, as in a pod: what is seen there is not sealed
		key = []byte{}
	}
	ledger.SealWith(key)
	run := &objects.Run{Target: target, Ledger: ledger, Meter: &o.meter, Progress: progressLine(t), Sleep: wire.Sleep, Brief: o.output == "text"}
	if run.Kind, err = k.open(ctx, t, o); err == nil {
		if n, ok := run.Kind.(interface{ Remember(*objects.Ledger) }); ok {
			n.Remember(ledger)
		}
		err = v.run(ctx, t, o, run)
	}
	if refusal, ok := errors.AsType[*objects.Refusal](err); ok && refusal.Hint != "" {
		err = hinted{err, refusal.Hint}
	}
	if c, ok := run.Kind.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return cmp.Or(err, ledger.Close())
}

// target opens where the new objects are.
func (o *importOptions) target(t *terminal) (objects.Target, error) {
	if o.to != "cluster" {
		return &objects.Dir{Root: o.to}, nil
	}
	return o.connect(t)
}

// clusterFlags say which cluster a command connects to.
func (o *importOptions) clusterFlags(f *pflag.FlagSet) {
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster (default: $KUBECONFIG, ~/.kube/config, or the pod's own)")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig")
	bind(f, "kubeconfig", "import.kubeconfig")
	bind(f, "context", "import.context")
}

// connect opens the cluster, once.
func (o *importOptions) connect(t *terminal) (*objects.Cluster, error) {
	if o.cluster != nil {
		return o.cluster, nil
	}
	c, err := objects.Connect(o.kubeconfig, o.context, "cfctl/"+build().Version, t.wait)
	if err != nil {
		return nil, hinted{err, "name a kubeconfig with --kubeconfig, or a folder with --to"}
	}
	o.cluster = c
	return c, nil
}

// objectSource opens a source of Kubernetes objects: these kinds of a
// namespace of the cluster (empty = of all), or manifests.
func (o *importOptions) objectSource(t *terminal, namespace string, kinds ...objects.Resource) (objects.Source, error) {
	if o.from != "cluster" {
		return &objects.Files{Path: o.from, Stdin: t.in, Meter: &o.meter}, nil
	}
	c, err := o.connect(t)
	if err != nil {
		return nil, err
	}
	for i := range kinds {
		kinds[i].Namespace = namespace
	}
	return &objects.ClusterSource{Cluster: c, Kinds: kinds, Missing: true, Meter: &o.meter}, nil
}

// progressLine tells how far a run is and how long it still takes: live on a
// terminal, a line every ten seconds elsewhere.
func progressLine(t *terminal) func(objects.Progress) {
	var shown, noted time.Duration
	return func(p objects.Progress) {
		if p.Elapsed-shown < 100*time.Millisecond {
			return
		}
		shown = p.Elapsed
		text := fmt.Sprintf("%d objects, %s", p.Objects, p.Elapsed.Round(time.Second))
		if p.Fraction > 0 && p.Fraction < 1 {
			text = fmt.Sprintf("%d objects, %.0f%%, %s, about %s left", p.Objects, 100*p.Fraction, p.Elapsed.Round(time.Second), p.Left().Round(time.Second))
		}
		t.status("%s", text)
		if !t.live && p.Elapsed-noted >= 10*time.Second {
			noted = p.Elapsed
			t.note("%s", text)
		}
	}
}

// print writes a report, and its summary where a user reads it.
func (o *importOptions) print(t *terminal, rep *report.Report, summary string) error {
	if err := t.print(o.output, rep); err != nil {
		return err
	}
	if o.output == "text" {
		_, err := report.Fprintf(t.out, "%s\n", summary)
		return err
	}
	return nil
}

// answer is the exit code of a result.
func (o *importOptions) answer(res *objects.Result) error {
	n := res.Counts
	return pendingIf(slices.ContainsFunc(res.Notes, isError) ||
		n[objects.StatusConflict]+n[objects.StatusAbsent]+n[objects.StatusDiffers] > 0 ||
		n[objects.StatusRefused]+n[objects.StatusFailed] > 0 && !o.partial)
}

func runImportPlan(ctx context.Context, t *terminal, o *importOptions, run *objects.Run) error {
	if !o.manifests {
		res, err := run.Plan(ctx)
		return o.conclude(t, "plan", res, err)
	}
	run.Progress = nil // the manifests are the output, as they come
	run.Manifests = func(manifest []byte) error {
		_, err := fmt.Fprintf(t.out, "---\n%s", manifest)
		return err
	}
	res, err := run.Plan(ctx)
	if err != nil {
		return o.conclude(t, "plan", res, err)
	}
	if err := report.Write(t.err, "text", res.Report("import "+o.kind+" plan", o.partial)); err != nil {
		return err
	}
	t.note("%s", res.Summary())
	return o.answer(res)
}

// conclude shows a result, also of a run that trouble ended, and is its answer.
func (o *importOptions) conclude(t *terminal, verb string, res *objects.Result, err error) error {
	if err != nil && (res == nil || res.Objects == 0) {
		return err
	}
	if o.output == "text" {
		if werr := res.WriteNames(t.out); werr != nil {
			return errors.Join(err, werr)
		}
	}
	if perr := o.print(t, res.Report("import "+o.kind+" "+verb, o.partial), res.Summary()); perr != nil {
		return errors.Join(err, perr)
	}
	if err != nil {
		t.note("stopped after %d objects", res.Objects)
		return err
	}
	return o.answer(res)
}

func runImportApply(ctx context.Context, t *terminal, o *importOptions, run *objects.Run) error {
	res, err := run.Apply(ctx)
	if err != nil {
		return hinted{o.conclude(t, "apply", res, err), "run it again to resume: finished objects are not created again"}
	}
	return o.conclude(t, "apply", res, nil)
}

func runImportDrift(ctx context.Context, t *terminal, o *importOptions, run *objects.Run) error {
	d, err := run.Drift(ctx)
	if err != nil {
		return err
	}
	if err := o.writeMetrics(t, d); err != nil {
		return err
	}
	if o.metrics != "-" {
		if err := o.print(t, d.Report("import "+o.kind+" drift"), d.Summary()); err != nil {
			return err
		}
	}
	return pendingIf(!d.Clean())
}

// writeMetrics puts the counters where a collector reads them, in one step.
func (o *importOptions) writeMetrics(t *terminal, d *objects.DriftResult) error {
	text := d.Metrics(o.kind)
	switch o.metrics {
	case "":
		return nil
	case "-":
		_, err := io.WriteString(t.out, text)
		return err
	}
	return source.WriteFile(o.metrics, []byte(text), 0o644)
}

func runImportCutover(ctx context.Context, t *terminal, o *importOptions, run *objects.Run) error {
	v, err := run.Cutover(ctx, o.clean)
	if err != nil {
		return err
	}
	if err := o.writeMetrics(t, v.Drift); err != nil {
		return err
	}
	rep := v.Drift.Report("import " + o.kind + " cutover")
	rep.Summary["ready"] = v.Ready
	rep.Summary["why"] = v.Why
	summary := fmt.Sprintf("ready: %d looks since %s were clean", v.Looks, v.Since.Format(time.RFC3339))
	if !v.Ready {
		summary = "not ready: " + strings.Join(v.Why, ", ")
	}
	if err := o.print(t, rep, summary); err != nil {
		return err
	}
	return pendingIf(!v.Ready)
}

func runImportRollback(ctx context.Context, t *terminal, o *importOptions, run *objects.Run) error {
	if len(run.Ledger.Entries()) == 0 {
		t.note("%s names nothing that was created", o.ledger)
	}
	res, err := run.Rollback(ctx, o.dry)
	return o.conclude(t, "rollback", res, err)
}
