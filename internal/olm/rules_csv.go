package olm

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lists"
)

var installModes = []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}

func checkInstallModes(p *pass) {
	place := []string{"spec", "installModes"}
	var seen []string
	supported := false
	for _, m := range list(p.csv.object, place...) {
		name := text(m, "type")
		switch {
		case !slices.Contains(installModes, name):
			p.sayCSV(place, "unknown install mode %q", name).Hint = nearest(name, installModes)
		case slices.Contains(seen, name):
			p.sayCSV(place, "install mode %s is listed twice", name)
		}
		seen = append(seen, name)
		supported = supported || at(m, "supported") == true
	}
	switch {
	case len(seen) == 0:
		p.sayCSV(place, "no install modes").Hint = "OLM cannot install it: say of each of " + strings.Join(installModes, ", ") + " whether it is supported"
	case !supported:
		p.sayCSV(place, "no install mode is supported")
	}
}

// checkConversionModes follows OLM, which takes a conversion webhook in no
// other install mode: a CRD has one for the whole cluster.
func checkConversionModes(p *pass) {
	webhooks := list(p.csvObject(), "spec", "webhookdefinitions")
	if !slices.ContainsFunc(webhooks, func(w any) bool { return len(list(w, "conversionCRDs")) > 0 }) {
		return
	}
	var supported []string
	for _, m := range list(p.csvObject(), "spec", "installModes") {
		if name := text(m, "type"); at(m, "supported") == true && slices.Contains(installModes, name) {
			supported = append(supported, name)
		}
	}
	if len(supported) > 0 && !slices.Equal(supported, []string{"AllNamespaces"}) { // install-modes tells of none
		p.sayCSV([]string{"spec", "installModes"}, "%s is supported, and there are conversion webhooks", strings.Join(supported, ", ")).Hint = "support AllNamespaces, and nothing else"
	}
}

func checkMinKube(p *pass) {
	place := []string{"spec", "minKubeVersion"}
	v := at(p.csv.object, place...)
	if v == nil || v == "" {
		return
	}
	if s := fmt.Sprint(v); !semver.IsValid("v"+s) || strings.Count(s, ".") < 2 {
		p.sayCSV(place, "minKubeVersion %s is not MAJOR.MINOR.PATCH", s)
	} else if p.Kube != "" && semver.Compare("v"+s, "v"+strings.TrimPrefix(p.Kube, "v")) > 0 {
		p.sayCSV(place, "needs Kubernetes %s, and is checked for %s", s, p.Kube)
	}
}

func checkWebhooks(p *pass) {
	deployments := lists.Of(list(p.csv.object, "spec", "install", "spec", "deployments"), func(d any) string { return text(d, "name") })
	for _, w := range list(p.csv.object, "spec", "webhookdefinitions") {
		if name := text(w, "deploymentName"); !slices.Contains(deployments, name) {
			f := p.sayCSV([]string{"spec", "webhookdefinitions"}, "webhook %s is served by %q, which is no deployment of the CSV", text(w, "generateName"), name)
			f.Actual, f.Hint = name, nearest(name, deployments)
		}
	}
}

func checkOneDirectory(p *pass) {
	if p.Commits == nil {
		return
	}
	for _, file := range p.Commits.Changed {
		if !strings.HasPrefix(file, p.Commits.Folder+"/") {
			p.say("", 0, "%s is changed too; a catalog takes one bundle at a time", file)
		}
	}
}

func checkSignOff(p *pass) {
	if p.Commits == nil {
		return
	}
	for _, c := range p.Commits.List {
		if !signedOff(c) {
			f := p.say("", 0, "commit %.12s by %s <%s> is not signed off by its author", c.Hash, c.Author, c.Email)
			f.Hint = "git commit --amend --signoff, or git rebase --signoff for more than the last"
		}
	}
}

// signedOff says whether a line "Signed-off-by: NAME <EMAIL>" of the message
// has the author's address. Source: https://developercertificate.org
func signedOff(c Commit) bool {
	for line := range strings.Lines(c.Message) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && strings.EqualFold(name, "Signed-off-by") && strings.HasSuffix(strings.ToLower(strings.TrimSpace(rest)), "<"+strings.ToLower(c.Email)+">") {
			return true
		}
	}
	return false
}
