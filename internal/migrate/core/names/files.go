package names

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// file reads the name of the file of a CRD.
func (t *Token) file(b []byte) {
	at := t.At.End + 1
	end := at
	for end < len(b) && (isLabel(b[end]) || b[end] == '-' || b[end] == '*') {
		end++
	}
	plural := source.Span{Start: at, End: end}
	if rest := b[end:]; isVersion(plural.Of(b)) && len(rest) > 1 && rest[0] == '_' {
		for end++; end < len(b) && (isLabel(b[end]) || b[end] == '-' || b[end] == '_'); {
			end++
		}
	}
	for _, suffix := range []string{"_crd", "_cr", ".crd"} { // of operator-sdk, of bundles
		if bytes.HasPrefix(b[end:], []byte(suffix)) {
			end += len(suffix)
			break
		}
	}
	if end == at || !(bytes.HasPrefix(b[end:], []byte(".yaml")) || bytes.HasPrefix(b[end:], []byte(".yml")) || bytes.HasPrefix(b[end:], []byte(".json")) || end == len(b)) {
		if t.Form != Resource {
			t.Form = Longer
		}
		return
	}
	if t.Form == Resource || t.Form == Longer {
		t.Form = Longer
		return
	}
	t.Form, t.Plural, t.End = File, plural, end
}

// generated reads the end of the name that the generator for Java gives the file of a CRD, with the
// version of CRDs. Source: https://github.com/fabric8io/kubernetes-client/blob/main/doc/CRD-generator.md
func (t *Token) generated(b []byte) bool {
	rest := b[t.At.End:]
	if t.Form != Resource || t.Plural.Len() == 0 || t.Version.Len() > 0 || !generatedFile.Match(rest) {
		return false
	}
	t.Form, t.End = File, t.At.End+bytes.IndexByte(rest, '.')
	return true
}

var generatedFile = lazyregexp.New(`^-v1(beta1)?\.ya?ml\b`)

// schema reads the address of a JSON schema, as comments that lead editors to a catalog of
// schemas have it: https://HOST/GROUP/KIND_VERSION.json. Files of the tree keep their folders.
// Source: github.com/datreeio/CRDs-catalog.
func (t *Token) schema(b []byte, at int) bool {
	m := schemaFile.FindSubmatchIndex(b[at:])
	if m == nil || !bytes.Contains(b[bytes.LastIndexAny(b[:t.At.Start], " \t\n\"'`(<")+1:t.At.Start], []byte("://")) {
		return false
	}
	t.Form, t.Plural, t.Version, t.End = REST, source.Span{Start: at, End: at + m[3]}, source.Span{Start: at + m[4], End: at + m[5]}, at+m[5]
	return true
}

var schemaFile = lazyregexp.New(`^([a-z0-9]+)_(v[0-9]+[a-z0-9]*)\.json`)

// console reads how the console of OpenShift names a kind in the paths of its pages:
// GROUP~VERSION~KIND. Source: github.com/openshift/console, referenceForGroupVersionKind.
func (t *Token) console(b []byte) {
	m := consolePath.FindSubmatchIndex(b[t.At.End:])
	if m == nil {
		return
	}
	span := func(i int) source.Span { return source.Span{Start: t.At.End + m[2*i], End: t.At.End + m[2*i+1]} }
	if t.Form, t.End = REST, t.At.End+m[1]; m[2] >= 0 {
		t.Version, t.Kind = span(1), span(2)
	} else {
		t.Open = true
	}
}

var consolePath = lazyregexp.New(`^~(?:(v[1-9][a-z0-9]*)~([A-Z]\w*)|[$%{])`)

// setting reads the name of a setting of Argo CD: resource.customizations.WHAT.GROUP_KIND.
// Source: argo-cd.readthedocs.io, argocd-cm.yaml.
func (t *Token) setting(b []byte) bool {
	kind := settingKind.Get().Find(b[t.At.End:])
	if kind == nil || !settingOf.Match(b[max(0, t.At.Start-maxSetting):t.At.Start]) {
		return false
	}
	t.Form, t.Prefix, t.Kind, t.End = WithKind, source.Span{}, source.Span{Start: t.At.End + 1, End: t.At.End + len(kind)}, t.At.End+len(kind)
	return true
}

// maxSetting is how long the begin of the name of a setting may be.
const maxSetting = 80

var (
	settingOf   = lazyregexp.New(`resource\.customizations\.\w+\.$`)
	settingKind = lazyregexp.New(`^_[A-Z]\w*`)
)

// inRepository is a part of a URL that leads to a file of a repository.
var inRepository = lazyregexp.New(`/(blob|tree|raw)/|//raw\.githubusercontent\.com/`)

// inFolder says whether what is before "apis/" is the path of a folder or
// package: not that of a server, and not the beginning of a word.
func inFolder(b []byte) bool {
	from := len(b)
	for from > max(0, len(b)-maxPath) && strings.IndexByte(" \t\n\"'`=(,", b[from-1]) < 0 {
		from--
	}
	word := bytes.TrimSuffix(b[from:], []byte("/"))
	if len(word) == 0 || len(word) == len(b[from:]) {
		return false
	}
	if at := bytes.Index(word, []byte("://")); at >= 0 {
		return inRepository.Match(word[at:])
	}
	return bytes.IndexByte(word, ':') < 0 && strings.IndexByte("})>%*", word[len(word)-1]) < 0 && strings.IndexByte("$</", word[0]) < 0
}
