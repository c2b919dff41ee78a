//go:build e2e

package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
)

// TestDemo shows a campaign to a newcomer: `make demo-campaign`. It does nothing
// unless DEMO is set, which is the folder that its pages are left in.
func TestDemo(t *testing.T) {
	if os.Getenv("DEMO") == "" {
		t.Skip("for people: make demo-campaign")
	}
	h := newHub(t, time.Time{})
	h.seed(40, map[string]string{"README.md": "a service\n"})
	h.Says.Checked = "SUCCESS"
	for i, r := range h.Repositories {
		h.demoFiles(i, r)
	}
	d := newDesk(t, h)
	c := newCluster(t, d.exe)
	c.secret("cfctl-read", readToken)
	c.secret("cfctl-write", writeToken)
	say := func(format string, args ...any) { fmt.Printf("\n# "+format+"\n", args...) }
	show := func(args ...string) string {
		fmt.Print("\n$ cfctl campaign")
		for _, a := range args {
			if strings.ContainsAny(a, " <") {
				a = "'" + a + "'"
			}
			fmt.Print(" ", a)
		}
		fmt.Printf(" --store %s/%s.git\n", h.URL, h.store)
		out, errs, _ := d.campaign(args...)
		fmt.Print(errs, out)
		return out
	}
	runs := 0
	cron := func(name string) {
		runs++
		job := fmt.Sprintf("%s-%d", name, runs)
		fmt.Printf("\n$ kubectl create job --from=cronjob/codeflare-groups-%s %s\n", name, job)
		how := c.start("codeflare-groups-"+name, job)
		fmt.Printf("%s: %s\n", how, strings.Join(c.node.told(job), "; "))
	}
	page := func(name string) string {
		file := filepath.Join(os.Getenv("DEMO"), "cfctl-campaign-"+name+".html")
		show("status", "--html", file)
		return file
	}
	say("40 repositories on a forge of this machine; an API server, the controllers of Jobs and CronJobs.")
	show("plan", "--org", "acme", "--author", "Robot <robot@example.com>", "--canary", "acme/r000,acme/r001", "--title", "Move to the groups of codeflare.dev")
	manifests := d.must(0, "manifests", "--shards", "8", "--parallelism", "2", "--image", "cfctl:demo", "--schedule", "0 0 1 1 *", "--work-schedule", "0 0 1 1 *", "--open-arg=--per-minute=80", "--open-arg=--per-hour=500")
	fmt.Printf("\n$ cfctl campaign manifests --shards 8 --parallelism 2 --image cfctl:demo ... | kubectl apply -f -\n")
	made := c.apply(manifests)
	for kind, names := range made {
		fmt.Printf("%s %s created\n", kind, strings.Join(names, ", "))
	}
	work := made["Job"][0]
	job, how := c.ended(work)
	fmt.Printf("\n$ kubectl get job %s\n%s: indexes %s\n", work, how, job.Status.CompletedIndexes)
	for i := range 8 {
		for _, line := range c.node.told(fmt.Sprint(i)) {
			fmt.Println(line)
		}
	}
	say("The two canaries come first; the rest waits until they are merged, or green.")
	cron("open")
	cron("follow")
	say("Their checks are green.")
	cron("open")
	cron("follow")
	halfway := page("halfway")
	say("Meanwhile people look at the pull requests: one is closed, one is edited, the rest is merged.")
	for i, p := range h.Pulls {
		switch i {
		case 4:
			h.Close(p)
		case 7:
			h.Push(p.Repo, p.Branch, map[string]string{"deploy/queue.yaml": "apiVersion: v1\nkind: ConfigMap\n"})
		default:
			h.Take(p)
		}
	}
	cron("follow")
	cron("open")
	file := page("status")
	merged := 0
	for _, p := range h.Pulls {
		if p.MergedAt != nil {
			merged++
		}
	}
	say("%d pull requests, %d merged. The status page halfway and now:\n# %s\n# %s", len(h.Pulls), merged, halfway, file)
	if merged != len(h.Pulls)-2 || merged < 25 {
		t.Errorf("%d of %d are merged", merged, len(h.Pulls))
	}
}

// demoFiles gives a repository what it has: most use the old groups, some do not,
// a few are of another kind.
func (h *hub) demoFiles(i int, r *forgetest.Repository) {
	teams := []string{"@acme/platform", "@acme/training", "@acme/serving"}
	files := map[string]string{"CODEOWNERS": "* " + teams[i%3] + "\n"}
	switch {
	case i == 38:
		r.Archived = true
	case i == 39:
		files[".cfctl.yaml"] = "migrate: {keeep: []}\n"
	case i%7 == 6: // nothing moves
		files["deploy/app.yaml"] = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app\n"
	case i%7 == 5: // and something for a maintainer
		files["deploy/queue.yaml"] = oldManifest
		files["deploy/broken.yaml"] = "apiVersion: mcad.ibm.com/v1beta1\nmetadata: {\n"
	default:
		files["deploy/queue.yaml"] = oldManifest
		files["deploy/roles.yaml"] = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: queue\nrules:\n- apiGroups: [mcad.ibm.com]\n  resources: [appwrappers]\n  verbs: [get, list]\n"
	}
	h.Push(r.Name, "main", files)
}
