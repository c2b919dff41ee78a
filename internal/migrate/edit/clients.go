package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// identifier records an identifier of a generated client, which moves only when
// the client itself is in the tree (see Settle).
func (m *maker) identifier(s *find.Site) {
	if m.facts.Dual { // the client of the old group stays
		return
	}
	i := slices.IndexFunc(m.clients, func(c judge.Client) bool { return c.Group == s.Known.Group })
	if i < 0 {
		return
	}
	c := &m.clients[i]
	fresh := c.New
	if s.Name != c.Old {
		fresh = find.LowerFirst(fresh)
	}
	word := string(s.Word.Of(s.Doc.Data))
	e, err := s.Doc.Edit(s.Group, s.Name, fresh)
	if err != nil {
		return
	}
	then := Outcome{Span: s.Doc.Span(s.Word), Role: find.RoleClient, Old: word, New: fresh + word[len(s.Name):]}.Write(e)
	if s.Imports == "" && isKubernetesClient(c.Old) && kubernetesClients.Match(m.file) {
		then = then.Leave(judge.Splits, "client-go, which this file imports, has a client of this name as well", "write "+then.New+" where it is the client of "+c.Group+", or keep it with cfctl:keep")
	}
	m.record(then.await(wait{client: c.Group, version: s.Facts.Version, imports: s.Imports, then: &then}))
}

// kubernetesClients is an import of Kubernetes' own clients, or of what makes objects by them.
var kubernetesClients = lazyregexp.New(`"k8s\.io/client-go/(?:kubernetes|informers|listers)[/"]`)

// isKubernetesClient says whether client-go has a client that is called so.
// Source: https://pkg.go.dev/k8s.io/client-go/kubernetes, Clientset.
func isKubernetesClient(name string) bool {
	return slices.Contains([]string{"Admissionregistration", "Apps", "Authentication", "Authorization", "Autoscaling", "Batch", "Certificates", "Coordination", "Core", "Discovery", "Events", "Extensions", "Flowcontrol", "Networking", "Node", "Policy", "Rbac", "Resource", "Scheduling", "Storage", "Storagemigration"}, name)
}

// typedCall records the call of a typed client of an API that moves or goes: the
// types of the new version are others, which a person writes. Where the client
// itself is in the tree and follows its group, the call does so as well.
func (m *maker) typedCall(s *find.Site) {
	if d, ok := m.guarded(s); ok {
		m.stay(s, d)
		return
	}
	ver := m.Ask(s.Known)
	was := s.Known.Group + "/" + s.Known.Version
	why, hint := "the client of "+was+", of which "+s.Known.Kind+" is removed: "+ver.Why, ""
	switch {
	case ver.Outcome == rules.Moves && m.facts.Dual, !ver.Ruled():
		return
	case ver.Outcome == rules.Moves:
		why = "the client of " + was + ", where " + s.Known.Kind + " becomes " + ver.To.String()
		hint = "use the client and the types of " + ver.To.Group + "/" + ver.To.Version
		if ver.To.Group+"/"+ver.To.Version == was {
			hint = "use the method of " + ver.To.Kind + ", when the type is renamed and its client generated again"
		}
	}
	o := m.draft(s).by(ver.Rule)
	spelled := o.Old
	o.Old = ""
	for line := range strings.Lines(spelled) { // a chain of calls goes over several lines
		code, _, _ := strings.Cut(line, "//")
		o.Old += strings.Join(strings.Fields(code), "")
	}
	o.typed, o.made = s.Known.Group, find.IsGenerated(m.file)
	m.record(o.Leave("typed-client", why, hint))
}
