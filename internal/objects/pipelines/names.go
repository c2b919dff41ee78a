package pipelines

import "github.com/project-codeflare/cfctl/internal/objects"

// names are the new names of a set of pipelines. A version's object is called
// PIPELINE-VERSION, or like its pipeline when the two names were equal: that is
// how the server names what is made through its REST API. Its own name is
// in spec.versionName.
type names struct {
	kind      *Kind
	pipelines map[string]*objects.Naming // by namespace
	objects   map[string]*objects.Naming // by namespace
	versions  map[string]*objects.Naming // by pipeline
}

// name gives every pipeline and version its names.
func (k *Kind) name(list []*Pipeline) *names {
	n := &names{k, map[string]*objects.Naming{}, map[string]*objects.Naming{}, map[string]*objects.Naming{}}
	for _, p := range list {
		k.want(n.pipelines, k.namespace(p), p.id, p.name, true)
		for _, v := range p.versions {
			k.want(n.versions, p.id, v.id, v.name, false)
		}
	}
	settle(n.pipelines)
	settle(n.versions)
	for _, p := range list {
		for _, v := range p.versions {
			name := n.pipeline(p)
			if v.name != p.name {
				name += "-" + n.version(p, v)
			}
			k.want(n.objects, k.namespace(p), v.id, name, true)
		}
	}
	settle(n.objects)
	return n
}

// want asks for a name in one of several sets. A name of an object that an
// earlier run gave is kept.
func (k *Kind) want(sets map[string]*objects.Naming, set, id, name string, pinned bool) {
	if sets[set] == nil {
		sets[set] = objects.NewNaming(objects.MaxName)
	}
	sets[set].Want(id, name)
	if !pinned || k.ledger == nil {
		return
	}
	if e := k.ledger.Entry(id); e != nil && e.State != objects.Gone {
		sets[set].Keep(id, e.New.Name)
	}
}

func settle(sets map[string]*objects.Naming) {
	for _, n := range sets {
		n.Settle()
	}
}

func (n *names) pipeline(p *Pipeline) string { return n.pipelines[n.kind.namespace(p)].Name(p.id) }

func (n *names) version(p *Pipeline, v *Version) string { return n.versions[p.id].Name(v.id) }

func (n *names) object(p *Pipeline, v *Version) string {
	return n.objects[n.kind.namespace(p)].Name(v.id)
}
