package judge

import "maps"

// A Reason is why a whole reference is kept or needs review, whatever its place.
type Reason *Row

// reasons are all reasons.
var reasons []Reason

func reason(r Row) Reason {
	reasons = append(reasons, &r)
	return &r
}

// The reasons.
var (
	NoRule         = reason(Row{ID: "no-rule", Say: Keep, Why: "no rule changes this version, kind or resource"})
	Several        = reason(Row{ID: "several-answers", Say: Review, Why: "it depends on the kind or version, which nothing here names", Hint: "rewrite it for its kind, or keep it with a comment cfctl:keep REASON"})
	PackageSplit   = reason(Row{ID: "package-split", Say: Review, Why: "the kinds of its Go package do not move together", Hint: "move the types that change to a Go package of their new group or version, and run again"})
	FilledIn       = reason(Row{ID: "filled-in", Say: Review, Why: "its version is filled in at run time, and the rules depend on it"})
	OtherVersions  = reason(Row{ID: "other-versions", Say: Review, Why: "a rule covers one version of this API, and this tree uses others as well"})
	Removed        = reason(Row{ID: "removed", Say: Review, Why: "the API has no successor"})
	Cycle          = reason(Row{ID: "cycle", Say: Review, Why: "the rules lead in a circle"})
	BothNames      = reason(Row{ID: "both-names", Say: Review, Why: "the new name is on the same line", Hint: "decide whether the code needs both"})
	Mapped         = reason(Row{ID: "key-twice", Say: Review, Why: "the new name is already a key of the same mapping", Hint: "remove one of the two"})
	NameTaken      = reason(Row{ID: "name-taken", Say: Review, Why: "the new name of a file or object is taken"})
	Taken          = reason(Row{ID: "name-taken", Say: Review, Why: "the tree already has the file with the new name", Hint: "compare both files, then delete the old one or keep it with a keep entry"})
	TestCRD        = reason(Row{ID: "test-crd", Say: Keep, Why: "the CRD is test data, and another project defines its group"})
	NotServed      = reason(Row{ID: "crd-version", Say: Review, Why: "the CRD in this tree does not serve the new version", Hint: "add the new version to its versions, by the generator of the CRD where there is one, or take a release of its project that serves it"})
	Suppressed     = reason(Row{ID: "keep-comment", Say: Keep, Why: "a cfctl:keep comment keeps it"})
	RulesetKeeps   = reason(Row{ID: "ruleset", Say: Keep, Why: "the ruleset keeps it"})
	Configured     = reason(Row{ID: "configuration", Say: Keep, Why: "the configuration keeps it"})
	SplitRule      = reason(Row{ID: "split-rule", Say: Review, Why: "its resources go to different groups"})
	DualKept       = reason(Row{ID: "dual", Say: Keep, Why: "both groups are served for a while"})
	Fault          = reason(Row{ID: "not-verified", Say: Review, Why: "the change could not be verified"})
	Escaped        = reason(Row{ID: "escaped", Say: Review, Why: "a letter of it, or of a name next to it, is an escape", Hint: "write the names as they are, then run cfctl again"})
	FileNotRenamed = reason(Row{ID: "file-name", Say: Keep, Why: "it is spelled like the name of a file, and no file of this name is renamed"})
	FilesApart     = reason(Row{ID: "file-name", Say: Review, Why: "the files of this name get several names", Hint: "write what each is called now"})
	NotResource    = reason(Row{ID: "label-like", Role: "key", Say: Keep, Why: "it is spelled like the key of a label or annotation, and no resource of this name is known"})
	ProjectDomain  = reason(Row{ID: "project-half", Say: Review, Why: "the domain of the project is that of other resources too", Hint: "give this resource a domain of its own"})
	Unconverted    = reason(Row{ID: "unconverted", Say: Review, Why: "the shape of its object could not be changed", Hint: "convert the object by hand"})
	ShapeStep      = reason(Row{ID: "shape", Say: Review, Why: "a field has no place in the new version"})
	VersionFolder  = reason(Row{ID: "version-folder", Say: Keep, Why: "the file is about this version"})
	Proposal       = reason(Row{ID: "proposal", Say: Keep, Why: "it is a design document of its time"})
	TakenToo       = reason(Row{ID: "name-taken", Say: Keep, Why: "the tree already has the file with the new name"})
	RulesetFile    = reason(Row{ID: "ruleset-file", Say: Keep, Why: "it is the ruleset itself"})
	FilledKind     = reason(Row{ID: "filled-kind", Say: Review, Why: "its kind is not known here, and the rules depend on it", Hint: "change the group where the kind is one that moves"})
	NotKind        = reason(Row{ID: "no-such-kind", Say: Keep, Why: "the tree has no kind of this name in the group"})
	SharedRule     = reason(Row{ID: "shared", Say: Review, Why: "several rules of permissions take it from here, and it depends on their resources", Hint: "give each rule a group of its own"})
	BuiltKey       = reason(Row{ID: "built-key", Say: Review, Why: "a key or a longer name is built of it"})
	KeyOfAPI       = reason(Row{ID: "built-key", Say: Review, Why: "its name says that keys are built of it, and this file uses it as the group of an API", Hint: "use two constants, or keep it with a comment cfctl:keep REASON"})
	WithObject     = reason(Row{ID: "same-object", Say: Keep, Why: "the rest of its object is not changed"})
	MissingField   = reason(Row{ID: "field-missing", Say: Review, Why: "its new version lacks one of its fields", Hint: "convert the object by hand"})
	TypedLiteral   = reason(Row{ID: "typed-literal", Say: Review, Why: "the Go type around it is of the old version", Hint: "change the package of the type together with it"})
	OldImport      = reason(Row{ID: "typed-literal", Say: Review, Hint: "change the import, and the code that uses it, together with it"})
	NoVersion      = reason(Row{ID: "no-such-version", Say: Keep, Why: "neither a rule nor the tree has this version"})
	Leaves         = reason(Row{ID: "leaves-kind", Say: Review, Why: "it would change without its kind", Hint: "change what is old of the two, or keep both with a keep entry"})
	WrongGroup     = reason(Row{ID: "wrong-group", Role: "apiVersion", Say: Review, Why: "a kind in a group where it never was", Hint: "correct the group by hand"})
	NoTwin         = reason(Row{ID: "twin", Say: Review, Why: "no copy in the new group can be written behind it", Hint: "write the object with the new name by hand"})
	DefinedTwice   = reason(Row{ID: "name-taken", Say: Review, Why: "an object with the new name is in this file, and does not say all that this one says", Hint: "compare both, then remove one of the two"})
	TwinPatch      = reason(Row{ID: "twin-patch", Say: Review, Why: "it is a patch of this CRD, and the one in the new group has none", Hint: "write the same patch for the new CRD in this file, or keep it with a comment cfctl:keep REASON"})
	NameBoth       = reason(Row{ID: "twin", Say: Review, Why: "both names are needed here", Hint: "write both, or keep it with a comment cfctl:keep REASON"})
	LooseName      = reason(Row{ID: "loose-name", Role: "kind", Say: Review, Why: "nothing next to it names a group"})
	ClientName     = reason(Row{ID: "client-name", Role: "identifier", Say: Review, Why: "a generated client of a version that a rule changes", Hint: "use the client and the types of the new version"})
	BuiltVersion   = reason(Row{ID: "built-version", Role: "version", Say: Review, Why: "a version that is joined to a group that a rule changes", Hint: "write the new version there"})
	ServedOld      = reason(Row{ID: "served-version", Say: Keep, Why: "the webhook is served for the Go type of the old version, which remains"})
	GeneratedFile  = reason(Row{ID: "generated-file", Role: "crd-file", Say: Review, Why: "no file of this name is there", Hint: "write the new name if a generator that names its files after the group writes it"})
	FolderValue    = reason(Row{ID: "folder-value", Say: Review, Why: "the folder of this name is not renamed, and a path is made of it", Hint: "take the path apart from the group, or keep both with a keep entry"})
	HookName       = Reason(&Row{ID: "webhook-name", Role: "webhook-name", Say: Rewrite}) // says what the row does
	NamedResource  = Reason(&Row{ID: "listed-name", Role: "resource-name", Say: Rewrite})
	SameName       = reason(Row{ID: "same-name", Say: Review, Why: "an object of the tree has this name, too", Hint: "rewrite it if it is the API, or keep it with a comment cfctl:keep REASON"})
	Folder         = reason(Row{ID: "folder", Role: "path", Say: Keep, Why: "it is the name of a folder"})
	MaybePath      = reason(Row{ID: "maybe-path", Role: "path", Say: Review, Why: "the tree has a file or folder of this path", Hint: "rewrite it if it is the API, or keep it with a comment cfctl:keep REASON"})
	LongerGroup    = reason(Row{ID: "longer-group", Role: "domain", Say: Keep, Why: "it is another group, whose name is longer"})
	OfResource     = reason(Row{ID: "object-or-key", Role: "key", Say: Review, Why: "it ends with the name of a resource", Hint: "rewrite it if it is made of that name"})
	SingularName   = reason(Row{ID: "leaves-kind", Say: Review, Hint: "write the new name if it is the resource, or keep it with a comment cfctl:keep REASON"})
	BothVersions   = reason(Row{ID: "both-names", Say: Keep, Why: "its line names the new version as well"})
	UnusedMark     = reason(Row{ID: "unused-suppression", Say: Review, Why: "a cfctl:keep comment that keeps nothing"})
	Outside        = reason(Row{ID: "outside", Say: Review, Why: "files outside of what was named may name a renamed file"})
	Link           = reason(Row{ID: "link", Say: Review, Why: "a symbolic link to a file that is renamed"})
	Module         = reason(Row{ID: "module", Say: Review, Why: "a Go module or package that moves"})
	Disagrees      = reason(Row{ID: "disagrees", Say: Review, Why: "the tree does not agree with itself"})
	GroupTaken     = reason(Row{ID: "group-taken", Say: Review, Why: "a Go package of the new group registers the same kinds"})
	RecordInUse    = reason(Row{ID: "record-in-use", Say: Review, Why: "by its path it is a record of a release, and a kustomization installs it", Hint: "migrate it, or keep it with a comment cfctl:keep REASON"})
	featureGate    = reason(Row{ID: "feature-gate", Role: "identifier", Say: Keep, Why: "users set a flag or a feature gate by this name"})
	TemplateChoice = reason(Row{ID: "template-choice", Say: Keep, Why: "the template has it for clusters that serve it"})
)

// ofGo are the reasons that are given to Go code, by the package that renames it.
var ofGo = map[string]string{
	"go-part":           "Go identifiers are renamed in a whole work tree only",
	"go-types":          "renaming Go identifiers would add a type error",
	"edits-differ":      "two rules make different things of one text",
	"go-syntax":         "a Go file that does not parse",
	"package-broken":    "a Go package with a file that does not parse",
	"kind-taken":        "the new name of a kind is a type of its package already, or two kinds of one name get two new names",
	"kind-part":         "a Go type whose name begins with a renamed kind and may be about something else",
	"file-taken":        "the new name of a Go file is taken",
	"version-part":      "a Go package with kinds that no rule moves to its new version",
	"version-leave":     "the Go package of a version is not changed, as --go-version-package=leave asks for",
	"folder-taken":      "the new folder of a Go package is taken",
	"conversion-exists": "a Go package that is copied has conversions already",
	"not-copied":        "a Go package that needs review before it is copied",
	"not-registered":    "a Go package is added to a scheme where its copy cannot be",
	"two-kinds":         "a Go struct is registered as two kinds",
	"registered-name":   "a kind that Go code registers under a name which its type does not have",
	"type-name":         "a type of a program in another language that has the name of a renamed kind",
	"dual-webhook":      "webhooks of two groups have one name",
	"run-time-name":     "a name of a kind that a program completes, such as that of an object",
}

// OfGo is the reason of an id that is given to Go code.
func OfGo(id string) Reason {
	if id == featureGate.ID {
		return featureGate
	}
	return &Row{ID: id, Say: Review, Why: ofGo[id]}
}

// Kept is a row that keeps a whole file.
func Kept(r Reason, why string) *Row {
	row := *r
	if why != "" {
		row.Why = why
	}
	return &row
}

// Reasons are the ids of all reasons to keep something or to have it reviewed, each with
// a clause that says why.
func Reasons() map[string]string {
	all := map[string]string{unknown.ID: unknown.Why}
	for _, row := range Rows {
		if row.Say != Rewrite {
			all[row.ID] = row.Why
		}
	}
	for _, row := range reasons { // of several with one id, the first
		if all[row.ID] == "" {
			all[row.ID] = row.Why
		}
	}
	for _, h := range Heuristics {
		all[h.ID] = h.Doc
	}
	maps.Copy(all, ofGo)
	return all
}
