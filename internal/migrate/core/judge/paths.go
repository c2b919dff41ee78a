package judge

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// isFilePath says whether a group is the begin of the path of a file or folder: it goes on with
// the name of a file behind its version, or what holds it takes paths.
func isFilePath(c *Case) bool {
	switch c.Token.Form {
	case names.Bare, names.Path, names.Versioned, names.WithKind:
		return c.ofPaths() || c.Token.Form == names.Versioned && !refs.IsAPIVersion(c.Label) && (namesFile(c.behind()) || c.takesPath())
	}
	return false
}

// behind is what follows a version without a space.
func (p *place) behind() []byte {
	rest := p.Leaf.Text()[p.Token.Version.End:]
	if i := bytes.IndexAny(rest, " \t\n\"'`,;:()[]<>|&#?\\"); i >= 0 {
		rest = rest[:i]
	}
	return bytes.TrimRight(rest, ".")
}

// ofObject are the fields that a text names behind a resource, as a file has its extension.
var ofObject = []string{"metadata", "spec", "status", "scale"}

// namesFile says whether the rest of a path ends with the name of a file, or with **.
func namesFile(rest []byte) bool {
	i := bytes.LastIndexByte(rest, '/')
	if i < 0 || rest[0] != '/' {
		return false
	}
	base := string(rest[i+1:])
	ext := path.Ext(base)
	if bytes.HasPrefix(rest, []byte("/namespaces/")) {
		return false // of a server
	}
	if bytes.Contains(rest, []byte("**")) {
		return true
	}
	return len(ext) > 1 && len(ext) < len(base) && len(ext) <= 10 && (base[0] < 'A' || base[0] > 'Z') && // Kind.spec
		strings.Trim(ext[1:], "abcdefghijklmnopqrstuvwxyz0123456789") == "" && ext[1] > '9' && !slices.Contains(ofObject, ext[1:])
}

// ofPaths says whether a file or a list holds patterns of paths or branches alone.
func (c *Case) ofPaths() bool {
	base := path.Base(c.File.Path)
	if base == "CODEOWNERS" || base == ".gitattributes" || strings.HasPrefix(base, ".") && strings.HasSuffix(base, "ignore") {
		return !bytes.HasPrefix(bytes.TrimLeft(c.line(), " \t"), []byte("#"))
	}
	return (strings.Contains("/"+c.File.Path, "/.github/") || strings.HasPrefix(base, ".gitlab-ci")) && slices.Contains([]string{"paths", "pathsignore", "branches", "branchesignore", "tags", "tagsignore", "changes"}, c.Label)
}

// ofFiles are commands whose words are paths or branches.
var ofFiles = []string{"cd", "cp", "git", "ls", "mkdir", "mv", "pushd", "rm", "rmdir", "touch"}

func (c *Case) takesPath() bool {
	up := c.Leaf.Up
	return up != nil && up.Kind == syntax.Command && len(up.Kids) > 1 && slices.Contains(ofFiles, up.Kids[0].String()) && up.Kids[1].String() != "grep" && bytes.IndexByte(c.Leaf.Text(), ' ') < 0
}

// isAbsolute says whether a group follows the path of a folder from the root that is no path of the
// API: /srv/example.com/v1, /var/widgets.example.com/data. The console of OpenShift has /k8s/ns/NAME/example.com~v1~Widget.
func isAbsolute(c *Case) bool {
	last, dir := c.folders()
	switch c.Token.Form {
	case names.Bare, names.Versioned, names.WithKind:
		return c.Token.After != '~' && len(dir) > 1 && dir[0] == '/' && dir[1]|0x20 >= 'a' && dir[1]|0x20 <= 'z'
	case names.Resource: // documents have paths of their own
		return c.Token.After == '/' && !slices.Contains(ofResource, strings.ToLower(last)) && ofSystem.MatchString(dir)
	}
	return false
}

// ofSystem are paths of the file system of Linux.
var ofSystem = lazyregexp.New(`^/(?:dev|etc|home|mnt|opt|root|run|srv|tmp|usr|var)(?:/|$)`)

// maxURL is how long what is before a group in a URL may be.
const maxURL = 2000

func isURL(c *Case) bool {
	t := c.Leaf.Text()
	if c.Token.Form == names.Host || isLinked(c.Leaf.View.B[c.Leaf.Start+c.Token.At.End:], c.Token.Group) {
		return true
	}
	for at, from := c.Token.At.Start, c.Token.At.Start; from > max(0, at-maxURL); from-- {
		if b := t[from-1]; b == '}' || b == '>' || b == ')' { // filled in: it may have spaces
			if hole := filledIn.Get().FindIndex(t[max(0, from-maxHole):from]); hole != nil {
				from -= hole[1] - hole[0] - 1
				continue
			}
		}
		if t[from-1] <= ' ' || strings.IndexByte("\"'`()<>[]{},", t[from-1]) >= 0 {
			return false
		}
		if bytes.HasSuffix(t[:from], []byte("://")) {
			return c.Token.Form == names.Path || !bytes.Contains(t[from:at], []byte("/apis/"))
		}
	}
	return false
}

// filledIn is a part of a URL that is filled in: by a template, by a shell, by who reads it. maxHole is how long it may be.
var filledIn = lazyregexp.New(`(\{\{[^{}\n]*\}\}|[$%#]?\{[^{}\n]*\}|<[A-Za-z0-9_-]+>|\$\([^()\n]*\))$`)

const maxHole = 100

// link is the end of the text of a Markdown link with the host that it leads to.
var link = lazyregexp.New("^`?\\]\\(https?://([A-Za-z0-9.-]+)")

// isLinked says whether a name is the text of a link to a host of this name.
func isLinked(rest []byte, name string) bool {
	if len(rest) == 0 || rest[0] != ']' && rest[0] != '`' {
		return false
	}
	m := link.FindSubmatch(rest)
	return m != nil && strings.HasSuffix("."+string(m[1]), "."+name)
}

// MayBePath says whether a version in a group is a path where the tree has one of this name. Text and Go
// code name the API.
func MayBePath(f *File, r *refs.Ref) bool {
	c := newCase(f, r)
	if c.Token.Form == names.Versioned && (c.isText() || f.Format == "go") {
		return false
	}
	return (c.Token.Form == names.Versioned || c.Token.Form == names.REST) && !c.CRD && !refs.IsAPIVersion(c.Label) && !refs.IsGroup(c.Label)
}

// IsLone says whether a group would change as the text or value that it is, and no word near it on its line is about an API.
func IsLone(f *File, r *refs.Ref, v Verdict) bool {
	if !slices.Contains([]string{"string", "text", "value-list"}, v.ID()) {
		return false
	}
	line, at := newCase(f, r).lineAt()
	near := bytes.ToLower(line[max(0, at-maxNear):min(len(line), at+len(r.Token.Group)+maxNear)])
	return !slices.ContainsFunc([]string{"group", "apiv", " api ", "crd", "kind", "resource", "kubernetes", "gv", "schem"}, func(word string) bool { return bytes.Contains(near, []byte(word)) })
}

// maxNear is how far from a group on its line a word may be about it.
const maxNear = 100

var (
	// hostBefore are words of configurations and requests behind which names of hosts are.
	hostBefore = lazyregexp.New(`((^|[\s;{])server_name\s[^;{}]*|(^|\s)(ServerName|ServerAlias)\s[^\n]*|\bHost:\s*|\b(?i:no_?proxy)["']?\s*[:=]\s*["']?[^\s"'=]*)$`)
	// zoneBehind is a block that is named after a zone or a site: Corefile, Caddyfile.
	zoneBehind = lazyregexp.New(`^(:[0-9]+)?([\s,]+[a-z0-9.:/-]+)*\s*\{(\s|$)`)
)

// ofHosts are commands whose words are names of hosts.
var ofHosts = []string{"certbot", "dig", "getent", "host", "mtr", "nc", "nslookup", "openssl", "ping", "ping6", "rsync", "scp", "sftp", "ssh", "ssh-keyscan", "telnet", "traceroute", "whois"}

// maxLine is how much of a line around a group is read.
const maxLine = 400

// hostWords are parts of what hostBefore wants: most lines have none of them.
var hostWords = [][]byte{[]byte("server_name"), []byte("Server"), []byte("Host:"), []byte("proxy"), []byte("PROXY"), []byte("Proxy")}

// isHost says whether a group is spelled like a host where what is around it takes hosts.
func isHost(c *Case) bool {
	if c.Token.Form == names.REST {
		return false
	}
	if c.named(hostNames) || slices.ContainsFunc(c.labels(), func(l string) bool { return l == "authority" || l == "corefile" || l == "tofqdns" }) {
		return true
	}
	if !slices.Contains([]names.Form{names.Bare, names.Longer, names.Filled, names.Resource}, c.Token.Form) {
		return false
	}
	if strings.HasSuffix(c.Label, "organization") || c.named([]string{"o", "ou"}) && bytes.Contains(c.line(), []byte("CN")) ||
		c.Leaf.Quoted && c.Whole && c.inCode() && !refs.IsGroup(c.Label) && bytes.Contains(c.line(), []byte("@"+c.Token.Group)) { // of a certificate
		return true
	}
	up := c.Leaf.Up
	if up != nil && up.Kind == syntax.Command && len(up.Kids) > 0 && bytes.IndexByte(c.Leaf.Text(), ' ') < 0 && !c.command() {
		command := up.Kids[0].String()
		if slices.Contains(ofHosts, command) || (c.Whole || c.Token.After == ':') && (command == "curl" || command == "wget") {
			return true
		}
	}
	if up != nil && up.Up != nil && c.Label == "targets" && up.Up.Child("dnsname") != nil {
		return true
	}
	text, from, to := c.Leaf.Text(), c.tokenStart(), max(c.Token.At.End, c.Token.End)
	before, behind := text[max(0, from-maxLine):from], text[to:min(len(text), to+maxLine)]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	behind, _, _ = bytes.Cut(behind, []byte("\n"))
	first := len(bytes.TrimLeft(before, " \t.")) == 0
	return path.Base(c.File.Path) == "Corefile" || first && zoneBehind.Match(behind) ||
		slices.ContainsFunc(hostWords, func(w []byte) bool { return bytes.Contains(before, w) }) && hostBefore.Match(before)
}

// onPage says whether a link leads to a place on the page of the version: v1#example.com/v1.Widget.
func (c *Case) onPage() bool {
	line, at := c.lineAt()
	page, ok := bytes.CutSuffix(line[:at], []byte("#"))
	return ok && c.Token.Version.Len() > 0 && bytes.HasSuffix(bytes.TrimSuffix(page, []byte("/")), append([]byte("/"), c.Token.Version.Of(c.Leaf.Text())...))
}
