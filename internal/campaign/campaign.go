// Package campaign takes one migration over many repositories.
//
// The flow: MakePlan lists repositories, leaves out by name and reason, and
// weighs; Work evaluates those of one shard, reading only, and leaves a Result for
// each; Open, the one writer, makes each change again, pushes it and opens pull requests at a
// pace; Follow reads what became of them; Count says what is left. Between them
// is a Store: refs of one git repository, which is all that they share.
//
// A repository in trouble is a result, never an error: an error means that the
// store, or the forge as a whole, did not answer.
package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/migrate"
)

// schema is the form of what the store holds. It changes when an older cfctl
// would misread it.
const schema = 1

// A Plan says what a campaign does and to which repositories. It does not
// change; the commit that holds it is the campaign's identity.
type Plan struct {
	Schema   int               `json:"schema"`
	ID       string            `json:"id"` // names refs and the branch
	Version  string            `json:"cfctl"`
	Rulesets []Rules           `json:"rulesets"`
	Dual     bool              `json:"dual,omitempty"`
	Set      map[string]string `json:"set,omitempty"`
	Author   git.Identity      `json:"author"`
	SignOff  bool              `json:"sign_off,omitempty"`
	Title    string            `json:"title"`
	Servers  Servers           `json:"servers"`
	Canaries []string          `json:"canaries,omitempty"` // names; opened before all others
	Share    int               `json:"share,omitempty"`    // per cent of the others that are opened second; 0 = none
	Needs    []string          `json:"needs,omitempty"`    // names of repositories that must have merged before any other is opened
	Ordered  bool              `json:"ordered,omitempty"`  // each of Needs is opened after the one before it has merged

	Repositories []Repository `json:"-"` // in the order of their weight, heaviest first
	LeftOut      []LeftOut    `json:"-"`
	Commit       string       `json:"-"` // that holds the plan
}

// NewPlan is a plan without anything in it, of a version of cfctl.
func NewPlan(version string) *Plan { return &Plan{Schema: schema, Version: version} }

// Known refuses a plan that has no repository, or names some that it does not have.
func (p *Plan) Known() error {
	if len(p.Repositories) == 0 {
		return fmt.Errorf("no repository to plan for: %d are skipped", len(p.LeftOut))
	}
	for _, name := range slices.Concat(p.Canaries, p.Needs) {
		if !slices.ContainsFunc(p.Repositories, func(r Repository) bool { return r.Name == name }) {
			return fmt.Errorf("--canary, --needs: %s is not a repository of the campaign", name)
		}
	}
	return nil
}

// Servers are where the repositories are.
type Servers struct {
	API string `json:"api,omitempty"` // of the forge; empty = there is none, and nothing can be opened
	Git string `json:"git,omitempty"` // the base of the repositories' URLs
}

// Rules are a ruleset as it was when the campaign was planned.
type Rules struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// A Repository is one that the campaign goes to.
type Repository struct {
	Key    string `json:"key"`              // of its files in the store: the forge's number, which a rename does not change, or a digest of its URL
	ID     int64  `json:"id,omitempty"`     // the forge's number; 0 = it is known by its URL alone
	Name   string `json:"name"`             // OWNER/NAME when it was planned, or the URL
	URL    string `json:"url"`              // for git, without credentials
	Weight int64  `json:"weight,omitempty"` // its size in KB
}

// A LeftOut is a repository that the campaign does not go to.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// keyOf is the key of a repository that is known by its URL alone.
func keyOf(url string) string {
	sum := sha256.Sum256([]byte(url))
	return "u" + hex.EncodeToString(sum[:8])
}

// keyOfID is the key of a repository of a forge.
func keyOfID(id int64) string { return strconv.FormatInt(id, 10) }

// validKey is what a key may be: it becomes the name of a file.
var validKey = lazyregexp.New(`^[a-z0-9]{1,40}$`)

// place is where a repository's file is, below a folder of a ref's tree: at
// most 256 folders, so that none holds too many.
func place(folder, key string) string {
	sum := sha256.Sum256([]byte(key))
	return path.Join(folder, hex.EncodeToString(sum[:1]), key+".json")
}

// Branch is the branch that the campaign pushes to in each repository.
func (p *Plan) Branch() string { return "cfctl/" + p.ID }

// validID is what the name of a campaign may be: it becomes a part of refs,
// branches and names of Kubernetes.
var validID = lazyregexp.New(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// CheckID refuses a name that no campaign can have.
func CheckID(id string) error {
	if !validID.MatchString(id) {
		return fmt.Errorf("campaign %q: a name is lower-case letters, digits and dashes, 40 at most", id)
	}
	return nil
}

// Digest is that of all that a result depends on besides the repository's
// commit: rules, mode, author, message, version of cfctl.
func (p *Plan) Digest() string {
	of := Plan{ID: p.ID, Version: p.Version, Rulesets: p.Rulesets, Dual: p.Dual, Set: p.Set, Author: p.Author, SignOff: p.SignOff, Title: p.Title}
	data, err := json.Marshal(of)
	if err != nil {
		panic(err) // strings, and nothing else
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// check refuses a plan that this cfctl does not understand, or that is none.
func (p *Plan) check() error {
	switch {
	case p.Schema != schema:
		return fmt.Errorf("the plan has schema %d, and this cfctl knows %d: use the cfctl that made it", p.Schema, schema)
	case len(p.Rulesets) == 0:
		return errors.New("the plan has no ruleset")
	}
	for _, r := range p.Repositories {
		if !validKey.MatchString(r.Key) {
			return fmt.Errorf("the plan has a repository with the key %q", r.Key)
		}
		if err := git.CheckURL(r.URL); err != nil {
			return fmt.Errorf("the plan: %w", err)
		}
	}
	return CheckID(p.ID)
}

// migration compiles the plan's rules for a repository, with what its own
// configuration keeps.
func (p *Plan) migration(keep []migrate.Keep) (*migrate.Migration, error) {
	opts := migrate.Options{Dual: p.Dual, Set: p.Set, Keep: keep}
	for _, r := range p.Rulesets {
		set, err := migrate.ParseRuleset(r.Name, []byte(r.Text))
		if err != nil {
			return nil, err
		}
		opts.Rulesets = append(opts.Rulesets, set)
	}
	return migrate.New(opts)
}

// Message is the message of the campaign's commits.
func (p *Plan) Message() string {
	names := lists.Of(p.Rulesets, func(r Rules) string { return r.Name })
	return p.Title + "\n\nMade by cfctl migrate with " + strings.Join(names, ", ") + "."
}

// signed is the message of the plan's commits with its trailer.
func (p *Plan) signed() string {
	if !p.SignOff {
		return p.Message()
	}
	return p.Message() + "\n\nSigned-off-by: " + p.Author.String()
}

// A State is what became of a repository so far.
type State string

// What work says of a repository.
const (
	Nothing State = "nothing" // nothing in it moves
	Changed State = "changed" // there is a commit
	Trouble State = "trouble" // it could not be evaluated
)

// A Class is the kind of trouble of a repository.
type Class string

// The classes of trouble.
const (
	Gone       Class = "gone"       // there is no such repository, or none that we may see
	Headless   Class = "headless"   // it has branches, and the default one is not among them
	Refused    Class = "refused"    // the server says no
	Network    Class = "network"    // the server does not answer, or not in time
	Large      Class = "large"      // more than is read of a repository
	Format     Class = "format"     // git names its objects by SHA-256
	Settings   Class = "settings"   // its .cfctl.yaml cannot be read
	Unreadable Class = "unreadable" // the store has a file for its result, and it is none
	Fault      Class = "fault"      // a change could not be proven, or cfctl failed: a fault of cfctl
)

// passes says whether trouble may be over the next time, with the same commit.
func (c Class) passes() bool {
	return c == Gone || c == Headless || c == Refused || c == Network
}

// A Result is what work says of a repository.
type Result struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Digest string `json:"digest"`         // of the plan that it was made by
	Base   string `json:"base,omitempty"` // commit that was evaluated; empty = the repository is empty, or in trouble
	Branch string `json:"branch,omitempty"`
	State  State  `json:"state"`

	Commit string   `json:"commit,omitempty"` // the change; its only parent is Base
	Paths  []string `json:"paths,omitempty"`  // that it touches, sorted

	Files    int      `json:"files,omitempty"`      // that change
	Proven   int      `json:"proven,omitempty"`     // places that were changed, each proven
	Review   int      `json:"review,omitempty"`     // entries that need review
	Unread   int      `json:"unreadable,omitempty"` // files that hold a name and could not be read
	Faults   int      `json:"refused,omitempty"`    // files whose change was not proven, and not made
	ToReview []string `json:"to_review,omitempty"`
	Owners   []string `json:"owners,omitempty"` // of all files, as CODEOWNERS says
	Class    Class    `json:"class,omitempty"`
	Text     string   `json:"text,omitempty"` // of the trouble
	Written  string   `json:"at,omitempty"`   // RFC 3339, for people
}

// holds says whether a result is still true for a branch at a commit under a plan.
func (r *Result) holds(digest, branch, base string) bool {
	return r != nil && r.Digest == digest && r.Branch == branch && r.Base == base && (r.State != Trouble || !r.Class.passes())
}

// check refuses a result that no worker of cfctl writes: results come from
// machines that are trusted less than the one that pushes.
func (r *Result) check() error {
	if r.State != Changed {
		return nil
	}
	for _, hash := range []string{r.Base, r.Commit} {
		if !validHash.MatchString(hash) {
			return fmt.Errorf("%q is not the hash of a commit", hash)
		}
	}
	if len(r.Paths) == 0 {
		return errors.New("a change without files")
	}
	return git.CheckRevision("refs/heads/" + r.Branch)
}

var validHash = lazyregexp.New(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
