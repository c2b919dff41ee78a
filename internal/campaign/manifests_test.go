package campaign

import (
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/kio"
)

func goodManifests() Manifests {
	return Manifests{ID: "groups", Plan: "0123456789012345678901234567890123456789", Image: "ghcr.io/project-codeflare/cfctl@sha256:0", Store: "https://git.example.com/acme/campaigns.git",
		Shards: 64, Parallelism: 8, Queue: "user-queue", Again: "0 3 * * *", Schedule: "*/15 * * * *", For: "14m", ReadSecret: "cfctl-read", WriteSecret: "cfctl-write",
		Servers: Servers{API: "https://api.github.com", Git: "https://github.com"}, Args: []string{"--window", "Mon-Fri 09:00-17:00"}}
}

// TestManifestsKeepTokensApart reads the manifests back: the token that can
// write is the opener's alone, no pod has a service account's, none is root.
func TestManifestsKeepTokensApart(t *testing.T) {
	m := goodManifests()
	data, err := m.YAML()
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := (&kio.ByteReader{Reader: strings.NewReader(string(data)), OmitReaderAnnotations: true}).Read()
	if err != nil || len(nodes) != 4 {
		t.Fatalf("%d objects, %v\n%s", len(nodes), err, data)
	}
	for i, want := range []string{nodes[0].GetKind() + " " + nodes[0].GetName(), "CronJob groups-work", "CronJob groups-open", "CronJob groups-follow"} {
		if got := nodes[i].GetKind() + " " + nodes[i].GetName(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		text := nodes[i].MustString()
		if writes := strings.Contains(text, "secretName: \"cfctl-write\""); writes != (i == 2) {
			t.Errorf("%s: the token that writes: %v", want, writes)
		}
		for _, needle := range []string{"automountServiceAccountToken: false", "runAsNonRoot: true", "readOnlyRootFilesystem: true", "CFCTL_TOKEN_FILE", "https://git.example.com/acme/campaigns.git"} {
			if !strings.Contains(text, needle) {
				t.Errorf("%s lacks %s", want, needle)
			}
		}
	}
	open := nodes[2].MustString()
	for _, node := range nodes[:2] {
		for _, needle := range []string{"completionMode: Indexed", "backoffLimitPerIndex: 3", "DisruptionTarget", "kueue.x-k8s.io/queue-name: \"user-queue\""} {
			if text := node.MustString(); !strings.Contains(text, needle) {
				t.Errorf("%s lacks %s:\n%s", node.GetName(), needle, text)
			}
		}
	}
	for _, needle := range []string{"concurrencyPolicy: Forbid", "\"--plan\", \"" + m.Plan, "\"Mon-Fri 09:00-17:00\""} {
		if !strings.Contains(open, needle) {
			t.Errorf("the opener lacks %s:\n%s", needle, open)
		}
	}
	m.Queue, m.Again = "", ""
	if data, err = m.YAML(); err != nil || strings.Contains(string(data), "kueue") || strings.Contains(string(data), "name: groups-work\n") {
		t.Errorf("without a queue, and once: %v\n%s", err, data)
	}
}

// TestManifestsRefuse has values that would become something else than strings.
func TestManifestsRefuse(t *testing.T) {
	for name, change := range map[string]func(*Manifests){
		"image": func(m *Manifests) { m.Image = "a\"\n  x: y" }, "no image": func(m *Manifests) { m.Image = "" }, "shards": func(m *Manifests) { m.Shards = 100_001 },
		"queue": func(m *Manifests) { m.Queue = "A}" }, "folder": func(m *Manifests) { m.Store = ".cfctl/campaigns.git" }, "one secret": func(m *Manifests) { m.WriteSecret = m.ReadSecret },
		"schedule": func(m *Manifests) { m.Schedule = "\"" }, "again": func(m *Manifests) { m.Again = "\"" }, "argument": func(m *Manifests) { m.Args = []string{"a\", \"b"} }, "store": func(m *Manifests) { m.Store = "https://x/\n" },
		"id": func(m *Manifests) { m.ID = "A" }, "parallel": func(m *Manifests) { m.Parallelism = 0 },
	} {
		m := goodManifests()
		change(&m)
		if data, err := m.YAML(); err == nil {
			t.Errorf("%s: %s", name, data)
		}
	}
}

// TestManifestsOfAnotherPlanAreAnotherJob applies manifests over those of before:
// a Job is run once and its pods do not change, so that what is another one's
// work has a name of its own, and what is the same keeps it.
func TestManifestsOfAnotherPlanAreAnotherJob(t *testing.T) {
	job := func(change func(m *Manifests)) (name, spec string) {
		m := goodManifests()
		change(&m)
		data, err := m.YAML()
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(data), "\n---\n")
		_, text, _ = strings.Cut(text, "\n  name: ")
		name, spec, _ = strings.Cut(text, "\n")
		return name, spec
	}
	long := strings.Repeat("a", 40)
	first, _ := job(func(*Manifests) {})
	if again, _ := job(func(m *Manifests) { m.Parallelism, m.Queue, m.Args = 1, "", nil }); again != first || !strings.Contains(first, "-0123456-") {
		t.Errorf("%s, and %s", first, again)
	}
	for what, change := range map[string]func(m *Manifests){
		"plan": func(m *Manifests) { m.Plan = strings.Repeat("1", 40) }, "image": func(m *Manifests) { m.Image = "other" }, "shards": func(m *Manifests) { m.Shards = 65 },
		"store": func(m *Manifests) { m.Store += "2" }, "secret": func(m *Manifests) { m.ReadSecret = "other" }, "longest": func(m *Manifests) { m.ID, m.Shards = long, maxShards },
	} {
		name, spec := job(change)
		if name == first {
			t.Errorf("another %s, and the Job is %s:\n%s", what, name, spec)
		}
		if host := name + "-99999"; what == "longest" && len(host) > 63 {
			t.Errorf("%s has %d bytes", host, len(host))
		}
	}
}
