package campaign

import (
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/kio"
)

func goodManifests() Manifests {
	return Manifests{ID: "groups", Plan: "0123456789012345678901234567890123456789", Image: "ghcr.io/project-codeflare/cfctl@sha256:0", Store: "https://git.example.com/acme/campaigns.git",
		Shards: 64, Parallelism: 8, Queue: "user-queue", Schedule: "*/15 * * * *", For: "14m", ReadSecret: "cfctl-read", WriteSecret: "cfctl-write",
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
	if err != nil || len(nodes) != 3 {
		t.Fatalf("%d objects, %v\n%s", len(nodes), err, data)
	}
	for i, want := range []string{"Job groups-work", "CronJob groups-open", "CronJob groups-follow"} {
		if got := nodes[i].GetKind() + " " + nodes[i].GetName(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		text := nodes[i].MustString()
		if writes := strings.Contains(text, "secretName: \"cfctl-write\""); writes != (i == 1) {
			t.Errorf("%s: the token that writes: %v", want, writes)
		}
		for _, needle := range []string{"automountServiceAccountToken: false", "runAsNonRoot: true", "readOnlyRootFilesystem: true", "CFCTL_TOKEN_FILE", "https://git.example.com/acme/campaigns.git"} {
			if !strings.Contains(text, needle) {
				t.Errorf("%s lacks %s", want, needle)
			}
		}
	}
	job, open := nodes[0].MustString(), nodes[1].MustString()
	for _, needle := range []string{"completionMode: Indexed", "backoffLimitPerIndex: 3", "DisruptionTarget", "kueue.x-k8s.io/queue-name: \"user-queue\""} {
		if !strings.Contains(job, needle) {
			t.Errorf("the job lacks %s:\n%s", needle, job)
		}
	}
	for _, needle := range []string{"concurrencyPolicy: Forbid", "\"--plan\", \"" + m.Plan, "\"Mon-Fri 09:00-17:00\""} {
		if !strings.Contains(open, needle) {
			t.Errorf("the opener lacks %s:\n%s", needle, open)
		}
	}
	m.Queue = ""
	if data, err = m.YAML(); err != nil || strings.Contains(string(data), "kueue") {
		t.Errorf("without a queue: %v\n%s", err, data)
	}
}

// TestManifestsRefuse has values that would become something else than strings.
func TestManifestsRefuse(t *testing.T) {
	for name, change := range map[string]func(*Manifests){
		"image": func(m *Manifests) { m.Image = "a\"\n  x: y" }, "no image": func(m *Manifests) { m.Image = "" }, "shards": func(m *Manifests) { m.Shards = 100_001 },
		"queue": func(m *Manifests) { m.Queue = "A}" }, "folder": func(m *Manifests) { m.Store = ".cfctl/campaigns.git" }, "one secret": func(m *Manifests) { m.WriteSecret = m.ReadSecret },
		"schedule": func(m *Manifests) { m.Schedule = "\"" }, "argument": func(m *Manifests) { m.Args = []string{"a\", \"b"} }, "store": func(m *Manifests) { m.Store = "https://x/\n" },
		"id": func(m *Manifests) { m.ID = "A" }, "parallel": func(m *Manifests) { m.Parallelism = 0 },
	} {
		m := goodManifests()
		change(&m)
		if data, err := m.YAML(); err == nil {
			t.Errorf("%s: %s", name, data)
		}
	}
}
