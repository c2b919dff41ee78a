package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/objects/operatorconfig"
	"github.com/project-codeflare/cfctl/internal/report"
)

const operatorConfigLong = `The MCAD and InstaScale resources of the first CodeFlare operator become the
ConfigMap of its redesign (PCF-ADR-0007). So do the options of MCAD and
InstaScale that run without that operator: arguments and environment variables
of their Deployments, with the ConfigMaps that these read. A container is
recognised by the name of its command or image.

Every field and every option is accounted for: carried over, without effect
before, or without a counterpart and then reported with its value. Options that
cfctl does not know are reported, too. Several instances of one component are
refused: which of them won was never defined.`

// operatorConfigOptions are the flags that only this kind has.
type operatorConfigOptions struct {
	version, name, secret string
}

var operatorConfigKind = importKind{
	name:  "operator-config",
	short: "MCAD and InstaScale options into the operator's ConfigMap",
	long:  operatorConfigLong,
	from:  "\"cluster\", a manifest, a folder of manifests, or - for standard input",
	example: `  kubectl get mcads,instascales -A -o yaml | cfctl import operator-config \
    VERB --from - --to manifests
  kubectl get deployments,configmaps -A -o yaml | cfctl import operator-config \
    VERB --from - --to out --namespace operators
  cfctl import operator-config VERB --from cluster --for v1.2.0`,
	flags: func(f *pflag.FlagSet, o *importOptions) {
		f.StringVar(&o.operator.version, "for", operatorconfig.DefaultVersion, "version of the operator that reads the ConfigMap")
		f.StringVar(&o.operator.name, "name", operatorconfig.DefaultMapName, "name of the ConfigMap, the operator's --config")
		f.StringVar(&o.namespace, "namespace", "", "namespace of the operator (default: that of the resources; needed for Deployments)")
		f.StringVar(&o.operator.secret, "ocm-secret", "", "NAMESPACE/NAME of the OCM Secret, when machine pools are used")
	},
	open: func(ctx context.Context, t *terminal, o *importOptions) (objects.Kind, error) {
		src, err := o.objectSource(t, "", operatorconfig.Sources()...)
		if err != nil {
			return nil, err
		}
		k := &operatorconfig.Kind{
			Source: src, Namespace: o.namespace, MapName: o.operator.name,
			Version: o.operator.version, OCMSecret: o.operator.secret,
		}
		if o.from == "cluster" {
			k.ConfigMap = func(ref objects.Ref) (objects.Object, error) {
				return o.cluster.Get(ctx, objects.Resource{APIVersion: ref.APIVersion, Kind: ref.Kind}, ref)
			}
		}
		return k, nil
	},
	extra: func(t *terminal) []*cobra.Command { return []*cobra.Command{newOperatorConfigLint(t)} },
}

func newOperatorConfigLint(t *terminal) *cobra.Command {
	o := &importOptions{kind: "operator-config"}
	cmd := &cobra.Command{
		Use:   "lint FILE --for VERSION",
		Short: "check an existing ConfigMap for one version of the operator",
		Long: `The operator ignores keys that it does not know, silently. lint names them,
wrong types, and a ConfigMap that has not exactly one key. FILE is the ConfigMap
or the configuration alone; - is standard input. Exit 1 on an error.`,
		Example: `  kubectl get cm -n openshift-operators codeflare-operator-config -o yaml | \
    cfctl import operator-config lint - --for v1.4.0`,
		Args: argsOf(1, 1, "one FILE"),
		RunE: func(_ *cobra.Command, args []string) error { return runOperatorConfigLint(t, o, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.operator.version, "for", "", "version of the operator")
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runOperatorConfigLint(t *terminal, o *importOptions, path string) error {
	if o.operator.version == "" {
		return usage("--for is needed: the version of the operator")
	}
	data, err := t.read(path)
	if err != nil {
		return err
	}
	if path == "-" {
		path = "stdin"
	}
	findings, err := operatorconfig.Lint(filepath.ToSlash(path), data, o.operator.version)
	if err != nil {
		return err
	}
	rep := &report.Report{Command: "import operator-config lint", Rules: operatorconfig.LintRules, Findings: findings}
	summary := fmt.Sprintf("%d errors, %d warnings", rep.Count(report.Error), rep.Count(report.Warning))
	if err := o.print(t, rep, summary); err != nil {
		return err
	}
	return pendingIf(rep.Count(report.Error) > 0)
}
