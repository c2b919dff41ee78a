package find

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A string that is nothing but a group is a group only as long as its own name
// does not speak of something else: of a host, a registry, the manager of
// fields, a driver. The name is a key of YAML, or in source a constant, a
// field, an argument, an attribute, the function that is called. The words are
// the same for all of them.

// A word is what names speak of that is no group.
type word struct {
	id  string // kebab-case
	why string // what writes such names, in more than one project
	// names is asked about the words of a name: _cookie_domain_ of cookieDomain.
	names *lazyregexp.Regexp
	// whole is asked about the words of all of an expression: _log_with_name_.
	whole *lazyregexp.Regexp
	data  bool   // in YAML and JSON alone, where every value has a name
	place *Place // of a name in source
	// yes and no are a name that speaks of it, and one near to it that does not.
	yes, no string
}

// words are asked in this order; the first that a name speaks of decides.
var words = []word{
	{id: "host", why: "servers, cookies, mail and links are named by a domain", names: rxWords(`([a-z]*host|hostname|[a-z]*domain|fqdn|sni|ur[il]|server|endpoint|address|mail|site|origin|homepage|link|zone|dns|cname|cookie|no_?proxy|smtp|dial|nslookup|netloc|listen)s?`), place: HostName,
		yes: "cookieDomain", no: "booked"},
	{id: "server-name", why: "TLS and look-ups take the name of a server, and sockets that of their peer (Python's create_connection, C's getaddrinfo)", names: rxWords(`server_?names?|host_?names?|domain_?names?|look_?up_?(host|addr|ip|cname)|create_connection|connect_ex|getaddrinfo|gethostbyname(_ex)?`), place: HostName, yes: "servername", no: "observername"},
	{id: "dns", why: "Terraform, Pulumi and certificates name zones and records", whole: rxWords(`route_?53|dns|acm|certificatemanager|socket_connect`), place: HostName, yes: "aws.route53.Record", no: "aws.routes.Record"},
	{id: "certificate", why: "certificates and tokens name their subject, issuer and audience", names: rxWords(`cert(ificate)?s?|cn|common_?name|san|sans|subject(_alternative_names?)?|issuer|iss|aud|audiences?|realm`), place: HostName, yes: "CommonName", no: "CommonNoun"},
	{id: "registry", why: "images come from registries and repositories", names: rxWords(`image|repo|repository|registr(y|ies)`), place: NamedOther, yes: "IMAGE_REGISTRY", no: "registered"},
	{id: "manager", why: "server-side apply and labels tell who manages a field", names: rxWords(`([a-z]*manager|[a-z]*owner|managed_by)s?`), place: Agreed, yes: "field_manager", no: "managed"},
	{id: "patch-params", why: "kube-rs names the manager of fields by PatchParams::apply", whole: rxWords(`patch_params_apply`), place: Agreed, yes: "PatchParams::apply", no: "Params::apply"},
	{id: "controller", why: "controllers, drivers, plugins of CSI (TopoLVM's PluginName, OpenEBS Mayastor's CSI_PLUGIN_NAME), provisioners, signers and recorders have names of the domain", names: rxWords(`controllers?|controller_configuration|reconcilers?|named|drivers?|plugins?|provisioners?|schedulers?|signers?|finalizers?|peering|(event_)?recorder(_for)?|event_source|load_balancer_class`), place: Agreed,
		yes: "GetEventRecorderFor", no: "GetEventsFor"},
	{id: "lock", why: "leader election has an id, a lease or a lock", names: rxWords(`(leader_)?election(_id)?|lease|lock`), place: Agreed, yes: "LeaderElectionID", no: "LeaderID"},
	{id: "telemetry", why: "loggers, tracers and user agents have names of the domain", names: rxWords(`(get_)?(logger|tracer|meter)|user_agent`), whole: rxWords(`log(ger)?_with_name`), place: NamedOther, yes: "ctrl.Log.WithName", no: "meta.WithName"},
	{id: "client-id", why: "clients of OAuth and of other services say who they are", names: rxWords(`client_?ids?`), place: NamedOther, yes: "defaultClientID", no: "clientIdentity"},
	{id: "reason", why: "conditions and events give a reason, of a domain where somebody decided", names: rxWords(`reasons?`), whole: rxWords(`recorder_(annotated_)?eventf?`), place: NamedOther, yes: "c.recorder.Event", no: "c.recorded.Event"},
	{id: "people", why: "charts and images tell who made them", names: rxWords(`maintainers?|authors?|vendors?|providers?|organi[sz]ations?|company`), place: NamedOther, yes: "vendor", no: "vending"},
	{id: "text", why: "descriptions and messages hold any word", names: rxWords(`descriptions?|titles?|messages?|summary|text|comments?|reasons?|licen[cs]e`), data: true, yes: "description", no: "describes"},
	{id: "part-of-name", why: "namespaces, prefixes and labels are parts of names", names: rxWords(`namespaces?|prefix(es)?|suffix(es)?|labels?|annotations?|taints?`), data: true, yes: "labelPrefix", no: "prefixed"},
	{id: "name", why: "a name, a key and an id tell nothing of a group", names: lazyregexp.New(`^_(name|key|id|display_name)_$|_display_?name_`), data: true, yes: "displayName", no: "names"},
}

func rxWords(pattern string) *lazyregexp.Regexp { return lazyregexp.New(`_(` + pattern + `)_`) }

// speaksOf is what an expression speaks of that is no group; nil for one that
// speaks of a group or of nothing that is known.
func speaksOf(expression string, data bool) *word {
	all := wordsOf(expression)
	last := all
	if i := strings.LastIndexAny(expression, ".:"); i >= 0 {
		last = wordsOf(expression[i+1:])
	}
	if aboutGroup.MatchString(last) {
		return nil
	}
	for i := range words {
		x := &words[i]
		if (data || !x.data) && (x.names != nil && x.names.MatchString(last) || x.whole != nil && x.whole.MatchString(all)) {
			return x
		}
	}
	return nil
}

// aboutGroup is a name that speaks of an API, whatever else it speaks of.
var aboutGroup = rxWords(`[a-z]*groups?|[a-z]*group_?names?|[a-z]*version|kind|gv|gvk|gvr|gk|gr|crds?|resources?|plural`)

// wordsOf are the words of a name, between and around underscores:
// _dns_names_ of DNSNames.
func wordsOf(name string) string {
	name = camelEnd.ReplaceAllString(name, "${1}_${2}")
	name = acronymEnd.ReplaceAllString(name, "${1}_${2}")
	return "_" + strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-.:@/ ", r) }), "_")) + "_"
}

var (
	camelEnd   = lazyregexp.New(`([a-z0-9])([A-Z])`)
	acronymEnd = lazyregexp.New(`([A-Z])([A-Z][a-z]{2,})`)
)

var (
	// ownName is an expression that is given a value, up to the value: (1).
	ownName = lazyregexp.New(`([A-Za-z_@][\w.-]*)["'\x60\]]*(?:\s*:\s*&?[\w<>\[\].']+|\s+\*?(?:\[\])?string)?\s*(?::=|=>|==|!=|\?=|\+=|:|=)\s*(?:&|\*|\[\][\w.]+\{|[\[({]|(?:ptr\.To|pointer\.\w+|\w+\.String|String::from|Some|str|string|[lL]ist[oO.]+f|[sS]et[oO.]+f|Optional\.of)\()*\s*$`)
	// heldBy is what is called with a value, and the type of which it is a field: (1).
	heldBy = lazyregexp.New(`([A-Za-z_@][\w.:]*)\s*(?:\[\w+\])?[({](?:[^(){}]*,)?[\s({\[]*$`)
	// block is the type and the first label of a block of HCL up to what is in it: (1).
	block = lazyregexp.New(`^\s*\w+\s+"([\w.-]+)"[^{}]*\{\s*$`)
	// plainName is a name that says nothing of its own.
	plainName = lazyregexp.New(`(?i)^(name|value|values|default|example|string|str|)$`)
)

// other is where a string stands whose own name, or what it is said to be the
// name of, speaks of something else than a group; nil for any other.
func (l *literal) other() (place *Place, name string) {
	for _, name := range l.holders() {
		if aboutGroup.MatchString(wordsOf(name)) && !strings.ContainsAny(name, ".:") {
			return nil, ""
		}
		if x := speaksOf(name, false); x != nil {
			return x.place, name
		}
	}
	return nil, ""
}

// holders are the names that hold a string, the nearest first: up to the first
// that says something of its own.
func (l *literal) holders() []string {
	var names []string
	own := ""
	if m := ownName.FindSubmatch(l.lit.Before); m != nil {
		own = string(m[1])
		names = append(names, own)
	}
	last := own[strings.LastIndexByte(own, '.')+1:]
	if !plainName.MatchString(last) {
		return names
	}
	if own != last { // settings.peering.name
		names = append(names, strings.TrimSuffix(own, "."+last))
	}
	if l.besidePart() {
		return names
	}
	if name := l.namedBefore(last); name != "" {
		names = append(names, name)
	}
	if own == "" {
		if m := heldBy.FindSubmatch(l.lit.Before); m != nil && !bytes.HasSuffix(m[1], []byte("string")) {
			return append(names, string(m[1]))
		}
	}
	return append(names, l.holderOfScope()...)
}

// besidePart says whether a version, a kind or a resource stands beside it.
func (l *literal) besidePart() bool {
	near := l.neighbours()
	return near.version >= 0 || near.kind >= 0 || near.plural >= 0
}

// namedBefore is the string beside it in the same brackets that says what it is
// the value of: of name = "host", of --host, "".
func (l *literal) namedBefore(own string) string {
	if l.i == 0 {
		return ""
	}
	prev := l.c.Literals[l.i-1]
	if prev.Scope != l.lit.Scope || prev.Scope < 0 || prev.Line < l.lit.Line-1 {
		return ""
	}
	name := strings.TrimLeft(string(prev.Text.Of(l.v.Data)), "-")
	if prev.Name == "name" && strings.EqualFold(own, "value") || prev.Name == "" && own != "name" && setBefore.Match(l.lit.Before) && argumentName.MatchString(name) {
		return name
	}
	return ""
}

var (
	setBefore    = lazyregexp.New(`(?i)(env|flag|var|default|argument|option|set|get|config|property|string)\w*\([^()]*$`)
	argumentName = lazyregexp.New(`^[A-Za-z][\w.-]*$`)
)

// holderOfScope is what the brackets around a string belong to: the name of a
// list, a function, a type, or the block of HCL.
func (l *literal) holderOfScope() []string {
	at := l.lit.Scope
	if at < 0 {
		return nil
	}
	line := text.LineAround(l.v.Data, source.Span{Start: at, End: at})
	before := l.v.Data[line.Start : at+1]
	if m := block.FindSubmatch(before); m != nil {
		return []string{string(m[1])}
	}
	if m := heldBy.FindSubmatch(before); m != nil && !bytes.HasSuffix(m[1], []byte("string")) {
		return []string{string(m[1])}
	}
	if m := ownName.FindSubmatch(before); m != nil {
		return []string{string(m[1])}
	}
	return nil
}

var (
	// namedInText is a name in running text that is given the value behind it: (1).
	namedInText = rx(`([A-Za-z_][\w-]*)["'\x60]?\s?(?:\|\|)?[:?+=!]?=\s*["'\x60]?$|([A-Za-z_][\w-]*):\s+["'\x60]$|--?([a-z][a-z0-9-]*)[ =]["'\x60]?$`)
	// hostCommand is a command that is given a host.
	hostCommand = rx(`(^|[\s;&|(])(nslookup|dig|ping|host|curl|wget|nc|telnet|ssh|traceroute|openssl)\s+(\S+\s+)*["']?$`, "nslookup", "dig", "ping", "host", "curl", "wget", "nc ", "telnet", "ssh", "traceroute", "openssl")
	// calledBefore is (1) the function of a shell that is called with what is in quotes
	// behind it: its name is made of several words.
	calledBefore = lazyregexp.New(`(?:^|[\s;&|("'@])([a-z][a-z0-9]*(?:_[A-Za-z0-9]+|[A-Z][A-Za-z0-9]*)+)\s+["']$`)
	// domainWords speak of domains, of which the names behind them are some.
	domainWords = rx(`(?i)\b(sub-?)?domains?\b(?:[^.;]|\.\S)*["'\x60]$`, "domain")
	// groupWords speak of APIs.
	groupWords = rx(`(?i)\b(apis?|groups?|crds?|kinds?|resources?|version)\b`)
	// hostRule is a matcher of hosts up to one of them.
	// Source: https://doc.traefik.io/traefik/routing/routers/#rule
	hostRule = rx(`(?i)\bhost(sni|header)?(regexp?)?\((?:[^()]*,\s*)?\\?["'\x60/^]+$`, "host")
	// ofDevice is an attribute of a device up to the driver that it belongs to.
	ofDevice = text.Tail(40, `\bdevice\.(attributes|capacity)\[["']$`, "device")
)

// givenToDomain says whether a name is given to a function of a shell that speaks of
// domains.
func givenToDomain(p *spot) bool {
	m := calledBefore.FindSubmatch(p.own)
	x := (*word)(nil)
	if m != nil && runs(p) {
		x = speaksOf(string(m[1]), false)
	}
	return x != nil && x.place == HostName
}

// namedOther says whether the name before a group speaks of something else.
func namedOther(p *spot) bool { return namesOtherIn(p.left) || givenToDomain(p) }

func namesOtherIn(left []byte) bool {
	left = left[max(0, len(left)-100):]
	m := namedInText.Find(left)
	if m == nil {
		return false
	}
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			return speaksOf(string(left[m[i]:m[i+1]]), false) != nil
		}
	}
	return false
}
