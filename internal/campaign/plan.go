package campaign

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// skipTopic is the topic by which the people of a repository leave it out.
const skipTopic = "cfctl-skip"

// Filters say which repositories of a list a campaign goes to.
type Filters struct {
	Exclude []string // globs of OWNER/NAME
	Forks   bool     // go to forks, too
	MaxSize int64    // KB; 0 = any
}

// leftOut are the reasons to leave a repository out, asked in this order.
var leftOut = []struct {
	reason string
	is     func(forge.Repository, Filters) bool
}{
	{"archived", func(r forge.Repository, _ Filters) bool { return r.Archived }},
	{"disabled", func(r forge.Repository, _ Filters) bool { return r.Disabled }},
	{"empty", func(r forge.Repository, _ Filters) bool { return r.Size == 0 }},
	{"a fork", func(r forge.Repository, f Filters) bool { return r.Fork && !f.Forks }},
	{"a mirror", func(r forge.Repository, _ Filters) bool { return r.Mirror }},
	{"a template", func(r forge.Repository, _ Filters) bool { return r.Template }},
	{"topic " + skipTopic, func(r forge.Repository, _ Filters) bool { return slices.Contains(r.Topics, skipTopic) }},
	{"excluded", func(r forge.Repository, f Filters) bool { return f.excludes(r.Name) }},
	{"too large", func(r forge.Repository, f Filters) bool { return f.MaxSize > 0 && r.Size > f.MaxSize }},
}

// Check refuses a glob that none of its kind is: it would leave nothing out.
func (f Filters) Check() error {
	for _, glob := range f.Exclude {
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("%q: %w", glob, err)
		}
	}
	return nil
}

func (f Filters) excludes(name string) bool {
	return slices.ContainsFunc(f.Exclude, func(glob string) bool {
		ok, err := path.Match(glob, name)
		return err == nil && ok
	})
}

// Choose fills a plan with the repositories of a list that no filter leaves out.
func (p *Plan) Choose(list []forge.Repository, f Filters) {
	seen := map[string]string{}
	for _, r := range list {
		name, listed := seen[keyOfID(r.ID)]
		if listed && name != r.Name {
			p.LeftOut = append(p.LeftOut, LeftOut{r.Name, "it has the number of " + name})
		}
		if listed {
			continue
		}
		seen[keyOfID(r.ID)] = r.Name
		if i := slices.IndexFunc(leftOut, func(l struct {
			reason string
			is     func(forge.Repository, Filters) bool
		}) bool {
			return l.is(r, f)
		}); i >= 0 {
			p.LeftOut = append(p.LeftOut, LeftOut{r.Name, leftOut[i].reason})
			continue
		}
		p.Repositories = append(p.Repositories, Repository{Key: keyOfID(r.ID), ID: r.ID, Name: r.Name, URL: p.Servers.urlOf(r.Name), Weight: r.Size})
	}
	p.sort()
}

// sort orders a plan: heaviest first, so that what takes long does not start
// last.
func (p *Plan) sort() {
	slices.SortStableFunc(p.Repositories, func(a, b Repository) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(p.LeftOut, func(a, b LeftOut) int { return cmp.Compare(a.Name, b.Name) })
}

// An Entry is a line of a list of repositories: OWNER/NAME, or a URL.
type Entry struct {
	Name, URL string // one of them
	Line      int
}

// ReadList reads a list of repositories, one a line; # begins a comment.
func ReadList(data []byte) ([]Entry, error) {
	var list []Entry
	scan := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; scan.Scan(); n++ {
		text, _, _ := strings.Cut(scan.Text(), "#")
		text = strings.TrimSpace(text)
		switch {
		case text == "":
		case strings.Contains(text, "://"):
			if err := git.CheckURL(text); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			if git.Redact(text) != text {
				return nil, fmt.Errorf("line %d: a URL with a user or password: it would be kept in the store", n)
			}
			list = append(list, Entry{URL: text, Line: n})
		case forge.ValidRepository(text):
			list = append(list, Entry{Name: text, Line: n})
		default:
			return nil, fmt.Errorf("line %d: %q is neither OWNER/NAME nor a URL", n, text)
		}
	}
	return list, scan.Err()
}

// ChooseListed fills a plan with the repositories of a list. Names are asked of
// the forge; one that is not there is left out by that reason. A URL is taken as
// it is: it can be evaluated, and nothing is opened in it. What is listed by
// its name and its URL is taken once.
func (p *Plan) ChooseListed(ctx context.Context, f *github.Client, list []Entry, filters Filters) error {
	var infos []forge.Repository
	seen := map[string]bool{}
	first := func(url string) bool {
		one := strings.TrimSuffix(strings.TrimSuffix(url, "/"), ".git")
		was := seen[one]
		seen[one] = true
		return !was
	}
	for _, e := range list {
		if e.URL != "" || !first(p.Servers.urlOf(e.Name)) {
			continue
		}
		if f == nil {
			return fmt.Errorf("line %d: %s: there is no forge to ask for it", e.Line, e.Name)
		}
		info, err := f.Named(ctx, e.Name)
		if errors.Is(err, wire.ErrNotFound) {
			p.LeftOut = append(p.LeftOut, LeftOut{e.Name, "not found"})
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		first(p.Servers.urlOf(info.Name)) // which it has by now
		infos = append(infos, info)
	}
	for _, e := range list {
		if e.URL != "" && first(e.URL) {
			p.Repositories = append(p.Repositories, Repository{Key: keyOf(e.URL), Name: e.URL, URL: e.URL})
		}
	}
	p.Choose(infos, filters)
	return nil
}

// urlOf is where git finds a repository of the forge.
func (s Servers) urlOf(name string) string { return s.Git + "/" + name + ".git" }

// Shard are the repositories of one of several shards, heaviest first: each goes
// to the shard that has the least so far. All shards together have each
// repository once.
func (p *Plan) Shard(index, of int) ([]Repository, error) {
	if of < 1 || index < 0 || index >= of {
		return nil, fmt.Errorf("shard %d of %d: shards are counted from 0", index, of)
	}
	load := make([]int64, of)
	var mine []Repository
	for _, r := range p.Repositories {
		least := 0
		for i, l := range load {
			if l < load[least] {
				least = i
			}
		}
		load[least] += r.Weight + 1 // the one is what it costs to ask
		if least == index {
			mine = append(mine, r)
		}
	}
	return mine, nil
}

// Body is the text of a pull request: what was changed and how it was proven,
// what is left for a maintainer, and whose it is.
func (p *Plan) Body(r *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d places in %d files move to new API groups, versions or kinds.\n", r.Proven, r.Files)
	fmt.Fprintf(&b, "Each was proven against the file as it was before it was changed: nothing else in these files differs.\n\n")
	fmt.Fprintf(&b, "| proven | needs review | could not be read |\n|---|---|---|\n| %d | %d | %d |\n", r.Proven, r.Review, r.Unread+r.Faults)
	if len(r.ToReview) > 0 {
		fmt.Fprintf(&b, "\nNeeds review:\n\n")
		for _, line := range r.ToReview {
			fmt.Fprintf(&b, "- %s\n", report.Code(line))
		}
		if more := r.Review + r.Unread + r.Faults - len(r.ToReview); more > 0 {
			fmt.Fprintf(&b, "- and %d more: `cfctl migrate` lists them\n", more)
		}
	}
	if len(r.Owners) > 0 {
		fmt.Fprintf(&b, "\nOwners: %s\n", strings.Join(r.Owners, ", "))
	}
	fmt.Fprintf(&b, "\nClose this pull request if you do not want it: it will not be opened again. After you push to its branch, the campaign does not change it any more.\n")
	fmt.Fprintf(&b, "\n<!-- cfctl-campaign %s %s -->\n", p.ID, p.Commit)
	return b.String()
}

// ServersOf are the forge's, as flags and the environment of the job say.
func ServersOf(env map[string]string, api, base string) (Servers, error) {
	s := Servers{
		API: cmp.Or(api, env["GITHUB_API_URL"], "https://api.github.com"),
		Git: cmp.Or(base, env["GITHUB_SERVER_URL"], "https://github.com"),
	}
	for _, a := range []*string{&s.API, &s.Git} {
		u, err := url.Parse(*a)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
			return s, fmt.Errorf("%q is not the address of a forge", git.Redact(*a))
		}
		*a = strings.TrimSuffix(*a, "/")
	}
	return s, nil
}
