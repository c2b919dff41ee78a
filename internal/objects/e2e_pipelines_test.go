//go:build e2e

package objects_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const ownIR = "pipelineInfo: {name: own}\nroot: {dag: {tasks: {run: {componentRef: {name: comp}}}}}\ncomponents: {comp: {executorLabel: e}}\nschemaVersion: 2.1.0\n"

// irFiles are the compiled pipelines of CFCTL_IR_DIR, or one of our own.
func irFiles(t *testing.T) [][]byte {
	t.Helper()
	dir := os.Getenv("CFCTL_IR_DIR")
	if dir == "" {
		return [][]byte{[]byte(ownIR)}
	}
	var files [][]byte
	filepath.WalkDir(dir, func(p string, _ fs.DirEntry, _ error) error {
		if filepath.Ext(p) == ".yaml" {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, data)
		}
		return nil
	})
	return files
}

// newDatabase starts MariaDB with three versions of every compiled pipeline;
// it returns the URL and the number of pipelines.
func newDatabase(t *testing.T) (string, int) {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+dir+"/data", "--user=root", "--auth-root-authentication-method=normal").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	port := free(t)
	start(t, dir, "mariadbd", "--no-defaults", "--datadir="+dir+"/data", "--user=root", "--socket="+dir+"/m.sock", "--bind-address=127.0.0.1", fmt.Sprintf("--port=%d", port))
	schema, err := os.ReadFile("testdata/kfp.sql")
	if err != nil {
		t.Fatal(err)
	}
	var sql strings.Builder
	sql.Write(schema)
	files := irFiles(t)
	for n, text := range files {
		fmt.Fprintf(&sql, "INSERT INTO pipelines VALUES ('p%d', %d, 'pipeline_%d', 'Pipeline %d', 'about', '');\n", n, 1700000000+60*n, n, n)
		fmt.Fprintf(&sql, "INSERT INTO pipeline_tags VALUES ('p%d', 'team', 'ml');\n", n)
		for v := range 3 {
			fmt.Fprintf(&sql, "INSERT INTO pipeline_versions VALUES ('v%d-%d', %d, 'v%d', 'V%d', 'p%d', NULL, NULL, x'%x', '');\n", n, v, 1700000000+60*n+v, v, v, n, text)
		}
	}
	for range 100 {
		cmd := exec.Command("mariadb", "--no-defaults", "-uroot", "-S", dir+"/m.sock", "-e", "select 1")
		if cmd.Run() == nil {
			break
		}
		time.Sleep(300 * time.Millisecond)
	}
	load := exec.Command("mariadb", "--no-defaults", "-uroot", "-S", dir+"/m.sock")
	load.Stdin = strings.NewReader(sql.String())
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	return fmt.Sprintf("mysql://root@127.0.0.1:%d/mlpipeline", port), len(files)
}

// TestPipelines moves a database into a cluster: every object once, the specs
// as they were, "latest" as it was, and nothing a second time.
func TestPipelines(t *testing.T) {
	url, n := newDatabase(t)
	k := newKube(t)
	k.crd(t, "pipelines.kubeflow.org", "v2beta1", "Pipeline", "pipelines")
	k.crd(t, "pipelines.kubeflow.org", "v2beta1", "PipelineVersion", "pipelineversions")
	k.namespace(t, "kubeflow")
	from := []string{"--from", url, "--shared-namespace", "kubeflow"}
	verb := func(v string) []string { return append([]string{"pipelines", v}, from...) }
	began := time.Now()
	k.last(t, fmt.Sprintf("%d to create", 4*n), 0, verb("plan")...)
	t.Logf("plan of %d objects: %s", 4*n, time.Since(began).Round(time.Millisecond))
	k.last(t, fmt.Sprintf("%d created", 4*n), 0, verb("apply")...)
	k.last(t, fmt.Sprintf("%d same", 4*n), 0, verb("apply")...)
	k.last(t, fmt.Sprintf("%d same", 4*n), 0, verb("verify")...) // and the latest versions
	k.last(t, fmt.Sprintf("%d in-sync", 4*n), 0, verb("drift")...)
	k.last(t, fmt.Sprintf("%d deleted", 4*n), 0, "pipelines", "rollback")
}
