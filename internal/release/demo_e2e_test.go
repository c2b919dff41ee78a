//go:build e2e

package release

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDemo shows a release to a newcomer: `make demo-release`. It does nothing
// unless DEMO is set, which is the folder that the page is left in: the tests'
// own is gone after them.
func TestDemo(t *testing.T) {
	if os.Getenv("DEMO") == "" {
		t.Skip("for people: make demo-release")
	}
	w, _ := newRealWorld(t)
	d := newWorkstation(w)
	d.env = append(d.env, "FORCE_COLOR=")
	say := func(text string) { fmt.Printf("\n# %s\n", text) }
	show := func(args ...string) (string, int) {
		fmt.Printf("\n$ cfctl %s\n", strings.Join(args, " "))
		out, errs, code := d.cfctl(args...)
		fmt.Print(errs, out)
		return out, code
	}
	say("A stack of four repositories, a forge, a registry, mail and chat run on this machine.")
	show("release", "plan", "v0.2.0", "--brief")
	for round := 1; round < 10; round++ {
		out, code := show("release", "run", "v0.2.0")
		if code == 0 {
			break
		}
		if strings.Contains(out, "--yes approve:publish") {
			show("release", "approve", "v0.2.0", "approve:publish")
			continue
		}
		say("Meanwhile the builds push their images, and the maintainers merge what is open.")
		d.play()
	}
	show("release", "verify", "v0.2.0")
	page, _, _ := d.cfctl("release", "status", "v0.2.0", "-o", "html")
	file := filepath.Join(os.Getenv("DEMO"), "cfctl-release-status.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	say("The status page of this release: " + file)
}
