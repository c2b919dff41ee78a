package main

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/objects/pipelines"
	"github.com/project-codeflare/cfctl/internal/wire"
)

const importPipelinesLong = `The pipelines of a Kubeflow Pipelines server become Pipeline and PipelineVersion
objects of pipelines.kubeflow.org/v2beta1.

They are read from the server's database, from its REST API, or from compiled
files (IR YAML). Every name becomes a DNS-1123 name of its
own; the old name becomes the display name, the old id the annotation
pipelines.kubeflow.org/original-id. Versions are created oldest first, the
newest of each pipeline in a later second, so that "latest" does not change;
verify asserts it. Specs of the v1 API and specs that the server would not take
are refused.

Definitions that only the object store of an older server has are read from
there with --object-store.

A password or token is taken from the environment alone: CFCTL_IMPORT_PASSWORD
for mysql, CFCTL_IMPORT_TOKEN for https, AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION for the object store.`

// pipelineOptions are the flags that only this kind has.
type pipelineOptions struct {
	shared, ca, objectStore string
	namespaces              []string
}

var pipelinesKind = importKind{
	name:  "pipelines",
	short: "Kubeflow pipelines of a server or files into custom resources",
	long:  importPipelinesLong,
	from:  "mysql://USER@HOST:PORT/DATABASE, https://HOST of the REST API, or a compiled pipeline or a folder of them",
	example: `  cfctl import pipelines VERB --from \
    mysql://root@127.0.0.1:3306/mlpipeline --shared-namespace kubeflow
  cfctl import pipelines VERB --from \
    mysql://root@127.0.0.1:3306/mlpipeline --object-store \
    http://127.0.0.1:9000/mlpipeline
  cfctl import pipelines VERB --from https://kfp.example.com --ca-file \
    ca.pem --to manifests --shared-namespace kubeflow
  cfctl import pipelines VERB --from compiled/ --to manifests \
    --shared-namespace kubeflow`,
	flags: func(f *pflag.FlagSet, o *importOptions) {
		f.StringVar(&o.pipelines.shared, "shared-namespace", "", "where pipelines without a namespace go: shared ones, and all of a single-user server")
		f.StringSliceVar(&o.pipelines.namespaces, "namespace", nil, "only the pipelines of these namespaces, and shared ones")
		f.StringVar(&o.pipelines.ca, "ca-file", "", "certificates that sign those of the REST API and the object store (default: the system's)")
		f.StringVar(&o.pipelines.objectStore, "object-store", "", "https://HOST/BUCKET/FOLDER of MinIO or S3, for definitions that --from has not")
		bind(f, "shared-namespace", "import.shared-namespace")
	},
	open:  openPipelines,
	extra: func(t *terminal) []*cobra.Command { return []*cobra.Command{newPipelineSchedules(t)} },
}

func openPipelines(ctx context.Context, t *terminal, o *importOptions) (objects.Kind, error) {
	k := &pipelines.Kind{Shared: o.pipelines.shared, Namespaces: o.pipelines.namespaces, Meter: &o.meter}
	var err error
	switch {
	case o.from == "": // rollback needs none
	case strings.HasPrefix(o.from, "mysql://"):
		k.Store, err = pipelines.Open(o.from, t.env["CFCTL_IMPORT_PASSWORD"])
	case strings.HasPrefix(o.from, "http://"), strings.HasPrefix(o.from, "https://"):
		k.Store, err = o.restPipelines(ctx, t)
	case strings.Contains(o.from, "://"):
		return nil, usage("--from %s: %s", o.from, "mysql, http and https are the known schemes")
	default:
		if _, err = os.Stat(o.from); err == nil {
			k.Store = &pipelines.Files{Root: o.from}
		}
	}
	if err == nil && o.pipelines.objectStore != "" {
		k.Objects, err = pipelines.OpenObjectStore(o.pipelines.objectStore, o.pipelines.ca, pipelines.Credentials{
			ID: t.env["AWS_ACCESS_KEY_ID"], Secret: t.env["AWS_SECRET_ACCESS_KEY"], Session: t.env["AWS_SESSION_TOKEN"],
			Region: cmp.Or(t.env["AWS_REGION"], "us-east-1"), // MinIO's, unless another was set
		}, wire.Sleep)
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// restPipelines opens the REST API. In multi-user mode a list shows one
// namespace; where none is named, those of the target cluster are asked for.
func (o *importOptions) restPipelines(ctx context.Context, t *terminal) (pipelines.Store, error) {
	r, err := pipelines.Dial(o.from, t.env["CFCTL_IMPORT_TOKEN"], o.pipelines.ca, o.pipelines.namespaces, wire.Sleep)
	if err != nil {
		return nil, err
	}
	multi, err := r.MultiUser(ctx)
	if err != nil {
		return nil, hinted{err, "check the URL; a token is taken from CFCTL_IMPORT_TOKEN, certificates from --ca-file"}
	}
	if !multi || len(o.pipelines.namespaces) > 0 {
		return r, nil
	}
	if o.to != "cluster" {
		return nil, hinted{errorf("%s is in multi-user mode: its namespaces must be named", o.from), "--namespace NAMESPACE,NAMESPACE"}
	}
	c, err := o.connect()
	if err != nil {
		return nil, err
	}
	var names []string
	err = c.List(ctx, objects.Resource{APIVersion: "v1", Kind: "Namespace", Plural: "namespaces"}, func(ns objects.Object) error {
		names = append(names, objects.RefOf(ns).Name)
		return nil
	})
	r.SetNamespaces(names)
	return r, err
}
