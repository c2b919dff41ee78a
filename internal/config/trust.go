package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/fetch"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// A Rule says what a key of .cfctl.yaml may say when the file came with
// the tree that is checked, and no one has said that this tree is trusted:
// configuration of an untrusted author names no program, no repository on this machine,
// no kubeconfig, and no host that gets a credential.
type Rule struct {
	Key  string // "release.forge.api"; [] is any item of a list, a final .* all that is below
	What string // what it says, for docs/security.md
	From string // what a tree may say; empty = anything: it is data

	takes func(tr *Trust, value string) bool // nil = anything
}

const (
	fromPinned = "a name, a path inside of the tree, or an address with a digest or commit on github.com, or the forge of the CI job"
	fromRemote = "`OWNER/NAME`, or an `https://` URL without a user"
	fromForge  = "github.com, the forge of the CI job (`$GITHUB_API_URL`, `$GITHUB_SERVER_URL`), or the Gitea of `$GITEA_SERVER_URL`"
	fromNobody = "nothing"
)

// keyRules classify every key of .cfctl.yaml; a test holds the table to the
// type. docs/security.md is written from it.
var keyRules = []Rule{
	{"migrate.rulesets[]", "rules to migrate by: names of built-in ones, files, or addresses", fromPinned, (*Trust).pinned},
	{"migrate.exclude[]", "files that are skipped", "", nil},
	{"migrate.only[]", "formats that are read", "", nil},
	{"migrate.mode", "replace the old names, or serve both", "", nil},
	{"migrate.go-version-package", "move, copy or leave the Go package of a version", "", nil},
	{"migrate.target-version", "what is a finding", "", nil},
	{"migrate.keep[].*", "what is not changed, and why", "", nil},

	{"stack.components[].repository", "the repository that tags and files are read from", fromRemote, (*Trust).remote},
	{"stack.components[].image.repository", "the registry that images are read from and promoted in; credentials are those that docker or podman hold for it", "", nil},
	{"stack.*", "names, versions, schemes, paths of the tree", "", nil},

	{"matrix.check.*", "what the check covers, and how strictly", "", nil},
	{"matrix.*", "versions, rules, exceptions, the calendar", "", nil},

	{"release.forge.kind", "how the forge is spoken to", "", nil},
	{"release.forge.api", "the API of the forge, which gets the token", fromForge, (*Trust).forge},
	{"release.forge.git", "where git pushes to, with the token", fromForge, (*Trust).forge},
	{"release.catalog.repository", "the repository of bundles that a PR is opened in", fromRemote, (*Trust).remote},
	{"release.catalog.fork", "where the branch of that PR is pushed", fromRemote, (*Trust).remote},
	{"release.downstream[].repository", "a repository that a PR is opened in", fromRemote, (*Trust).remote},
	{"release.downstream[].fork", "where the branch of that PR is pushed", fromRemote, (*Trust).remote},
	{"release.announce.smtp", "the mail server, which gets `$CFCTL_SMTP_PASSWORD`", fromNobody, (*Trust).server},
	{"release.*", "steps, names, texts, recipients of announcements, periods", "", nil},

	{"import.to", "where the new objects are written", "`cluster`, or a folder inside of the tree", (*Trust).inTree},
	{"import.kubeconfig", "a kubeconfig: clusters, credentials, and programs that make them", fromNobody, nobody},
	{"import.context", "which cluster of your kubeconfig is written to", fromNobody, nobody},
	{"import.ledger", "the file that ties old to new", "a path inside of the tree", (*Trust).inTree},
	{"import.shared-namespace", "a namespace", "", nil},
}

// A Trust is whom a run believes, and where its configuration came from.
type Trust struct {
	all   bool     // --trust-config
	hosts []string // of release.forge, release.announce.smtp and repositories: "github.example.com", "127.0.0.1:8080"
	repos []string // repositories by path or any URL, as .cfctl.yaml spells them
	trees []string // folders whose .cfctl.yaml is believed as a flag is
	env   map[string]string
	file  string // of the user's configuration, for hints
}

// userConfig is the user's own configuration,
// $XDG_CONFIG_HOME/cfctl/config.yaml.
type userConfig struct {
	Trust struct {
		Hosts        []string `yaml:"hosts"`
		Repositories []string `yaml:"repositories"`
		Trees        []string `yaml:"trees"`
	} `yaml:"trust"`
}

// ReadTrust reads whom the user trusts: the flag --trust-config, the environment, and the
// user's own configuration.
func ReadTrust(all bool, env map[string]string) (*Trust, error) {
	tr := &Trust{all: all, env: env, file: UserFile(env)}
	if given := env["CFCTL_TRUST_CONFIG"]; given != "" && !all {
		var err error
		if tr.all, err = strconv.ParseBool(given); err != nil {
			return nil, fmt.Errorf("CFCTL_TRUST_CONFIG: %q is neither true nor false", given)
		}
	}
	if tr.file == "" {
		return tr, nil
	}
	data, err := source.ReadFile(tr.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var c userConfig
	if err := strict.Decode(tr.file, data, &c); err != nil {
		return nil, err
	}
	tr.hosts, tr.repos, tr.trees = c.Trust.Hosts, c.Trust.Repositories, c.Trust.Trees
	return tr, nil
}

// UserFile is where the user's own configuration is. A relative
// $XDG_CONFIG_HOME is none (XDG Base Directory Specification): it could lie in
// the tree.
func UserFile(env map[string]string) string {
	dir := env["XDG_CONFIG_HOME"]
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserConfigDir(); err != nil || !filepath.IsAbs(dir) {
			return ""
		}
	}
	return filepath.Join(dir, "cfctl", "config.yaml")
}

// RuleOf is the rule of a key, "stack.components[].repository".
func RuleOf(key string) *Rule {
	for i := range keyRules {
		r := &keyRules[i]
		if r.Key == key {
			return r
		}
		if above, ok := strings.CutSuffix(r.Key, ".*"); ok && strings.HasPrefix(key, above+".") {
			return r
		}
	}
	return nil
}

// Refuse returns an error for a value that a tree may not say. Empty values, and
// those that a variable of the environment overrides, say nothing.
func (tr *Trust) Refuse(c File, key, value string) error {
	rule := RuleOf(key)
	if rule == nil {
		rule = &Rule{Key: key, From: fromNobody, takes: nobody}
	}
	if value == "" || rule.takes == nil || tr.all || tr.env[Variable(key)] != "" || !c.Past && tr.believes(c.Dir) {
		return nil
	}
	at := *tr
	at.trees = []string{c.Dir}
	if rule.takes(&at, value) {
		return nil
	}
	cause := fmt.Errorf("%s: %q is not taken from a tree", key, git.Redact(value))
	if rule.From != fromNobody {
		cause = fmt.Errorf("%w: from there it may be %s", cause, strings.ReplaceAll(rule.From, "`", ""))
	}
	return &source.Error{Path: c.Path, Pos: c.Position(key, value), Err: cause, Hint: tr.allow(c, rule, value)}
}

// allow says how a user takes the value nevertheless.
func (tr *Trust) allow(c File, rule *Rule, value string) string {
	list, name := "trees", filepath.ToSlash(c.Dir)
	switch host, _ := hostOf(value); {
	case rule.From == fromForge || strings.HasSuffix(rule.Key, ".smtp") || rule.From == fromPinned && pinnedElsewhere(value):
		list, name = "hosts", host
	case rule.From == fromRemote:
		list, name = "repositories", git.Redact(value)
	}
	hint := "if you trust this file as you trust a command of your own: --trust-config, or CFCTL_TRUST_CONFIG=true"
	if tr.file != "" {
		hint += "\nor for good, in " + filepath.ToSlash(tr.file) + ": trust: {" + list + ": [" + strconv.Quote(name) + "]}" // as YAML: it is copied
	}
	return hint
}

// believes says whether the user trusts the tree in dir.
func (tr *Trust) believes(dir string) bool {
	return slices.ContainsFunc(tr.trees, func(t string) bool { return filepath.IsAbs(t) && source.Same(t, dir) })
}

func nobody(*Trust, string) bool { return false }

// inTree takes names and paths that stay inside of the tree, links included, and outside of
// git's own folder; they are relative to the working directory. "cluster" and the like are names.
func (tr *Trust) inTree(value string) bool {
	abs, err := filepath.Abs(filepath.FromSlash(value))
	return err == nil && filepath.IsLocal(filepath.FromSlash(value)) && !source.InGit(value) && tr.holds(abs)
}

// beside is inTree for paths that are relative to the configuration.
func (tr *Trust) beside(value string) bool {
	name := filepath.FromSlash(value)
	at := filepath.Join(tr.trees[0], name)
	info, err := os.Stat(at)
	special := err == nil && !info.Mode().IsRegular() && !info.IsDir() // a pipe would never end
	return filepath.IsLocal(name) && tr.holds(at) && !special
}

// holds says whether a path is inside of the tree, wherever links lead.
func (tr *Trust) holds(abs string) bool {
	dir, err := filepath.EvalSymlinks(tr.trees[0])
	if err != nil {
		return false
	}
	there, err := source.Resolve(abs)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, there)
	return err == nil && filepath.IsLocal(rel)
}

// remote takes repositories that can be asked without a credential, and give
// none away: OWNER/NAME of the forge, and https.
func (tr *Trust) remote(value string) bool {
	if slices.Contains(tr.repos, value) {
		return true
	}
	host, scheme := hostOf(value)
	switch scheme {
	case "":
		return ownerAndName(value)
	case "https":
		u, err := url.Parse(value)
		return err == nil && u.User == nil && u.Host != ""
	case "http", "ssh", "git":
		return tr.knows(host)
	}
	return false
}

// ownerAndName says whether a repository is OWNER/NAME, which is of the forge
// whatever lies in the folder.
func ownerAndName(value string) bool {
	owner, name, ok := strings.Cut(value, "/")
	return ok && owner != "" && name != "" && !strings.HasPrefix(owner, ".") && !strings.HasPrefix(owner, "-") && !strings.HasPrefix(name, ".") &&
		!strings.ContainsAny(value, `:@\ ~`) && !strings.Contains(name, "/")
}

// forge takes the servers that the tokens of the environment are for.
func (tr *Trust) forge(value string) bool {
	known := []string{"https://api.github.com", "https://github.com", tr.env["GITHUB_API_URL"], tr.env["GITHUB_SERVER_URL"]}
	if own := strings.TrimSuffix(tr.env["GITEA_SERVER_URL"], "/"); own != "" {
		known = append(known, own, own+"/api/v1")
	}
	same := func(k string) bool { return k != "" && strings.TrimSuffix(k, "/") == strings.TrimSuffix(value, "/") }
	return slices.ContainsFunc(known, same) || tr.server(value)
}

// server takes hosts that the user lists.
func (tr *Trust) server(value string) bool {
	host, _ := hostOf(value)
	return tr.knows(host)
}

func (tr *Trust) knows(host string) bool {
	return host != "" && slices.ContainsFunc(tr.hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// hostOf is HOST[:PORT] of a URL, of "HOST:PORT", or of git's HOST:PATH, and
// the scheme; what is none of these has neither.
func hostOf(value string) (host, scheme string) {
	if strings.Contains(value, "://") {
		u, err := url.Parse(value)
		if err != nil {
			return "", "?"
		}
		return u.Host, u.Scheme
	}
	if h, port, err := net.SplitHostPort(value); err == nil && h != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err == nil {
			return value, "tcp"
		}
	}
	if before, _, ok := strings.Cut(value, ":"); ok && !strings.ContainsAny(before, `/\`) {
		return before[strings.LastIndexByte(before, '@')+1:], "ssh"
	}
	return "", ""
}

// A leaf is a scalar of a configuration.
type leaf struct{ key, value string }

// leaves lists the scalars of a decoded value with their keys, in the order of
// the type: what is decided on is what counts, however YAML spelled it.
func leaves(key string, v reflect.Value) []leaf {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return leaves(key, v.Elem())
	case reflect.Slice:
		var list []leaf
		for i := range v.Len() {
			list = append(list, leaves(key+"[]", v.Index(i))...)
		}
		return list
	case reflect.Struct:
		var list []leaf
		for _, f := range strict.Fields(v.Type()) {
			list = append(list, leaves(strict.Below(key, f.Name), v.FieldByIndex(f.Index))...)
		}
		return list
	case reflect.String:
		return []leaf{{key, v.String()}}
	}
	return nil // numbers, truths and times name nothing
}

// Check refuses what a tree's configuration may not say below one of the
// sections.
func (tr *Trust) Check(c File, decoded *Config, sections ...string) error {
	for _, l := range leaves("", reflect.ValueOf(decoded)) {
		section, _, _ := strings.Cut(l.key, ".")
		if slices.Contains(sections, section) {
			if err := tr.Refuse(c, l.key, l.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// Position finds where a value of a key is, as far as plain YAML says it.
func (f File) Position(key, value string) source.Position {
	for _, key := range []string{key, key + "[]"} { // it may be a list
		list, _ := stack.Scalars(f.Path, f.Data, strings.ReplaceAll(key, "[]", "[*]"))
		for _, s := range list {
			if s.Value == value {
				return s.Pos
			}
		}
	}
	return source.Position{}
}

// pinned takes addresses of rulesets that can never be another, on the servers
// of trust.hosts and those that the tokens of the environment are for: a gate
// is not weakened by what is pushed elsewhere, and a tree does not choose whom
// this machine talks to.
func (tr *Trust) pinned(value string) bool {
	if !fetch.Is(value) {
		return tr.beside(value)
	}
	a, err := fetch.Parse(value)
	if err != nil || !a.Pinned() {
		return false
	}
	return tr.knows(a.Host()) || a.Secure() && (tr.forge("https://"+a.Host()) || a.Host() == rawHost)
}

// rawHost serves the files of github.com.
const rawHost = "raw.githubusercontent.com"

// pinnedElsewhere says whether an address lacks nothing but trust in its host.
func pinnedElsewhere(value string) bool {
	a, err := fetch.Parse(value)
	return err == nil && a.Pinned()
}
