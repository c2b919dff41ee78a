package matrix

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/versions"
)

func checkTag(p *pass) {
	for _, r := range p.rows {
		if r.of == nil || r.of == p.Stack.RootComponent() || r.of.Repository == "" || r.Value == "" || r.of.Refs && !versions.IsVersion(r.Value) {
			continue
		}
		if r.takesMore() {
			p.tagIn(r)
			continue
		}
		if p.refs[r.of.URL()].Has(r.tag()) {
			continue
		}
		f := p.at(r)
		f.Expected, f.Actual = "a tag of "+r.of.Repository, r.tag()
		if v := p.nearest(r.of, r.Value); v != "" {
			f.Hint = "nearest release: " + v
		}
		if len(p.refs[r.of.URL()].Tags) == 0 {
			f.Hint = r.of.Repository + " has no tag at all"
		}
		p.Report(f, "%s: %s has no tag %s", r.Name, r.of.Repository, r.tag())
	}
}

// tagIn wants a release in the range of a row.
func (p *pass) tagIn(r row) {
	versions := versionsOf(p.refs[r.of.URL()], r.of)
	if slices.ContainsFunc(versions, r.allowed.Has) {
		return
	}
	f := p.at(r)
	f.Expected, f.Actual = "a tag of "+r.of.Repository, r.Value
	if len(versions) > 0 {
		f.Hint = "newest release: " + versions[len(versions)-1]
	}
	p.Report(f, "%s: %s has no tag in %s", r.Name, r.of.Repository, r.Value)
}

func checkLink(p *pass) {
	for _, r := range p.rows {
		if r.BadLink {
			f := p.at(r)
			f.Expected = "[VERSION](https://github.com/OWNER/NAME/releases/tag/VERSION)"
			f.Actual = string(r.Version.Of(r.data))
			p.Report(f, "%s: the link leads to no release or tag on GitHub", r.Name)
		}
	}
}

func checkLinkRepo(p *pass) {
	for _, r := range p.rows {
		if r.of == nil || r.Repo == "" || r.Repo == r.of.Repository {
			continue
		}
		f := p.at(r)
		f.Expected, f.Actual = r.of.Repository, r.Repo
		if refs, asked := p.refs[r.of.URL()]; asked && refs.Has(r.LinkTag) {
			// OWNER/NAME is right after the host.
			start := r.URL.Start + len("https://github.com/")
			p.fix(&f, source.Edit{Span: source.Span{Start: start, End: start + len(r.Repo)}, Old: r.Repo, New: r.of.Repository})
		}
		p.Report(f, "%s: the link leads to %s, its repository is %s", r.Name, r.Repo, r.of.Repository)
	}
}

func checkLinkText(p *pass) {
	for _, r := range p.rows {
		if r.Repo == "" || r.LinkTag == r.tag() {
			continue
		}
		f := p.at(r)
		f.Expected, f.Actual = r.tag(), r.LinkTag
		if p.known(r) {
			p.fix(&f, source.Edit{Span: r.Tag, Old: r.LinkTag, New: r.tag()})
		}
		p.Report(f, "%s: the row says %s and links to %s", r.Name, r.Value, r.LinkTag)
	}
}

func checkLinkTag(p *pass) {
	for _, r := range p.rows {
		if !r.linkElsewhere() || p.refs[p.Stack.RepositoryURL(r.Repo)].Has(r.LinkTag) {
			continue
		}
		f := p.at(r)
		f.Expected, f.Actual = "a tag of "+r.Repo, r.LinkTag
		p.Report(f, "%s: the link is dead, %s has no tag %s", r.Name, r.Repo, r.LinkTag)
	}
}
