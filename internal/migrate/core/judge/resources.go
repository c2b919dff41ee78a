package judge

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// ofResource are what is written before a slash and the full name of a resource.
var ofResource = []string{"crd", "crds", "count", "resources", "customresourcedefinition", "customresourcedefinitions",
	"customresourcedefinition.apiextensions.k8s.io", "customresourcedefinitions.apiextensions.k8s.io"}

// isListOfCRDs says whether what holds the full name of a resource says that it is the
// name of a CRD: a list of CRDs or of resources, the count of a quota, the words before it.
func isListOfCRDs(c *Case) bool {
	if c.Token.Form != names.Resource || c.Token.Named || !c.apart() {
		return false
	}
	up := c.Leaf.Up
	switch dir, _ := c.folders(); {
	case dir == "count", strings.HasPrefix(dir, "customresourcedefinition"), strings.Contains(c.Label, "crd"), c.Whole && up != nil && strings.Contains(syntax.Normal(up.Type), "crd"):
		return true
	case c.isText() || c.Leaf.Kind == syntax.Code:
		return c.afterCRD()
	case c.Leaf.Kind == syntax.Key:
		l := c.labels()
		return len(l) > 0 && l[len(l)-1] == "orderedresources"
	case c.Whole && c.Rule == nil && strings.HasSuffix(c.Label, "resources") && !c.inKustomization():
		return c.File.Format == "yaml" || c.File.Format == "json" || c.File.Format == "helm"
	}
	return up != nil && up.Kind == syntax.Command && len(up.Kids) > 2 && up.Kids[0].String() == "for" && strings.Contains(strings.ToLower(up.Kids[1].String()), "crd")
}

// apart says whether the token is a word of its own in its text.
func (c *Case) apart() bool {
	before, after := c.Token.Before, c.Token.After
	return (before == 0 || strings.IndexByte(" \t\n,;\"'`/", before) >= 0) && (after == 0 || strings.IndexByte(" \t\n,;\"'`", after) >= 0)
}

// afterCRD says whether the word before a name in text is CRD.
func (c *Case) afterCRD() bool {
	t := c.Leaf.View.B[:c.Leaf.Start+c.Token.At.Start]
	if p := c.Token.Prefix; p.Len() > 0 {
		t = c.Leaf.View.B[:c.Leaf.Start+p.Start]
	}
	return bytes.HasSuffix(bytes.TrimRight(t[max(0, len(t)-20):], " `\"'"), []byte("CRD"))
}

// folders are the last folder and the whole path in front of the token, "" for none.
func (p *place) folders() (last, all string) {
	if p.Token.Before != '/' {
		return "", ""
	}
	t := p.Leaf.Text()[:max(p.Token.Prefix.Start, 0)]
	if p.Token.Prefix.Len() == 0 {
		t = p.Leaf.Text()[:p.Token.At.Start]
	}
	t = bytes.TrimSuffix(t, []byte("/"))
	i := len(t)
	for i > 0 && strings.IndexByte(" \t\n\"'`=(,:[", t[i-1]) < 0 {
		i--
	}
	all = string(t[i:])
	return all[strings.LastIndexByte(all, '/')+1:], all
}

func (c *Case) inKustomization() bool {
	return strings.HasPrefix(c.File.Path[strings.LastIndexByte(c.File.Path, '/')+1:], "kustomization")
}

// isFolder says whether a name is a folder in a relative path, or one that a
// kustomization names.
func isFolder(c *Case) bool {
	if c.Token.Form != names.Resource {
		return false
	}
	if c.Token.Before != '/' {
		return c.Whole && c.Label == "resources" && c.Rule == nil && c.inKustomization()
	}
	last, all := c.folders()
	return !strings.HasPrefix(all, "/") && all != "" && !strings.ContainsAny(all, "{$%<") && !slices.Contains(ofResource, strings.ToLower(last))
}

// isFilledIn says whether code fills in what follows the slash behind a group, and its line
// does not say that it is a version.
func isFilledIn(c *Case) bool {
	return c.Token.Form == names.Versioned && c.Token.Open && (c.isText() && c.Token.After == '(' || c.inCode() && !c.isText()) && !refs.IsAPIVersion(c.Label) && !bytes.Contains(bytes.ToLower(c.line()), []byte("version"))
}
