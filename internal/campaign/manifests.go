package campaign

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// Manifests are the objects of Kubernetes that run a campaign: a Job with one
// index for each shard, and CronJobs that do the same again, open and follow.
type Manifests struct {
	ID, Plan    string // of the campaign; the commit that the opener pins
	Image       string // with git in it, best by digest
	Store       string // URL
	Shards      int
	Parallelism int
	Queue       string // of Kueue; empty = none
	Again       string // when work evaluates what has moved, "0 3 * * *"; empty = never
	Schedule    string // of the opener, "*/15 * * * *"
	For         string // how long one run of it may begin something, "14m"
	ReadSecret  string // names of secrets with the key "token"
	WriteSecret string
	Servers     Servers
	Args        []string // further ones of the opener: budget, windows
}

// The texts of the manifests. A word in braces means a value: a flow mapping of
// YAML has more than one word in its own.
var (
	//go:embed manifests/work.yaml
	workText string // the spec of a Job of work, once and again
	//go:embed manifests/job.yaml
	jobText string // evaluates the plan
	//go:embed manifests/again.yaml
	againText string // evaluates it again
	//go:embed manifests/cron.yaml
	cronText string // opens, or follows
)

// serversText and queueText are lines of them, after what is before: a line
// break and spaces.
const (
	serversText = `{before}- {name: GITHUB_API_URL, value: "{api}"}{before}- {name: GITHUB_SERVER_URL, value: "{git}"}`
	queueText   = `{before}labels: {kueue.x-k8s.io/queue-name: "{queue}"}`
)

// fill puts values into a text, each for the word before it: "image", "cfctl:1".
func fill(text string, values ...string) string {
	var pairs []string
	for i := 0; i < len(values); i += 2 {
		pairs = append(pairs, "{"+values[i]+"}", values[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(strings.TrimSuffix(text, "\n"))
}

// A form is what a text of the manifests may be: anything else could be read as
// something else than a string.
type form struct {
	of   *lazyregexp.Regexp
	most int // bytes
}

// MatchString says whether a text has the form. The length is no part of the
// expression: a counted one takes a millisecond to compile, at every start.
func (f form) MatchString(text string) bool { return len(text) <= f.most && f.of.MatchString(text) }

var (
	imageForm    = form{lazyregexp.New(`^[a-zA-Z0-9][a-zA-Z0-9._/:@-]*$`), 255}
	nameForm     = form{lazyregexp.New(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`), 63}
	scheduleForm = form{lazyregexp.New(`^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|[0-9*][0-9*/,-]*( [0-9*?][0-9*/,-]*){2}( [0-9*?A-Za-z][0-9A-Za-z*/,-]*){2})$`), 100} // as robfig/cron reads them
	plainForm    = form{lazyregexp.New(`^[\x21\x23-\x26\x28-\x5b\x5d-\x7e ]+$`), 500}                                                                                                  // printable, and neither quote nor backslash
)

// maxShards is the most indexes that a Job may have.
// Source: k8s.io/kubernetes pkg/apis/batch/validation/validation.go
const maxShards = 100_000

// check refuses what no manifest can say.
func (m *Manifests) check() error {
	switch {
	case !imageForm.MatchString(m.Image):
		return fmt.Errorf("image %q", m.Image)
	case m.Shards < 1 || m.Shards > maxShards:
		return fmt.Errorf("%d shards: 1 to %d", m.Shards, maxShards)
	case m.Parallelism < 1:
		return fmt.Errorf("%d shards at a time", m.Parallelism)
	case m.Queue != "" && !nameForm.MatchString(m.Queue):
		return fmt.Errorf("queue %q", m.Queue)
	case !nameForm.MatchString(m.ReadSecret) || !nameForm.MatchString(m.WriteSecret):
		return fmt.Errorf("secrets %q and %q", m.ReadSecret, m.WriteSecret)
	case m.ReadSecret == m.WriteSecret:
		return fmt.Errorf("one secret for both, %q: workers must not be able to write to the repositories", m.ReadSecret)
	case !scheduleForm.MatchString(m.Schedule):
		return fmt.Errorf("schedule %q: five fields, as in \"*/15 * * * *\", or @hourly and its like", m.Schedule)
	case m.Again != "" && !scheduleForm.MatchString(m.Again):
		return fmt.Errorf("schedule of work %q: five fields, as in \"0 3 * * *\", or @daily and its like", m.Again)
	case !strings.Contains(m.Store, "://"):
		return fmt.Errorf("store %q: a cluster needs a URL", m.Store)
	}
	for _, s := range append([]string{m.Store, m.Plan, m.For, m.Servers.API, m.Servers.Git}, m.Args...) {
		if s != "" && !plainForm.MatchString(s) {
			return fmt.Errorf("%q cannot be used in a manifest", s)
		}
	}
	return CheckID(m.ID)
}

// A cron is one of the CronJobs.
type cron struct {
	Name, Secret string
	Args         []string
}

// work is what a Job of work says.
func (m *Manifests) work(parallelism int) string {
	return fill(workText, "shards", strconv.Itoa(m.Shards), "parallelism", strconv.Itoa(parallelism), "image", m.Image, "store", m.Store, "id", m.ID,
		"servers", m.servers("\n      "), "readSecret", m.ReadSecret)
}

// servers are the variables of a forge that is not GitHub itself; empty = it is.
func (m *Manifests) servers(before string) string {
	if m.Servers.API == "" {
		return ""
	}
	return fill(serversText, "before", before, "api", m.Servers.API, "git", m.Servers.Git)
}

// queue is the label for Kueue; empty = there is none.
func (m *Manifests) queue(before string) string {
	if m.Queue == "" {
		return ""
	}
	return fill(queueText, "before", before, "queue", m.Queue)
}

// jobName is the name of the Job of a plan. A Job is not run twice, and its pods
// do not change: another plan, image or number of shards needs another name. It
// ends in the plan's commit and a digest of the rest; with the longest name of a
// campaign and the largest index it has 63 bytes, which is what a pod's host may
// have.
func (m *Manifests) jobName() string {
	work := m.work(0) // how many at a time may change
	return m.ID + "-work-" + m.Plan[:min(7, len(m.Plan))] + "-" + fmt.Sprintf("%x", sha256.Sum256([]byte(work)))[:3]
}

// YAML is the manifests, for kubectl apply.
func (m *Manifests) YAML() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	work := m.work(m.Parallelism)
	objects := []string{fill(jobText, "readSecret", m.ReadSecret, "writeSecret", m.WriteSecret, "job", m.jobName(), "queue", m.queue("\n  "), "work", indent(work, 2))}
	if m.Again != "" {
		objects = append(objects, fill(againText, "id", m.ID, "again", m.Again, "queue", m.queue("\n    metadata:\n      "), "work", indent(work, 6)))
	}
	// The opener pins the plan; the one that follows writes nothing but the store, and has the token of the workers.
	open := append([]string{"--plan", m.Plan, "--for", m.For}, m.Args...)
	for _, c := range []cron{{"open", m.WriteSecret, open}, {"follow", m.ReadSecret, nil}} {
		var args strings.Builder
		for _, a := range c.Args {
			args.WriteString(`, "` + a + `"`)
		}
		objects = append(objects, fill(cronText, "id", m.ID, "name", c.Name, "schedule", m.Schedule, "image", m.Image, "store", m.Store, "args", args.String(),
			"servers", m.servers("\n            "), "secret", c.Secret))
	}
	return []byte(strings.Join(objects, "\n---\n") + "\n"), nil
}

// indent puts n spaces before each line.
func indent(text string, n int) string {
	space := strings.Repeat(" ", n)
	return space + strings.ReplaceAll(text, "\n", "\n"+space)
}
