//go:build e2e

package objects_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/kfptest"
)

// A database is a MariaDB with the tables of Kubeflow Pipelines.
type database struct{ dir, url string }

func newDatabase(t *testing.T) *database {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+dir+"/data", "--user=root", "--auth-root-authentication-method=normal").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	port := free(t)
	start(t, dir, "mariadbd", "--no-defaults", "--datadir="+dir+"/data", "--user=root", "--socket="+dir+"/m.sock", "--bind-address=127.0.0.1", fmt.Sprintf("--port=%d", port))
	d := &database{dir, fmt.Sprintf("mysql://root@127.0.0.1:%d/mlpipeline", port)}
	for range 100 {
		if exec.Command("mariadb", "--no-defaults", "-uroot", "-S", dir+"/m.sock", "-e", "select 1").Run() == nil {
			break
		}
		time.Sleep(300 * time.Millisecond)
	}
	schema, err := os.ReadFile("testdata/kfp.sql")
	if err != nil {
		t.Fatal(err)
	}
	d.sql(t, string(schema))
	return d
}

// sql runs statements in the database and returns what they print.
func (d *database) sql(t *testing.T, text string) string {
	t.Helper()
	cmd := exec.Command("mariadb", "--no-defaults", "-N", "-uroot", "-S", d.dir+"/m.sock")
	cmd.Stdin = strings.NewReader("CREATE DATABASE IF NOT EXISTS mlpipeline CHARACTER SET utf8mb4; USE mlpipeline;\n" + text)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s", out)
	}
	return string(out)
}

// TestPipelines moves three versions of every compiled pipeline into a real
// cluster, from a database and over REST: every object once, the specs as they
// were, "latest" as it was, and nothing a second time.
func TestPipelines(t *testing.T) {
	k := newKube(t)
	k.kubeflowCRDs(t)
	for _, ns := range []string{"kubeflow", "team-a", "team-b"} {
		k.namespace(t, ns)
	}
	d := newDatabase(t)
	t.Run("database", func(t *testing.T) { fromDatabase(t, k, d) })
	t.Run("schedules", func(t *testing.T) { schedules(t, k, d) })
	t.Run("references", func(t *testing.T) { references(t, k, d) })
	k.run(t, "pipelines", "rollback")
	t.Run("rest", func(t *testing.T) { fromREST(t, k) })
	t.Run("bad rows", func(t *testing.T) { badRows(t, k, d) })
	t.Run("faults", func(t *testing.T) { faults(t, k) })
	t.Run("refused by the server", func(t *testing.T) { refusals(t, k) })
}

// verbs runs plan, apply twice, verify and drift, and holds them to a count.
func (k *kube) verbs(t *testing.T, n int, from ...string) {
	t.Helper()
	verb := func(v string) []string { return append([]string{"pipelines", v}, from...) }
	began := time.Now()
	k.last(t, fmt.Sprintf("%d to create", n), 0, verb("plan")...)
	t.Logf("plan of %d objects: %s", n, time.Since(began).Round(time.Millisecond))
	k.last(t, fmt.Sprintf("%d created", n), 0, verb("apply")...)
	k.last(t, fmt.Sprintf("%d same", n), 0, verb("apply")...)
	k.last(t, fmt.Sprintf("%d same", n), 0, verb("verify")...)
	k.last(t, fmt.Sprintf("%d in-sync", n), 0, verb("drift")...)
}

func fromDatabase(t *testing.T, k *kube, d *database) {
	var sql strings.Builder
	specs, latest := map[string]ir{}, map[string]string{}
	files := irFiles(t)
	for n, f := range files {
		fmt.Fprintf(&sql, "INSERT INTO pipelines VALUES ('p%d', %d, 'pipeline_%d', 'Pipeline %d', 'about', '');\n", n, 1700000000+60*n, n, n)
		fmt.Fprintf(&sql, "INSERT INTO pipeline_tags VALUES ('p%d', 'team', 'ml');\n", n)
		for v := range 3 {
			id := fmt.Sprintf("v%d-%d", n, v)
			fmt.Fprintf(&sql, "INSERT INTO pipeline_versions VALUES ('%s', %d, 'v%d', 'V%d', 'p%d', NULL, NULL, x'%x', '');\n", id, 1700000000+60*n+v, v, v, n, f.text)
			specs[id], latest[fmt.Sprintf("p%d", n)] = f, id
		}
	}
	d.sql(t, sql.String())
	k.verbs(t, 4*len(files), "--from", d.url, "--shared-namespace", "kubeflow")
	k.roundTrip(t, specs, latest)
	for _, p := range k.stored(t, "pipelines") {
		if p.Spec.Tags["team"] != "ml" || p.Spec.Description != "about" {
			t.Errorf("%s: %+v", p.Metadata.Name, p.Spec)
		}
	}
}

// schedules makes recurring runs follow their pipelines: the patches go to the
// API server, the statements to the database, and then nothing is left to do.
func schedules(t *testing.T, k *kube, d *database) {
	const path = "/apis/kubeflow.org/v1beta1/namespaces/team-a/scheduledworkflows"
	uid := func(name, spec string) string {
		var made struct{ Metadata struct{ UID string } }
		answer := k.must(t, "POST", path, `{"apiVersion":"kubeflow.org/v1beta1","kind":"ScheduledWorkflow","metadata":{"name":"`+name+`"},"status":{},"spec":`+spec+`}`)
		json.Unmarshal([]byte(answer), &made)
		return made.Metadata.UID
	}
	pinned := uid("pinned", `{"enabled":true,"pipelineId":"p0","pipelineVersionId":"v0-1","trigger":{"cronSchedule":{"cron":"0 * * * *"}}}`)
	latest := uid("latest", `{"enabled":true,"pipelineId":"p1"}`)
	d.sql(t, "CREATE TABLE jobs (UUID varchar(191) PRIMARY KEY, PipelineId varchar(255) NOT NULL, PipelineVersionId varchar(255), PipelineName varchar(255) NOT NULL);\n"+
		"INSERT INTO jobs VALUES ('"+pinned+"', 'p0', 'v0-1', ''), ('"+latest+"', 'p1', NULL, '');")
	out := k.last(t, "2 recurring runs, 2 to patch, 0 not imported", 0, "pipelines", "schedules", "--patches", "patches")
	if !strings.Contains(out, "kubectl patch scheduledworkflows.kubeflow.org pinned -n team-a --type json --patch-file patches/team-a/pinned.json") {
		t.Errorf("got %s", out)
	}
	for _, name := range []string{"pinned", "latest"} {
		patch, err := os.ReadFile(filepath.Join(k.dir, "patches", "team-a", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if status, answer := k.send("PATCH", path+"/"+name, "application/json-patch+json", string(patch)); status != 200 {
			t.Errorf("%d %s", status, answer)
		}
		if status, _ := k.send("PATCH", path+"/"+name, "application/json-patch+json", string(patch)); status != 422 && status != 409 && status != 500 {
			t.Errorf("the patch works twice: %d", status)
		}
	}
	statements, err := os.ReadFile(filepath.Join(k.dir, "patches", "recurring-runs.sql"))
	if err != nil {
		t.Fatal(err)
	}
	d.sql(t, string(statements))
	now := k.uids(t)
	want := fmt.Sprintf("%s\t%s\n%s\tNULL\n", now["p0"], now["v0-1"], now["p1"])
	if got := d.sql(t, "SELECT PipelineId, PipelineVersionId FROM jobs ORDER BY PipelineVersionId IS NULL;"); got != want {
		t.Errorf("the rows are %q, want %q", got, want)
	}
	k.last(t, "2 recurring runs, 0 to patch, 0 not imported", 0, "pipelines", "schedules")
	uid("lost", `{"pipelineId":"gone"}`)
	k.last(t, "3 recurring runs, 0 to patch, 1 not imported", 1, "pipelines", "schedules")
	k.must(t, "DELETE", path+"/lost", "")
}

// uids are the UIDs of the imported objects by their old ids.
func (k *kube) uids(t *testing.T) map[string]string {
	now := map[string]string{}
	for _, plural := range []string{"pipelines", "pipelineversions"} {
		for _, o := range k.stored(t, plural) {
			now[o.id()] = o.Metadata.UID
		}
	}
	return now
}

// references counts what else names pipelines by their ids, and lets it name
// the new ones: runs of v2 and v1, resource references, ML metadata.
func references(t *testing.T, k *kube, d *database) {
	plan := []string{"pipelines", "plan", "--from", d.url, "--shared-namespace", "kubeflow"}
	if out, _ := k.run(t, plan...); !strings.Contains(out, "shows no database of them [not-counted]") {
		t.Errorf("got %s", out)
	}
	d.sql(t, `CREATE TABLE run_details (UUID varchar(191) PRIMARY KEY, PipelineId varchar(255) NOT NULL, PipelineVersionId varchar(255), PipelineName varchar(255) NOT NULL);
		INSERT INTO run_details VALUES ('r1', 'p0', 'v0-1', 'v1'), ('r2', 'p0', 'v0-1', 'namespaces/team-a/pipelines/v0-1'), ('r3', '', NULL, 'p0'), ('r4', 'deleted', NULL, ''), ('r5', 'p1', NULL, '');
		CREATE TABLE resource_references (ResourceUUID varchar(191), ReferenceUUID varchar(255), Payload longtext);
		INSERT INTO resource_references VALUES ('r1', 'v0-1', '{"ReferenceUUID":"v0-1"}'), ('r1', 'experiment', '{}');
		CREATE DATABASE metadb; CREATE TABLE metadb.MLMDEnv (schema_version int);
		CREATE TABLE metadb.ExecutionProperty (execution_id int, name varchar(255), string_value mediumtext);
		INSERT INTO metadb.ExecutionProperty VALUES (1, 'pipeline', 'p1'), (2, 'text', 'about p1');`)
	out, _ := k.run(t, append(plan, "-o", "json")...)
	_, counted, _ := strings.Cut(strings.Join(strings.Fields(out), ""), `"references":`)
	for old, want := range map[string]string{
		"p0": `"rows":{"resource_references":1,"run_details":2}`,
		"p1": `"rows":{"metadb.ExecutionProperty":1,"run_details":1}`,
	} {
		if !strings.Contains(counted, `{"old":{"id":"`+old+`","kind":"pipeline","name":"pipeline_`+old[1:]+`"},`+want) {
			t.Errorf("%s: got %s", old, counted)
		}
	}
	patches := []string{"pipelines", "schedules", "--patches", "patches", "--database", d.url}
	const none = "2 recurring runs, 0 to patch, 0 not imported"
	k.last(t, none+"; rows of metadb.ExecutionProperty to patch: 1; rows of resource_references to patch: 1; rows of run_details to patch: 3", 0, patches...)
	statements, err := os.ReadFile(filepath.Join(k.dir, "patches", "runs.sql"))
	if err != nil {
		t.Fatal(err)
	}
	d.sql(t, string(statements))
	now := k.uids(t)
	p0, p1, v01 := now["p0"], now["p1"], now["v0-1"]
	want := strings.Join([]string{
		p0 + " " + v01 + " v1", p0 + " " + v01 + " namespaces/team-a/pipelines/" + v01, " NULL p0", "deleted NULL ", p1 + " NULL ",
		"experiment {}", v01 + ` {"ReferenceUUID":"` + v01 + `"}`, p1, "about p1", "",
	}, "\n")
	got := d.sql(t, `SELECT PipelineId, PipelineVersionId, PipelineName FROM run_details ORDER BY UUID;
		SELECT ReferenceUUID, Payload FROM resource_references ORDER BY LENGTH(Payload); SELECT string_value FROM metadb.ExecutionProperty ORDER BY execution_id;`)
	if got = strings.ReplaceAll(got, "\t", " "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	k.last(t, none, 0, patches...)
}

// tricky are pipelines with awkward names and contents next to the good ones.
func tricky(f ir, made time.Time) (list []kfptest.Pipeline, versions, refused int) {
	old := map[string]any{"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow"}
	one := func(id, name string, v ...kfptest.Version) {
		for i := range v {
			v[i].ID, v[i].Created = fmt.Sprintf("%s/%d", id, i), made.Add(time.Duration(i)*time.Hour)
			if v[i].Name == "" {
				v[i].Name = fmt.Sprintf("v%d", i)
			}
			if m, ok := v[i].Spec.(map[string]any); !ok || m["kind"] != nil {
				refused++
			}
		}
		versions += len(v)
		list = append(list, kfptest.Pipeline{ID: id, Name: name, DisplayName: name, Description: "説明", Tags: map[string]string{"a": "b"}, Created: made, Versions: v})
	}
	good := kfptest.Version{Spec: f.spec}
	one("jp", "データ", good)
	one("my1", "My Pipeline", good)
	one("my2", "my_pipeline", good)
	one("foo", "foo", kfptest.Version{Name: "bar-baz", Spec: f.spec})
	one("foo-bar", "foo-bar", kfptest.Version{Name: "baz", Spec: f.spec})
	one("long", strings.Repeat("x", 120), kfptest.Version{Name: strings.Repeat("y", 127), Spec: f.spec}, kfptest.Version{Name: strings.Repeat("y", 126) + "z", Spec: f.spec})
	one("none", "no-versions")
	one("newest-refused", "newest-refused", good, good, kfptest.Version{Spec: old})
	one("empty", "empty-spec", kfptest.Version{})
	one("error", "error-version", good, kfptest.Version{Error: &kfptest.Status{Code: 13, Message: "Failed to convert"}})
	return list, versions, refused
}

func fromREST(t *testing.T, k *kube) {
	files := irFiles(t)
	made := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &kfptest.Server{MultiUser: true, Faults: kfptest.Faults{Token: "right", EscapeToken: true, Once500: true}}
	specs, latest := map[string]ir{}, map[string]string{}
	for n, f := range files {
		p := kfptest.Pipeline{ID: fmt.Sprintf("p%d", n), Namespace: []string{"", "team-a", "team-b"}[n%3], Name: f.name, DisplayName: f.name, Created: made.Add(time.Duration(n) * time.Minute)}
		for v := range 3 {
			spec := f.spec
			if f.platform != nil {
				spec = map[string]any{"pipeline_spec": f.spec, "platform_spec": f.platform}
			}
			id := fmt.Sprintf("v%d-%d", n, v)
			p.Versions = append(p.Versions, kfptest.Version{ID: id, Name: fmt.Sprintf("v%d", v), Created: p.Created.Add(time.Duration(v) * time.Second), Spec: spec})
			specs[id], latest[p.ID] = f, id
		}
		s.Pipelines = append(s.Pipelines, p)
	}
	odd, versions, refused := tricky(files[0], made)
	s.Pipelines = append(s.Pipelines, odd...)
	for _, p := range odd {
		for _, v := range p.Versions {
			if m, ok := v.Spec.(map[string]any); ok && m["kind"] == nil {
				specs[v.ID], latest[p.ID] = files[0], v.ID
			}
		}
	}
	n := 4*len(files) + len(odd) + versions - refused
	url := s.Start(t)
	t.Setenv("CFCTL_IMPORT_TOKEN", "right")
	from := []string{"--from", url, "--shared-namespace", "kubeflow", "--ledger", "rest.jsonl"}
	verb := func(v string) []string { return append([]string{"pipelines", v}, from...) }
	began := time.Now()
	k.last(t, fmt.Sprintf("%d to create, %d refused", n, refused), 1, verb("plan")...)
	t.Logf("plan of %d objects over REST: %s", n+refused, time.Since(began).Round(time.Millisecond))
	k.last(t, fmt.Sprintf("%d created, %d refused", n, refused), 1, verb("apply")...)
	k.last(t, fmt.Sprintf("%d same, %d refused", n, refused), 0, append(verb("apply"), "--allow-partial")...)
	k.last(t, fmt.Sprintf("%d same, %d refused", n, refused), 1, verb("verify")...)
	k.roundTrip(t, specs, latest)
	k.last(t, fmt.Sprintf("%d deleted", n), 0, "pipelines", "rollback", "--ledger", "rest.jsonl")
}
