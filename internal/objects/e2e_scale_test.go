//go:build e2e && linux

package objects_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const wrapper = `- apiVersion: mcad.ibm.com/v1beta1
  kind: AppWrapper
  metadata:
    name: aw-%[1]d
    namespace: team
    uid: 00000000-0000-0000-0000-%012[1]d
    resourceVersion: "%[1]d"
  spec:
    priority: 5
    resources:
      GenericItems:
      - replicas: 1
        generictemplate:
          apiVersion: v1
          kind: Pod
          metadata: {name: p-%[1]d, namespace: team}
          spec: {containers: [{name: main, image: registry.example.org/x:latest, command: [sleep, "10"]}]}
  status: {state: Running}
`

// TestScale plans 100,000 objects, each of which has something to be said
// about, and holds the process to its memory. Progress says how far it is.
func TestScale(t *testing.T) {
	const n, most = 100_000, 160 << 20
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "dump.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	w.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for i := range n {
		fmt.Fprintf(w, wrapper, i)
	}
	w.Flush()
	f.Close()
	cmd := exec.Command(buildCfctl(t, dir), "import", "resources", "plan", "--from", "dump.yaml", "--to", "new")
	cmd.Dir = dir
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	if !strings.HasSuffix(out.String(), fmt.Sprintf("\n%d to create\n", n)) {
		t.Errorf("got %s", out.String()[max(0, out.Len()-200):])
	}
	rusage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d objects: %s, %s of a processor, %d MiB", n, time.Since(began).Round(time.Second/10), cmd.ProcessState.UserTime().Round(time.Second/10), rusage.Maxrss>>10)
	if rusage.Maxrss > most>>10 {
		t.Errorf("it took %d MiB", rusage.Maxrss>>10)
	}
	if time.Since(began) > 15*time.Second && !strings.Contains(errs.String(), " left\n") {
		t.Errorf("progress says %q", errs.String())
	}
}
