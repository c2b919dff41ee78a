package objects

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/report"
)

// roles is a cluster that has nothing but roles and bindings.
type roles []Object

func (l roles) List(_ context.Context, r Resource, each func(Object) error) error {
	for _, o := range l {
		if Text(o, "kind") == "broken" {
			return errors.New("forbidden")
		}
		if Text(o, "kind") == r.Kind {
			if err := each(o); err != nil {
				return err
			}
		}
	}
	return nil
}

var storedJobs = []Resource{{APIVersion: "jobs.example.org/v1", Kind: "Job", Plural: "jobs"}, {APIVersion: "jobs.example.org/v1", Kind: "Cron", Plural: "crons"}}

func role(kind, name, groups, resources, verbs string) Object {
	list := func(text string) []any {
		var l []any
		for _, w := range strings.Fields(text) {
			l = append(l, w)
		}
		return l
	}
	meta := Object{"name": name}
	if kind == "Role" {
		meta["namespace"] = "tool-x"
	}
	return Object{"kind": kind, "metadata": meta, "rules": []any{Object{"apiGroups": list(groups), "resources": list(resources), "verbs": list(verbs)}}}
}

func binding(kind, name, roleKind, role string, subjects ...any) Object {
	return Object{
		"kind": kind, "metadata": Object{"name": name, "namespace": "tool-x"},
		"roleRef": Object{"kind": roleKind, "name": role}, "subjects": subjects,
	}
}

func TestWriters(t *testing.T) {
	api := Object{"kind": "ServiceAccount", "namespace": "jobs-api", "name": "api"}
	user := Object{"kind": "User", "name": "alice"}
	tests := []struct {
		name    string
		cluster roles
		want    string // messages
	}{
		{"nothing", nil, ""},
		{"the role that is printed", roles{ReadOnlyRole("r", storedJobs), binding("ClusterRoleBinding", "b", "ClusterRole", "r", user)}, ""},
		{"another group", roles{role("ClusterRole", "r", "example.org", "jobs", "*"), binding("RoleBinding", "b", "ClusterRole", "r", user)}, ""},
		{"the API", roles{role("ClusterRole", "r", "jobs.example.org", "jobs", "create"), binding("ClusterRoleBinding", "b", "ClusterRole", "r", api)}, ""},
		{
			"a user by everything", roles{role("ClusterRole", "r", "*", "*", "*"), binding("ClusterRoleBinding", "b", "ClusterRole", "r", api, user, Object{"kind": "Group", "name": "system:masters"})},
			"ClusterRoleBinding tool-x/b: User alice may create, update, patch, delete, deletecollection the stored objects, by ClusterRole r",
		},
		{
			"an account of the namespace", roles{role("Role", "r", "jobs.example.org", "crons", "get patch"), binding("RoleBinding", "b", "Role", "r", Object{"kind": "ServiceAccount", "name": "bot"})},
			"RoleBinding tool-x/b: ServiceAccount tool-x/bot may patch the stored objects, by Role tool-x/r",
		},
		{"the server's own", roles{role("ClusterRole", "system:controller:x", "*", "*", "delete"), binding("ClusterRoleBinding", "b", "ClusterRole", "system:controller:x", user)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, err := Writers(context.Background(), tt.cluster, storedJobs, []string{"jobs-api/api"})
			var got []string
			for _, f := range found {
				got = append(got, f.Message)
			}
			if err != nil || strings.Join(got, "\n") != tt.want {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	if _, err := Writers(context.Background(), roles{{"kind": "broken"}}, storedJobs, nil); err == nil {
		t.Error("roles that cannot be listed are no error")
	}
}

// watched is a kind that checks who may write.
type watched struct {
	copies
	found []report.Finding
	err   error
}

func (k watched) Check(context.Context) ([]report.Finding, error) { return k.found, k.err }

// TestCheckerStopsTheSwitch: what a kind finds is reported by verify and stands
// against the switch; a check that fails is an error.
func TestCheckerStopsTheSwitch(t *testing.T) {
	run := func(dir string, found []report.Finding, err error) *Run {
		r := newRun(t, dir, list(1), true)
		k, _ := r.Kind.(copies)
		r.Kind = watched{k, found, err}
		return r
	}
	dir := t.TempDir()
	applied := run(dir, nil, nil)
	if _, err := applied.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	applied.Ledger.Close()
	found := []report.Finding{{Rule: "writable", Severity: report.Error}}
	for _, tt := range []struct {
		found []report.Finding
		err   error
		want  string
	}{{nil, nil, "true "}, {found, nil, "false 1 account that may write"}, {nil, errors.New("forbidden"), "forbidden"}} {
		r := run(dir, tt.found, tt.err)
		v, err := r.Cutover(context.Background(), 0)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(v.Ready, " ", strings.Join(v.Why, ", "))
		}
		if got != tt.want {
			t.Errorf("cutover: %q, want %q", got, tt.want)
		}
		r.Ledger.Close()
		r = run(dir, tt.found, tt.err)
		res, err := r.Verify(context.Background())
		if !errors.Is(err, tt.err) || err == nil && len(res.Notes) != len(tt.found) {
			t.Errorf("verify: %v, %v", res, err)
		}
		r.Ledger.Close()
	}
}
