package find

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What rows of phrases ask about paths: of modules, of files, of REST APIs.

var (
	// moduleFile is a file in which every dotted name is the path of a Go module.
	moduleFile = lazyregexp.New(`(^|/)(go\.(mod|sum|work)|go\.work\.sum)$`)
	// pathShapes are what the path of a module or package may be spelled like.
	pathShapes = []Shape{GroupVersion, GroupResource, Key, Bare}
	modulePath = rx(`\bgo (install|get|run|mod|test|build|vet|doc|list)\s(.*\s)?(\S*/)?$|\b(import|module)\s+([A-Za-z_.]\w*\s+)?["'\x60]$|(?i)\b(import_?path|local-?prefix(es)?|module(_?path)?|go_?package)["']?\s*[:=]\s*["'\x60]?$`, "go ", "import", "module", "prefix", "package")
)

// schemaFile is the file of a kind and version in a folder of a catalog that is
// named after the group: mcad.ibm.com/appwrapper_v1beta1.json.
// Source: https://github.com/yannh/kubeconform, -schema-location.
var schemaFile = rx(`^/[a-z0-9]+[_-]v[1-9][a-z0-9]*\.json`)

// isFileOfCRD says whether a longer name is RESOURCE.GROUP.yaml.
func isFileOfCRD(p *spot) bool {
	before, behind := p.v.Data[p.tok.Word.Start:p.tok.Group.Start], p.v.Data[p.tok.Group.End:p.tok.Word.End]
	return resourceAlone.Match(before) && (string(behind) == ".yaml" || string(behind) == ".yml")
}

var resourceAlone = lazyregexp.New(`^[a-z][a-z0-9]*\.$`)

// tellsFileOfCRD reads the resource of such a name.
func tellsFileOfCRD(p *spot, s *Site) {
	s.Facts.Plural = string(p.v.Data[p.tok.Word.Start : p.tok.Group.Start-1])
}

var escapedAnchor = rx(`^%2[fF]`)

// tellsEscaped reads the version and the kind of an anchor whose slash is escaped.
func tellsEscaped(p *spot, s *Site) {
	m := escapedKind.FindSubmatchIndex(p.rest)
	if m == nil {
		return
	}
	part := func(i int, role Role) {
		if m[i] >= 0 {
			s.take([]Part{{Doc: p.v, Span: source.Span{Start: p.tok.Group.End + m[i], End: p.tok.Group.End + m[i+1]}, Role: role}})
		}
	}
	part(2, RoleVersion)
	part(4, RoleKind)
}

var escapedKind = lazyregexp.New(`^%2[fF](v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?)(?:\.([A-Z][A-Za-z0-9]*))?`)

// inURL says whether the run of characters before a name begins a URL.
func (p *spot) inURL() bool {
	i := bytes.LastIndexAny(p.left, " \t\"'`<>()[]")
	return p.tok.Shape != Resource && bytes.Contains(p.left[i+1:], []byte("://"))
}

var (
	// behindAPIs is "apis/" right before a name.
	behindAPIs = text.Tail(8, `apis(/|\\/)$`)
	// hostBefore is what stands before "apis/" where it is the root of a server:
	// nothing but a slash, or a host, which a scheme, a port or a variable tells.
	hostBefore = rx("(^|[\\s\"'`<>()\\[\\],;=|])\\\\?/$" + `|://[^\s"']*/$|:[0-9]+\\?/$|(\$[A-Za-z_][A-Za-z0-9_]*|[})%]|%[sv])\\?/$|/proxy\\?/$|^\s*//?$|(\.[*+]\??|\^)\\?/$` +
		// behind the proxy of a console
		"|(^|[\\s\"'`<>()\\[\\],=|})%]|\\$[A-Za-z_][A-Za-z0-9_]*|:[0-9]+)(/api/kubernetes|/k8s/clusters/[^/\\s\"'`]+)/$")
	// resourceBehind is the rest of a path to a resource, not to a package.
	resourceBehind = rx(`^\\?/(namespaces|watch|[a-z]+)\\?/`)
	rawPath        = rx(`--raw[= ]["']?$`)
)

// isREST says whether "apis/" before a name is the root of a server's API. The
// packages of API types often have a folder of that name: pkg/apis/GROUP/VERSION.
func isREST(p *spot) bool {
	root := bytes.TrimSuffix(bytes.TrimSuffix(p.left, []byte("/")), []byte(`\`))
	root = root[:len(root)-len("apis")]
	if len(root) == 0 || bytes.IndexByte([]byte(" \t\"'`"), root[len(root)-1]) >= 0 { // a relative path
		return rawPath.Match(root) || resourceBehind.Match(p.right)
	}
	return hostBefore.Match(root)
}

// tellsPath reads the resource of a REST path from what follows the version. One
// that code joins to the path stands behind the string.
func tellsPath(p *spot, s *Site) {
	if at := pathPlural(p.right); at.Len() > 0 {
		at = source.Span{Start: p.tok.Word.End + at.Start, End: p.tok.Word.End + at.End}
		s.take([]Part{{Doc: p.v, Span: at, Role: RoleResource}})
		return
	}
	file := p.v.File()
	path := source.Span{Start: p.tok.Word.Start, End: p.tok.Word.End + len(p.right)}
	if len(file.Data) != len(p.v.Data) && path.End == len(p.v.Data) {
		s.take(p.joinedPlurals(file, p.v.Span(path).End, p.tok.Known.Group))
	}
}

// joinedPlurals are the resources of a group in the strings of a statement from
// an offset on.
func (n *Names) joinedPlurals(v *text.View, from int, group string) []Part {
	var parts []Part
	rest := v.Data[from:min(len(v.Data), from+text.Nearby)]
	rest = rest[:len(statement.Find(rest))]
	for _, m := range joinedName.FindAllSubmatchIndex(rest, -1) {
		if n.knows(group, string(rest[m[2]:m[3]])) {
			parts = append(parts, Part{Doc: v, Span: source.Span{Start: from + m[2], End: from + m[3]}, Role: RoleResource})
		}
	}
	return parts
}

var (
	// statement goes up to a semicolon or the end of a line that none goes on.
	statement = lazyregexp.New(`^([.+(][ \t]*\n|[^;\n]|\n\s*[.+])*`)
	// joinedName is a string that is a name, or begins with one as a path does.
	joinedName = lazyregexp.New(`["'\x60]/?([a-z][a-z0-9-]*)(?:/[^"'\x60]*)?["'\x60]`)
)

// pathPlural is the resource in what follows the version of a REST path, empty
// when there is none.
func pathPlural(right []byte) source.Span {
	m := pathResource.FindSubmatchIndex(right)
	if m == nil {
		return source.Span{}
	}
	name := source.Span{Start: m[2], End: m[3]}
	if word := string(name.Of(right)); word == "namespaces" || word == "watch" || !rules.PluralName.MatchString(word) {
		return source.Span{}
	}
	return name
}

// pathResource is (1) the resource of a REST path; a variable, in whatever
// spelling, may stand for the namespace.
var pathResource = lazyregexp.New(`^\\?/(?:watch\\?/)?(?:namespaces\\?/(?:\{\{[^{}\n]*\}\}|\$?\{[^{}\n]*\}|\$\([^()\n]*\)|[^/\s"'\x60\\<>()\[\],;?{}]+|<[^<>\s]*>)\\?/)?([a-z][a-z0-9-]*)`)

var (
	slash = text.Tail(1, `/$`)
	// resourcesBefore and objectsBehind are what stands around the resource of a folder
	// in a backup of a cluster, objectsBefore what stands before the file of a CRD there.
	// Source: https://velero.io/docs/main/output-file-format/
	resourcesBefore = rx(`(^|[\s"'\x60/])resources/$`, "resources/")
	objectsBefore   = rx(`\bcustomresourcedefinitions(\.[a-z0-9.]+)?/(v[1-9][a-z0-9]*(-preferredversion)?/)?cluster/$`, "cluster/")
	objectsBehind   = rx(`^/(v[1-9][a-z0-9]*(-preferredversion)?/)?(namespaces|cluster)(/|$)`)
	// folderShapes are what the name of a folder may be spelled like.
	folderShapes = []Shape{Resource, GroupResource, GroupKind}
	// pathBefore is a path up to one of its folders; that of an object or a URL is none.
	pathBefore = rx(`(^|[\s"'\x60=:,(\[])(\.{1,2}/|~/|/[\w.-]+/|[\w.${}-]+/[\w.${}-]+/)([\w.${}-]+/)*$`)
	notAPath   = rx(`://\S*$|\bapis?/\S*$|\bregistry/\S*$|(?i)(^|[\s"'\x60,])(customresourcedefinitions?(\.[a-z0-9.]*)?|crds?)/$`)
)

// tellsResource reads the resource of group/version/resource.
func tellsResource(p *spot, s *Site) {
	s.Facts.Plural = string(segmentAt(p.right, 1).Of(p.right))
	s.Loose = []string{s.Facts.Plural}
}

// ofSomeFiles is behind the group in the names of files of some CRDs, as shells
// put them together: (1) what differs.
var ofSomeFiles = rx(`^_\{([a-z][a-z0-9,._-]*)\}`)

// tellsFiles reads the resources of the CRDs whose files are named together.
func tellsFiles(p *spot, s *Site) {
	m := ofSomeFiles.Find(p.right)
	if m == nil {
		return
	}
	for name := range bytes.SplitSeq(p.right[m[2]:m[3]], []byte(",")) {
		name, _, _ = bytes.Cut(name, []byte("."))
		s.Apart = append(s.Apart, string(name))
	}
}
