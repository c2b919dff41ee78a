package judge

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
)

// ofResource are what is written before a slash and the full name of a resource.
var ofResource = []string{"crd", "crds", "count", "resources", "customresourcedefinition", "customresourcedefinitions",
	"customresourcedefinition.apiextensions.k8s.io", "customresourcedefinitions.apiextensions.k8s.io"}

// folders are the last folder and the whole path in front of the token, "" for none.
func (c *Case) folders() (last, all string) {
	if c.Token.Before != '/' {
		return "", ""
	}
	t := c.Leaf.Text()[:max(c.Token.Prefix.Start, 0)]
	if c.Token.Prefix.Len() == 0 {
		t = c.Leaf.Text()[:c.Token.At.Start]
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
	return c.Token.Form == names.Versioned && c.Token.Open && c.inCode() && !c.isText() && !refs.IsAPIVersion(c.Label) && !bytes.Contains(bytes.ToLower(c.line()), []byte("version"))
}
