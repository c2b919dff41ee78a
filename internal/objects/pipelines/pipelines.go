// Package pipelines turns the pipelines of a Kubeflow Pipelines database, REST
// API or folder of compiled files into Pipeline and PipelineVersion objects of
// pipelines.kubeflow.org/v2beta1 (KEP-11551, the Kubernetes native API).
//
// All names are read first, so that each gets a DNS-1123 name of its own; the
// specs follow one by one. Versions are created oldest first and the newest of
// every pipeline in a later second: the server takes the one with the latest
// creation second for the latest.
package pipelines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// The API of the new objects.
const apiVersion = "pipelines.kubeflow.org/v2beta1"

// originalID is the annotation that the user interface follows to the old id.
const originalID = "pipelines.kubeflow.org/original-id"

// A Pipeline is a stored pipeline with its versions, without their specs.
type Pipeline struct {
	id, namespace, name    string // Namespace empty = shared, or single-user mode
	displayName, describes string
	tags                   map[string]string
	versions               []*Version
	path                   string           // file, table or URL
	local                  bool             // from a file: the ID is no id of a server
	err                    *objects.Refusal // it cannot be read
}

// A Version is a stored version of a pipeline.
type Version struct {
	id, name               string
	displayName, describes string
	codeURL, specURI       string
	tags                   map[string]string
	created                int64 // seconds since 1970
	path                   string
	err                    error // it cannot be read

	text []byte // of the spec, when the store had it at hand
}

// A Store is where pipelines are stored.
type Store interface {
	// Pipelines hands out every pipeline with its versions.
	Pipelines(ctx context.Context, each func(*Pipeline) error) error
	// Spec reads the spec of a version as it is stored: JSON or YAML.
	Spec(ctx context.Context, p *Pipeline, v *Version) ([]byte, error)
}

// A Kind is `cfctl import pipelines`.
type Kind struct {
	Store      Store
	Objects    *ObjectStore // of specs that Store does not have; nil = not read
	Shared     string       // namespace of pipelines that have none
	Namespaces []string     // only these, and pipelines that have none; empty = all
	Meter      *objects.Meter

	ledger *objects.Ledger
	latest map[string]string    // pipeline ID -> ID of its newest version
	owners map[string]*Pipeline // by its ID, and by those of its versions
}

// Name implements objects.Kind.
func (k *Kind) Name() string { return "pipelines" }

// Resources implements objects.Kind.
func (k *Kind) Resources() []objects.Resource {
	var list []objects.Resource
	for _, r := range []objects.Resource{
		{APIVersion: apiVersion, Kind: "Pipeline", Plural: "pipelines"},
		{APIVersion: apiVersion, Kind: "PipelineVersion", Plural: "pipelineversions"},
	} {
		for _, r.Namespace = range k.targets() {
			list = append(list, r)
		}
	}
	return list
}

// targets are the namespaces of the target that are checked; one that is
// empty means all.
func (k *Kind) targets() []string {
	if len(k.Namespaces) == 0 {
		return []string{""}
	}
	list := slices.Clone(k.Namespaces)
	if k.Shared != "" {
		list = append(list, k.Shared)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Remember pins the names that an earlier run gave.
func (k *Kind) Remember(l *objects.Ledger) { k.ledger = l }

// Close closes the store.
func (k *Kind) Close() error {
	if c, ok := k.Store.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Items implements objects.Kind.
func (k *Kind) Items(ctx context.Context, emit func(*objects.Item) error) error {
	list, err := k.read(ctx)
	if err != nil {
		return err
	}
	n := k.name(list)
	total := len(list)
	for _, pl := range list {
		total += len(pl.versions)
	}
	k.Meter.Expect(int64(total))
	count := func(it *objects.Item) error {
		k.Meter.Add(1)
		return emit(it)
	}
	newest := map[*Pipeline]*Version{}
	for _, pl := range list {
		if newest[pl], err = k.newest(ctx, n, pl); err != nil {
			return err
		}
		if pl.local && newest[pl] == nil {
			k.Meter.Add(1) // a file that holds no version is no pipeline: the version says why
			continue
		}
		if err := count(k.pipeline(n, pl)); err != nil {
			return err
		}
	}
	for _, r := range inOrder(list, newest) {
		it, err := k.version(ctx, n, r)
		if err != nil {
			return err
		}
		if err := count(it); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kind) read(ctx context.Context) ([]*Pipeline, error) {
	k.latest, k.owners = map[string]string{}, map[string]*Pipeline{}
	var list []*Pipeline
	err := k.Store.Pipelines(ctx, func(pl *Pipeline) error {
		if len(k.Namespaces) > 0 && !slices.Contains(k.Namespaces, pl.namespace) && pl.namespace != "" {
			return nil
		}
		slices.SortStableFunc(pl.versions, func(a, b *Version) int { return cmp.Compare(a.created, b.created) })
		list = append(list, pl)
		k.owners[pl.id] = pl
		for _, v := range pl.versions {
			k.owners[v.id] = pl
		}
		return nil
	})
	return list, err
}

func (k *Kind) namespace(p *Pipeline) string { return cmp.Or(p.namespace, k.Shared) }

// A ranked version is a version in the order of creation.
type ranked struct {
	pipeline *Pipeline
	version  *Version
	newest   *Version // of the pipeline; the version itself for the newest; nil = none can be imported
}

// newest is the newest version that can be imported, which will be the latest;
// nil when there is none.
func (k *Kind) newest(ctx context.Context, n *names, pl *Pipeline) (*Version, error) {
	for _, v := range slices.Backward(pl.versions) {
		it, err := k.version(ctx, n, ranked{pl, v, nil})
		if err != nil {
			return nil, err
		}
		if it.Want != nil && objects.Flaw(it.Want) == nil {
			k.latest[pl.id] = v.id
			return v, nil
		}
	}
	return nil, nil
}

// inOrder is every version: the older ones of all pipelines oldest first, then
// the newest of each.
func inOrder(list []*Pipeline, newestOf map[*Pipeline]*Version) []ranked {
	var older, newest []ranked
	for _, p := range list {
		last := newestOf[p]
		for _, v := range p.versions {
			if v == last {
				newest = append(newest, ranked{p, v, last})
			} else {
				older = append(older, ranked{p, v, last})
			}
		}
	}
	slices.SortStableFunc(older, func(a, b ranked) int { return cmp.Compare(a.version.created, b.version.created) })
	return append(older, newest...)
}

func (p *Pipeline) origin() objects.Origin {
	return objects.Origin{ID: p.id, Kind: "pipeline", Namespace: p.namespace, Name: p.name, Path: p.path}
}

// pipeline is the item of a pipeline.
func (k *Kind) pipeline(n *names, pl *Pipeline) *objects.Item {
	it := &objects.Item{Origin: pl.origin()}
	if it.Refused = k.refuse(pl); it.Refused != nil {
		return it
	}
	name := n.pipeline(pl)
	spec := objects.Object{"displayName": cmp.Or(pl.displayName, pl.name)}
	set(spec, "description", pl.describes)
	tags(spec, pl.tags)
	it.Want = objects.Object{"apiVersion": apiVersion, "kind": "Pipeline", "metadata": k.metadata(pl, name, pl.id), "spec": spec}
	it.Mark = mark(it.Want)
	noteName(it, pl.name, pl.displayName, name)
	return it
}

// mark is what of an object is checked for edits of its source, also of
// fields that were emptied since: its spec, with what is large in it as a
// digest.
func mark(o objects.Object) objects.Object {
	m := objects.Object{}
	for key, value := range objects.Map(o, "spec") {
		if _, large := value.(map[string]any); large && key != "tags" {
			value = objects.Digest(value)
		}
		m[key] = value
	}
	return objects.Object{"spec": m}
}

func (k *Kind) refuse(pl *Pipeline) *objects.Refusal {
	switch {
	case pl.err != nil:
		return pl.err
	case strings.HasPrefix(pl.id, orphan):
		return &objects.Refusal{Reason: "orphan", Message: "its row in pipelines does not exist", Hint: "delete its versions, or restore the row"}
	case k.namespace(pl) == "":
		return &objects.Refusal{Reason: "shared", Message: "it has no namespace: it is shared, or the server is in single-user mode", Hint: "say where such pipelines go: --shared-namespace NAMESPACE"}
	}
	return nil
}

func (k *Kind) metadata(pl *Pipeline, name, id string) objects.Object {
	meta := objects.Object{"name": name, "namespace": k.namespace(pl)}
	if !pl.local {
		meta["annotations"] = objects.Object{originalID: id}
	}
	return meta
}

// noteName says that an object has another name now. The old one is its
// display name, unless another was chosen.
func noteName(it *objects.Item, old, display, name string) {
	if old == name {
		return
	}
	message := "is named " + name
	if display != "" && display != old {
		message += fmt.Sprintf("; it is shown as %q, and its old name in the ledger alone", display)
	}
	it.Notes = append(it.Notes, it.Origin.Finding("renamed", report.Note, message))
}

func set(o objects.Object, key, value string) {
	if value != "" {
		o[key] = value
	}
}

func tags(o objects.Object, t map[string]string) {
	if len(t) == 0 {
		return
	}
	m := objects.Object{}
	for key, value := range t {
		m[key] = value
	}
	o["tags"] = m
}

// version is the item of a version.
func (k *Kind) version(ctx context.Context, n *names, r ranked) (*objects.Item, error) {
	pl, v := r.pipeline, r.version
	it := &objects.Item{Owner: pl.id, Phase: 1, Origin: objects.Origin{
		ID: v.id, Kind: "version", Namespace: pl.namespace, Name: pl.name + " " + v.name, Path: cmp.Or(v.path, pl.path),
	}}
	if r.newest == v {
		it.Phase = 2
	} else if r.newest != nil {
		it.Before = r.newest.id
	}
	if it.Refused = k.refuse(pl); it.Refused != nil {
		return it, nil //nolint:nilerr // a refusal is a finding, not trouble
	}
	pipelineSpec, platform, err := k.spec(ctx, pl, v)
	if err != nil {
		if errors.As(err, &it.Refused) {
			err = nil
		}
		return it, err
	}
	spec := objects.Object{
		"displayName": cmp.Or(v.displayName, v.name), "pipelineName": n.pipeline(pl),
		"versionName": n.version(pl, v), "pipelineSpec": pipelineSpec,
	}
	set(spec, "description", v.describes)
	set(spec, "codeSourceURL", v.codeURL)
	set(spec, "pipelineSpecURI", v.specURI)
	tags(spec, v.tags)
	if platform != nil {
		spec["platformSpec"] = platform
	}
	meta := k.metadata(pl, n.object(pl, v), v.id)
	meta["ownerReferences"] = []any{objects.Object{"apiVersion": apiVersion, "kind": "Pipeline", "name": n.pipeline(pl)}}
	it.Want = objects.Object{"apiVersion": apiVersion, "kind": "PipelineVersion", "metadata": meta, "spec": spec}
	it.Mark = mark(it.Want)
	noteName(it, v.name, v.displayName, n.version(pl, v))
	if size := objects.Size(it.Want); size > objects.MaxClientApply {
		it.Notes = append(it.Notes, it.Origin.Finding("server-side-apply", report.Note,
			fmt.Sprintf("%d KiB: kubectl apply takes its manifest only with --server-side", size>>10)))
	}
	return it, nil
}

func (k *Kind) spec(ctx context.Context, pl *Pipeline, v *Version) (pipeline, platform any, err error) {
	if v.err != nil {
		return nil, nil, v.err
	}
	text := v.text
	if text == nil {
		if text, err = k.Store.Spec(ctx, pl, v); err != nil {
			return nil, nil, err
		}
	}
	if missing(text) && k.Objects != nil {
		if text, err = k.Objects.spec(ctx, pl, v); err != nil {
			return nil, nil, err
		}
	}
	if missing(text) {
		refusal := refuse("empty-spec", "it has no pipeline spec")
		if v.specURI != "" {
			refusal.Message += "; its row names " + v.specURI + " in the object store"
		}
		if refusal.Hint = "upload the pipeline again"; k.Objects == nil {
			refusal.Hint = "if the object store has it: --object-store https://HOST/BUCKET; else upload the pipeline again"
		}
		return nil, nil, refusal
	}
	pipeline, platform, err = parse(text)
	if refusal, ok := errors.AsType[*objects.Refusal](err); ok && len(text) == longestText {
		refusal.Message += fmt.Sprintf("; it is cut off at %d bytes, the most that a column of type TEXT takes", longestText)
		refusal.Hint = "upload the pipeline again to a server whose column is LONGTEXT"
	}
	return pipeline, platform, err
}

func missing(text []byte) bool {
	plain := strings.TrimSpace(string(text))
	return plain == "" || plain == "null"
}

// longestText is what MySQL keeps of a longer text in a column of type TEXT,
// as older servers have, unless its mode makes that the error "data too long".
const longestText = 1<<16 - 1

// Audit asserts that the latest version of every pipeline is the one that was
// the latest before: the one with the latest creation second, and alone there.
func (k *Kind) Audit(stored []objects.Stored) []report.Finding {
	tops := map[string][]objects.Stored{} // by pipeline: those with the latest second
	for _, s := range stored {
		if s.Ref.Kind != "PipelineVersion" || s.Owner == "" || s.Created == 0 {
			continue
		}
		t := tops[s.Owner]
		if len(t) == 0 || s.Created > t[0].Created {
			tops[s.Owner] = []objects.Stored{s}
		} else if s.Created == t[0].Created {
			tops[s.Owner] = append(t, s)
		}
	}
	var findings []report.Finding
	for _, pipeline := range slices.Sorted(maps.Keys(tops)) {
		top, want := tops[pipeline], k.latest[pipeline]
		if want == "" || len(top) == 1 && top[0].Origin == want {
			continue
		}
		list := lists.Of(top, func(s objects.Stored) string { return s.Ref.Name })
		slices.Sort(list)
		findings = append(findings, report.Finding{
			Rule: "latest", Severity: report.Error,
			Message: fmt.Sprintf("the latest version of pipeline %s was %s; the server now takes %s", pipeline, want, strings.Join(list, " or ")),
			Hint:    "delete the object of the version that should be the latest, and apply again",
		})
	}
	return findings
}

// names are the new names of a set of pipelines. A version's object is called
// PIPELINE-VERSION, or like its pipeline when the two names were equal: that is
// how the server names what is made through its REST API. Its own name is
// in spec.versionName.
type names struct {
	kind      *Kind
	pipelines map[string]*objects.Naming // by namespace
	objects   map[string]*objects.Naming // by namespace
	versions  map[string]*objects.Naming // by pipeline
}

// name gives every pipeline and version its names.
func (k *Kind) name(list []*Pipeline) *names {
	n := &names{k, map[string]*objects.Naming{}, map[string]*objects.Naming{}, map[string]*objects.Naming{}}
	for _, p := range list {
		k.want(n.pipelines, k.namespace(p), p.id, p.name, true)
		for _, v := range p.versions {
			k.want(n.versions, p.id, v.id, v.name, false)
		}
	}
	settle(n.pipelines)
	settle(n.versions)
	for _, p := range list {
		for _, v := range p.versions {
			name := n.pipeline(p)
			if v.name != p.name {
				name += "-" + n.version(p, v)
			}
			k.want(n.objects, k.namespace(p), v.id, name, true)
		}
	}
	settle(n.objects)
	return n
}

// want asks for a name in one of several sets. A name of an object that an
// earlier run gave is kept.
func (k *Kind) want(sets map[string]*objects.Naming, set, id, name string, pinned bool) {
	if sets[set] == nil {
		sets[set] = objects.NewNaming(objects.MaxName)
	}
	sets[set].Want(id, name)
	if !pinned || k.ledger == nil {
		return
	}
	if e := k.ledger.Entry(id); e != nil && e.State != objects.Gone {
		sets[set].Keep(id, e.New.Name)
	}
}

func settle(sets map[string]*objects.Naming) {
	for _, n := range sets {
		n.Settle()
	}
}

func (n *names) pipeline(p *Pipeline) string { return n.pipelines[n.kind.namespace(p)].Name(p.id) }

func (n *names) version(p *Pipeline, v *Version) string { return n.versions[p.id].Name(v.id) }

func (n *names) object(p *Pipeline, v *Version) string {
	return n.objects[n.kind.namespace(p)].Name(v.id)
}
