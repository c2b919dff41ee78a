package versions

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// Placeholder stands in schemes for a version without its leading "v".
const Placeholder = "{version}"

// IsVersion says whether v is a semantic version as releases of the stack are
// written: "v", MAJOR.MINOR.PATCH, optional pre-release and build. Unlike
// semver.IsValid it refuses the short forms "v1" and "v1.2".
// Source: Semantic Versioning 2.0.0.
func IsVersion(v string) bool {
	if !semver.IsValid(v) {
		return false
	}
	core, _, _ := strings.Cut(strings.TrimSuffix(v, semver.Build(v)), "-")
	return strings.Count(core, ".") == 2
}

// placeholders of schemes beside {version}: single numbers of a version, and
// those of a calendar, which are numbers with a width.
// Source: https://calver.org/
var placeholders = map[string]struct {
	number int    // 0 major, 1 minor, 2 patch
	text   string // what it matches
	width  int    // digits, filled up with zeros; 0 = as many as it takes
}{
	"major": {0, plainNumber, 0}, "minor": {1, plainNumber, 0}, "patch": {2, plainNumber, 0},
	"YYYY": {0, `[1-9][0-9]{3}`, 4}, "YY": {0, `0|[1-9][0-9]{0,2}`, 0}, "0Y": {0, `[0-9]{2,3}`, 2},
	"MM": {1, plainNumber, 0}, "0M": {1, `[0-9]{2}`, 2}, "WW": {1, plainNumber, 0}, "0W": {1, `[0-9]{2}`, 2},
	"DD": {2, plainNumber, 0}, "0D": {2, `[0-9]{2}`, 2}, "MICRO": {2, plainNumber, 0},
}

const plainNumber = `0|[1-9][0-9]*`

// part is a placeholder in a scheme; with "=NUMBER" it stands for no text, and
// says what the number is.
var part = lazyregexp.New(`\{([A-Za-z0-9]+)(?:=([0-9]+))?\}`)

// A scheme is one that is made of numbers.
type scheme struct {
	text  *regexp.Regexp
	named []string       // placeholder of each group
	given map[int]uint64 // numbers that stand in no text
	last  string         // the last placeholder: what a pre-release follows
}

var schemes sync.Map // by their text, once they were compiled

// CheckScheme says what is wrong with a scheme; nil = it can be read and written.
func CheckScheme(text string) error {
	_, err := compileScheme(text)
	return err
}

// compileScheme reads a scheme, "v{version}", "{YYYY}.{0M}.{patch}" or
// "v0.{minor}.{patch}{major=1}". Those with {version} have no *scheme.
func compileScheme(text string) (*scheme, error) {
	if strings.Count(text, Placeholder) == 1 && strings.Count(text, "{") == 1 {
		return nil, nil
	}
	if s, ok := schemes.Load(text); ok {
		return s.(*scheme), nil
	}
	s := &scheme{given: map[int]uint64{}}
	numbers := map[int]bool{}
	var re strings.Builder
	done := 0
	found := part.Get().FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		name := text[m[2]:m[3]]
		p, ok := placeholders[name]
		if !ok || numbers[p.number] {
			return nil, fmt.Errorf("scheme %q must hold %s once, or numbers like {major}, {minor}, {patch}, {YYYY}, {0M}, each once", text, Placeholder)
		}
		numbers[p.number] = true
		re.WriteString(regexp.QuoteMeta(text[done:m[0]]))
		done = m[1]
		if m[4] >= 0 {
			s.given[p.number], _ = strconv.ParseUint(text[m[4]:m[5]], 10, 32)
			continue
		}
		fmt.Fprintf(&re, "(%s)", p.text)
		s.named = append(s.named, name)
		s.last = text[m[0]:m[1]]
		if !slices.ContainsFunc(found[i+1:], func(n []int) bool { return n[4] < 0 }) {
			re.WriteString(`((?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)`)
		}
	}
	if len(s.named) == 0 || !numbers[0] {
		return nil, fmt.Errorf("scheme %q must hold %s once, or the numbers of a version: {major} (or {YYYY}, or {major=1}), {minor}, {patch}", text, Placeholder)
	}
	s.text = regexp.MustCompile("^" + re.String() + regexp.QuoteMeta(text[done:]) + "$")
	schemes.Store(text, s)
	return s, nil
}

// partsOf is how many numbers of a version a scheme tells.
func partsOf(text string) int {
	s, err := compileScheme(text)
	if s == nil || err != nil {
		return 3
	}
	most := 0
	for i := range s.given {
		most = max(most, i+1)
	}
	for _, name := range s.named {
		most = max(most, placeholders[name].number+1)
	}
	return most
}

// Format writes a version, "v1.2.0" or "1.2.0", in a scheme.
func Format(text, version string) string {
	s, err := compileScheme(text)
	if s == nil || err != nil {
		return strings.Replace(text, Placeholder, Bare(version), 1)
	}
	v := "v" + Bare(version)
	n := numbersOf(v)
	return part.Get().ReplaceAllStringFunc(text, func(m string) string {
		g := part.FindStringSubmatch(m)
		if g[2] != "" {
			return ""
		}
		p := placeholders[g[1]]
		out := fmt.Sprintf("%0*d", p.width, n[p.number])
		if m == s.last {
			out += semver.Prerelease(v) + semver.Build(v)
		}
		return out
	})
}

// Bare cuts a leading "v".
func Bare(version string) string { return strings.TrimPrefix(version, "v") }

// Parse reads a text that was written in a scheme: the version with its
// leading "v". A text that does not follow the scheme is not ok.
func Parse(text, written string) (string, bool) {
	if s, err := compileScheme(text); s != nil && err == nil {
		return s.parse(written)
	}
	prefix, suffix, _ := strings.Cut(text, Placeholder)
	rest, ok := strings.CutPrefix(written, prefix)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, suffix)
	if !ok || rest == "" {
		return "", false
	}
	return "v" + rest, true
}

func (s *scheme) parse(written string) (string, bool) {
	m := s.text.FindStringSubmatch(written)
	if m == nil {
		return "", false
	}
	var n [3]uint64
	for i, v := range s.given {
		n[i] = v
	}
	for i, name := range s.named {
		v, err := strconv.ParseUint(m[i+1], 10, 32)
		if err != nil {
			return "", false
		}
		n[placeholders[name].number] = v
	}
	return versionOf(n) + m[len(s.named)+1], true
}

// Spelled finds the scheme that a text is written in, and the version in it.
// The longest literal part wins, so that "release-v{version}" goes before
// "{version}". A text in none of the schemes is its own version, and keeps
// the first scheme.
func Spelled(schemes []string, text string) (version, scheme string) {
	best := -1
	for _, s := range schemes {
		if v, ok := Parse(s, text); ok && len(s) > best {
			best, version, scheme = len(s), v, s
		}
	}
	if best < 0 {
		return text, schemes[0]
	}
	return version, scheme
}
