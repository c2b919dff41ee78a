package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/trust"
)

// An owner says whose repository a git process works in, and so what that
// repository's configuration may do. It decides the environment of every git
// process that cfctl starts; environ is the one place that makes it.
type owner int

// The owners. The zero value is the careful one.
const (
	// theirs is a repository that another user made: a clone, a folder of a
	// pull request. Nothing is fetched in it, and no program that its own
	// configuration names is started.
	theirs owner = iota
	// ours is a cache that cfctl made. What a partial clone left out is fetched
	// when it is read.
	ours
	// nobody is no repository at all: a question to a remote. The folder that
	// cfctl is in has no say, whatever its .git/config holds.
	nobody
)

// protocols are the transports that git may use for ours and nobody, unless
// the user has set GIT_ALLOW_PROTOCOL. Those that run commands (ext::) are
// not among them.
const protocols = "file:git:http:https:ssh"

// dropped are the variables that a hook of another repository, or git itself,
// may have left behind, and those that environ sets.
var dropped = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_NAMESPACE", "GIT_COMMON_DIR", "GIT_EXTERNAL_DIFF", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_NO_LAZY_FETCH",
	"GIT_CONFIG_COUNT", "LC_ALL", "LANGUAGE", tokenVariable,
}

// A setting is one line of git's configuration: "core.bare", "true".
type setting struct{ key, value string }

// harmless is said to every git process, over whatever a repository says:
// nothing watches the file system, no hook runs, a folder that looks like a
// bare repository is none unless it was asked for.
var harmless = []setting{
	{"core.fsmonitor", "false"},
	{"core.hooksPath", os.DevNull},
	{"log.showSignature", "false"},
	{"safe.bareRepository", "explicit"},
}

// environ is the environment of a git process: it never prompts, speaks
// English, does not take locks for reading, and obeys no configuration that a
// repository of another user brought along, beyond what is data. The
// person's own configuration (system, global, GIT_CONFIG_*) keeps its effect.
// more is said after harmless.
func (k owner) environ(env []string, more []setting) []string {
	out := make([]string, 0, len(env)+16)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(dropped, name) || strings.HasPrefix(name, tokenVariable+"_") || k == theirs && (trust.IsSecret(name) || name == "GIT_ALLOW_PROTOCOL") {
			continue
		}
		out = append(out, kv)
	}
	out = append(out, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull+"/none") // a commit is what its hash says
	if os.Getenv("GIT_ASKPASS") == "" && os.Getenv("SSH_ASKPASS") == "" {
		out = append(out, "GIT_ASKPASS=true", "SSH_ASKPASS_REQUIRE=never")
	}
	if os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == "" {
		out = append(out, "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	}
	settings := append(slices.Clone(harmless), more...)
	switch k {
	case theirs:
		// No transport is allowed: an older git, which does not know the second
		// variable, cannot fetch lazily either.
		out = append(out, "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1")
	case ours:
		out = append(out, "GIT_DIR=.")
	case nobody:
		out = append(out, "GIT_DIR="+os.DevNull, "GIT_NO_LAZY_FETCH=1")
	}
	if k != theirs {
		if os.Getenv("GIT_ALLOW_PROTOCOL") == "" {
			out = append(out, "GIT_ALLOW_PROTOCOL="+protocols)
		}
		var tokens []string
		settings, tokens = authorization.add(settings)
		out = append(out, tokens...)
	}
	return append(out, numbered(settings)...)
}

// numbered spells settings as GIT_CONFIG_* variables, behind those that the
// person has set.
func numbered(settings []setting) []string {
	n, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT"))
	out := make([]string, 0, 2*len(settings)+1)
	for _, s := range settings {
		out = append(out, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s.value))
		n++
	}
	return append(out, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
}

// tokenVariable carries the token to the helper that git asks for it.
const tokenVariable = "CFCTL_GIT_TOKEN"

// helper answers git's question for a credential with what a variable holds. It
// is given to git for one server alone, so that git asks it about no other,
// after a redirect neither.
func helper(variable string) string {
	return `!f() { test "$1" = get || exit 0; echo username=x-access-token; echo "password=$` + variable + `"; }; f`
}

// authorization is what Authorize said.
var authorization authorized

type authorized struct {
	mu   sync.Mutex
	list []serverToken
}

// A serverToken is where the token for a server comes from.
type serverToken struct {
	base  string
	token func() string
}

// add returns the settings with those that make git send each token to its
// server, and the variables that hold the tokens.
func (a *authorized) add(settings []setting) ([]setting, []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var env []string
	for i, s := range a.list {
		token := s.token()
		if token == "" {
			continue
		}
		variable := tokenVariable
		if i > 0 {
			variable += "_" + strconv.Itoa(i)
		}
		key := "credential." + s.base + ".helper"
		settings = append(settings, setting{key, ""}, setting{key, helper(variable)})
		env = append(env, variable+"="+token)
	}
	return settings, env
}

// Authorize makes the git commands of this process that talk to the server at
// base ("https://github.com") have a token, which they send when the server
// asks for it, and to no other server: not after a redirect, and not in a
// repository that cfctl did not make. The token travels in the environment,
// never in arguments, URLs or files. It is asked for at each use: those of apps
// live for an hour. An empty token is none. It takes the place of what was said for
// base before.
func Authorize(base string, token func() string) error {
	if err := CheckURL(base); err != nil {
		return err
	}
	authorization.mu.Lock()
	defer authorization.mu.Unlock()
	said := serverToken{strings.TrimSuffix(base, "/"), token}
	for i, s := range authorization.list {
		if s.base == said.base {
			authorization.list[i] = said
			return nil
		}
	}
	authorization.list = append(authorization.list, said)
	return nil
}

// programs are the keys of a repository's configuration that name a program,
// or a file anywhere, and that a command of this package would obey in it. *
// represents a name. A value of the repository's own is replaced with the
// person's, or with nothing.
//
// Keys that only matter when a remote is asked, a commit is made or a diff
// with text is shown (url.*, credential.*, gpg.*, remote.*, diff.*) are not
// here: none of that is done in a repository of another user.
var programs = []string{
	"core.attributesfile", "core.excludesfile",
	"filter.*.clean", "filter.*.process", "filter.*.smudge", "filter.*.required",
}

// isProgram says whether a key, with its section and last part in lower case
// as git lists them, is one of programs.
func isProgram(key string) bool {
	return slices.ContainsFunc(programs, func(p string) bool {
		first, last, named := strings.Cut(p, "*")
		if !named {
			return key == p
		}
		return strings.HasPrefix(key, first) && strings.HasSuffix(key, last) && len(key) > len(first)+len(last)
	})
}

// defuse returns the settings that take away what the repository's own
// configuration says of programs.
func (r *Repo) defuse(ctx context.Context) error {
	out, err := r.git(ctx, "config", "--list", "--show-scope", "-z")
	if err != nil {
		return err
	}
	own, theirs := map[string]bool{}, map[string]string{}
	parts := strings.Split(out, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		key, value, _ := strings.Cut(parts[i+1], "\n")
		switch {
		case !isProgram(key):
		case parts[i] == "local" || parts[i] == "worktree":
			own[key] = true
		default:
			theirs[key] = value
		}
	}
	for _, key := range Sorted(own) {
		value := theirs[key]
		if value == "" && strings.HasSuffix(key, ".required") {
			value = "false"
		}
		r.settings = append(r.settings, setting{key, value})
	}
	return nil
}

// embedded looks for a folder that has the layout of a bare repository between
// dir and the work tree that holds it: files that anyone can add to a tree.
// git would take it for the repository to work in.
func embedded(dir string) (found, top string) {
	for at := dir; ; {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			if rel, err := filepath.Rel(filepath.Join(at, ".git"), dir); err == nil && filepath.IsLocal(rel) {
				return "", at // inside of .git itself
			}
			return found, at
		}
		if found == "" && looksBare(at) {
			found = at
		}
		parent := filepath.Dir(at)
		if parent == at {
			return "", ""
		}
		at = parent
	}
}

func looksBare(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// lay finds out where git is to be run for a folder, and how: in the folder
// itself, at the top when it lies in git's own, or in a bare repository, which
// is outside of any work tree.
func lay(dir string) (at string, settings []setting, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	found, top := embedded(dir)
	switch {
	case found != "":
		return "", nil, errors.New("this folder is laid out as a bare git repository, inside of the work tree " + filepath.ToSlash(top) +
			": what came with a tree is not taken for a repository")
	case top != "" && source.NamesAnother(top):
		return "", nil, errors.New(".git of " + filepath.ToSlash(top) + " names no repository of this folder: what came with a tree is not believed")
	case top == "":
		return dir, []setting{{"safe.bareRepository", "all"}}, nil
	}
	if within, err := filepath.Rel(filepath.Join(top, ".git"), dir); err == nil && filepath.IsLocal(within) {
		return top, nil, nil
	}
	return dir, nil, nil
}
