package olm

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
)

func checkKinds(p *pass) {
	for _, m := range p.manifests {
		if kind := m.kind(); kind != "" && !supportedKinds[kind] {
			p.say(m.path, lineOf(m.node, []string{"kind"}), "OLM takes no %s from a bundle", kind).Hint = kindHint(kind)
		}
	}
}

func checkNamespace(p *pass) {
	for _, m := range p.manifests {
		if ns := text(m.object, "metadata", "namespace"); ns != "" && m != p.csv && m.kind() != "ClusterServiceVersion" {
			p.say(m.path, lineOf(m.node, []string{"metadata", "namespace"}), "%s %s names the namespace %s", m.kind(), m.name(), ns)
		}
	}
}

func checkTwice(p *pass) {
	seen := map[string]string{}
	for _, m := range p.manifests {
		if m.kind() == "ClusterServiceVersion" || m.name() == "" {
			continue
		}
		key := groupOf(text(m.object, "apiVersion")) + "/" + m.kind() + "/" + m.name()
		if first := seen[key]; first != "" {
			p.say(m.path, 0, "%s %s is in %s too", m.kind(), m.name(), first)
			continue
		}
		seen[key] = m.path
	}
}

// checkAccounts follows OLM, which makes the service accounts of the CSV itself.
func checkAccounts(p *pass) {
	for _, m := range p.manifests {
		if m.kind() != "ServiceAccount" {
			continue
		}
		for _, d := range list(p.csv.object, csvDeployments...) {
			if text(d, "spec", "template", "spec", "serviceAccountName") == m.name() {
				p.say(m.path, lineOf(m.node, []string{"metadata", "name"}), "service account %s is made by OLM for deployment %s", m.name(), text(d, "name")).Hint = "leave the manifest out"
				break
			}
		}
	}
}

// checkUnsafe finds objects that change how a whole cluster works.
// Source: operator-framework/api, pkg/validation/internal/object.go.
func checkUnsafe(p *pass) {
	for _, m := range p.manifests {
		switch m.kind() {
		case "PodDisruptionBudget":
			for _, limit := range []struct {
				key    string
				values []string
			}{{"maxUnavailable", []string{"0", "0%"}}, {"minAvailable", []string{"100%"}}} {
				v := at(m.object, "spec", limit.key)
				if v != nil && slices.Contains(limit.values, fmt.Sprint(v)) {
					p.say(m.path, lineOf(m.node, []string{"spec", limit.key}), "%s: %v keeps nodes from being drained", limit.key, v)
				}
			}
		case "PriorityClass":
			if at(m.object, "globalDefault") == true {
				p.say(m.path, lineOf(m.node, []string{"globalDefault"}), "%s would be the priority of every pod in the cluster", m.name())
			}
		}
	}
}

// maxSize is how large the manifests of a bundle may be, compressed with gzip:
// OLM keeps them in a ConfigMap.
const maxSize = 1 << 20

// compressed is the size of data compressed with gzip; its own where that is
// small enough already.
func compressed(data []byte) int {
	if len(data) <= maxSize {
		return len(data)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data) // a buffer takes everything
	_ = w.Close()
	return b.Len()
}

func checkSize(p *pass) {
	if p.size > maxSize {
		p.say("manifests", 0, "the manifests have %d bytes compressed, and OLM takes %d", p.size, maxSize)
	}
}
