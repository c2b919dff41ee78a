package objects

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// MaxName is the longest name of a custom resource: a DNS-1123 subdomain.
const MaxName = 253

// ValidName says whether a name is a DNS-1123 subdomain of at most MaxName.
func ValidName(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

var kindName = lazyregexp.New(`^[A-Za-z][-A-Za-z0-9]{0,62}$`)

// validNamespace says whether a namespace is a DNS-1123 label.
func validNamespace(namespace string) bool { return len(validation.IsDNS1123Label(namespace)) == 0 }

// BadRef is why no object can be called so, or nil. What passes is safe as a
// part of a path, of a URL and of a command.
func BadRef(ref Ref) *Refusal {
	group, version, grouped := strings.Cut(ref.APIVersion, "/")
	if !grouped {
		group, version = "", ref.APIVersion
	}
	switch {
	case !kindName.MatchString(ref.Kind):
		return &Refusal{Reason: "bad-kind", Message: fmt.Sprintf("%q is no kind", ref.Kind)}
	case !validNamespace(version) || grouped && !ValidName(group):
		return &Refusal{Reason: "bad-version", Message: fmt.Sprintf("%q is no group and version", ref.APIVersion)}
	case ref.Namespace != "" && !validNamespace(ref.Namespace):
		return &Refusal{Reason: "bad-namespace", Message: fmt.Sprintf("%q is no namespace: it is not a DNS-1123 label", ref.Namespace)}
	case !ValidName(ref.Name):
		return &Refusal{Reason: "bad-name", Message: fmt.Sprintf("%q is no DNS-1123 name", ref.Name)}
	}
	return nil
}

// A Naming gives every wanted name of a set a DNS-1123 name of its own. Names
// that are fine and not disputed stay as they are; where two would become one,
// every one of them gets a suffix from its own identity, so that the names
// depend neither on order nor on run.
type Naming struct {
	max   int
	wants map[string]string // identity -> wanted name
	plain map[string][]string
	names map[string]string
	fixed map[string]string // identity -> name that a ledger knows
}

// NewNaming starts a set whose names have at most max bytes.
func NewNaming(limit int) *Naming {
	return &Naming{max: limit, wants: map[string]string{}, plain: map[string][]string{}, fixed: map[string]string{}}
}

// Want asks for a name. Identity is what makes the owner of the name unique
// and never changes, such as the pair of original names.
func (n *Naming) Want(identity, name string) {
	if _, twice := n.wants[identity]; twice {
		return
	}
	n.wants[identity] = name
	base := sanitise(name, n.max)
	n.plain[base] = append(n.plain[base], identity)
}

// Keep pins the name that an earlier run gave.
func (n *Naming) Keep(identity, name string) { n.fixed[identity] = name }

// Settle gives out the names. It is called once, after all Wants.
func (n *Naming) Settle() {
	n.names = make(map[string]string, len(n.wants))
	taken := map[string]bool{}
	for id, name := range n.fixed {
		if _, wanted := n.wants[id]; wanted && !taken[name] {
			n.names[id] = name
		}
		taken[name] = true
	}
	var disputed []string
	for _, base := range slices.Sorted(maps.Keys(n.plain)) {
		open := slices.DeleteFunc(slices.Clone(n.plain[base]), func(id string) bool { return n.names[id] != "" })
		var exact strings.Builder
		for _, id := range open {
			if n.wants[id] == base {
				exact.WriteString("x")
			}
		}
		for _, id := range open {
			alone := len(n.plain[base]) == 1 || n.wants[id] == base && exact.String() == "x"
			if alone && base != "" && !taken[base] && n.wants[id] != "" {
				n.names[id] = base
				taken[base] = true
			} else {
				disputed = append(disputed, id)
			}
		}
	}
	slices.Sort(disputed)
	for _, id := range disputed {
		n.names[id] = n.suffixed(id, taken)
	}
}

// suffixed is a name with a digest of the identity; longer where even that is
// taken.
func (n *Naming) suffixed(id string, taken map[string]bool) string {
	sum := sha256.Sum256([]byte(id))
	digest := hex.EncodeToString(sum[:])
	for size := 8; ; size += 8 {
		base := cmp.Or(strings.TrimRight(sanitise(n.wants[id], n.max-size-1), "-."), "x")
		name := base + "-" + digest[:min(size, len(digest))]
		if !taken[name] {
			taken[name] = true
			return name
		}
	}
}

// Name returns the name of an identity.
func (n *Naming) Name(identity string) string { return n.names[identity] }

// sanitise spells a name with what DNS-1123 allows: lower case, other
// characters as "-", nothing but letters and digits at its ends, at most limit
// bytes. What is left of a name without any letter of ASCII is empty.
func sanitise(name string, limit int) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	labels := strings.Split(b.String(), ".")
	kept := labels[:0]
	for _, l := range labels {
		if l = strings.Trim(l, "-"); l != "" {
			kept = append(kept, l)
		}
	}
	s := strings.Join(kept, ".")
	if len(s) > limit {
		s = strings.TrimRight(s[:limit], "-.")
	}
	return s
}

// MaxObject is what etcd takes of one object (--max-request-bytes), in bytes.
const MaxObject = 1536 << 10

// MaxClientApply is what an annotation may hold: kubectl apply without
// --server-side writes the whole object into one.
const MaxClientApply = 256 << 10

// Flaw is why no API server would take an object, or nil.
func Flaw(o Object) *Refusal {
	if bad := BadRef(RefOf(o)); bad != nil {
		return bad
	}
	if size := Size(o); size > MaxObject {
		return &Refusal{
			Reason: "too-large", Message: fmt.Sprintf("%.1f MiB; etcd takes 1.5 MiB", float64(size)/(1<<20)),
			Hint: "split the object, or leave out what is generated into it",
		}
	}
	return nil
}

// briefly are the first differences, as text.
func briefly(diffs []difference) []string {
	const most = 10
	var list []string
	for i, d := range diffs {
		if i == most {
			return append(list, fmt.Sprintf("and %d more", len(diffs)-most))
		}
		list = append(list, d.String())
	}
	return list
}
