// Package charts tells which words of a tree are keys of the values of its Helm charts. Users set them,
// so that they do not change with what they are named after.
package charts

import (
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// Values are the keys of the values of the charts of a tree.
type Values struct {
	Folders []string // of the charts, with those that have them

	names []string           // in the order of the files
	keys  map[string]bool    // at any depth; false for the name of a chart, which is none
	below map[[2]string]bool // a key, and one of its object
}

// keyLine is a key of YAML, which may be in a comment, with its value.
var (
	keyLine     = lazyregexp.New(`(?m)^([ #-]*)([A-Za-z][\w-]*):(?: *["']?([\w-]+))?`)
	uncommented = strings.NewReplacer("# ", "", "#", "")
)

// Read finds the keys of the values of charts, and those of the charts, which are Helm's.
func Read(paths []string, read func(name string) ([]byte, error)) *Values {
	v := &Values{keys: map[string]bool{}, below: map[[2]string]bool{}}
	taken := map[string]bool{}
	for _, name := range paths {
		taken[name] = true
	}
	for _, name := range paths {
		chart := path.Base(name) == "Chart.yaml"
		if !chart && (path.Base(name) != "values.yaml" || !taken[path.Join(path.Dir(name), "Chart.yaml")]) {
			continue
		}
		text, _ := read(name) // what is not read has no keys, and is reported
		if v.add(string(text), chart); chart {
			dir := path.Dir(name)
			v.Folders = append(v.Folders, path.Join(path.Base(path.Dir(dir)), path.Base(dir)))
		}
	}
	return v
}

// add takes the keys of a file, or the names of a chart and of its dependencies, which have values.
func (v *Values) add(text string, chart bool) {
	var above []string
	var depths []int
	for _, m := range keyLine.Get().FindAllStringSubmatch(text, -1) {
		depth, key := len(uncommented.Replace(m[1])), m[2]
		if v.names = append(v.names, key); chart {
			v.names = append(v.names, ".Chart."+strings.ToUpper(key[:1])+key[1:])
			if key != "name" && key != "alias" {
				continue
			}
			if key, depth = m[3], 0; m[1] == "" {
				if _, known := v.keys[key]; !known {
					v.keys[key] = false
				}
				continue
			}
		}
		for len(depths) > 0 && depths[len(depths)-1] >= depth {
			above, depths = above[:len(above)-1], depths[:len(depths)-1]
		}
		if v.keys[key] = true; len(above) > 0 {
			v.below[[2]string{above[len(above)-1], key}] = true
		}
		above, depths = append(above, key), append(depths, depth)
	}
}

// Names are the keys, and what templates call those of a chart.
func (v *Values) Names() []string { return v.names }

// A use is a place that has a key of values, whatever the key.
type use struct {
	file, before, behind *lazyregexp.Regexp // nil: any
	chart                bool               // or the name of a chart
}

var uses = []use{
	// a string in an action of a template that reads or makes a map
	{nil, lazyregexp.New(`\{\{[^{}]*\b(?:index|get|dig|hasKey|pluck|pick|omit|set|unset|dict)\b[^{}]*"$`), lazyregexp.New(`^"`), false},
	// a field in a template: .widget
	{nil, lazyregexp.New(`(?:^|[^\w"'\\\])}/-]|\.Values[\w.-]*|\$\w*)\.$`), nil, false},
	{lazyregexp.New(`(^|/)templates/`), lazyregexp.New(`\)\.$`), nil, false},
	// a pair of --set
	{nil, lazyregexp.New(`-set(?:-string|-json|-file|-literal)?["']?[=,\s]\s*["']?(?:\S*,)?(?:[\w-]+\.)*$`), lazyregexp.New(`^[.=\[]`), false},
	// a row of a table, and a path in a document
	{nil, lazyregexp.New(`(?m)^ *\| *\z`), nil, false},
	{nil, lazyregexp.New("`$"), lazyregexp.New(`^\.`), false},
	// a key of JSON
	{nil, lazyregexp.New(`"$`), lazyregexp.New(`^":`), false},
	// the schema of values
	{lazyregexp.New(`(^|/)values\.schema\.json$`), lazyregexp.New(`["/]$`), lazyregexp.New(`^["/]`), false},
	// a chart in a registry or a repository
	{nil, lazyregexp.New(`(?:oci://\S*|helm [^\n]* [\w.-]+)/$`), nil, true},
	// the names of charts, and the conditions, tags and imports of dependencies
	{lazyregexp.New(`(^|/)(Chart|requirements)\.yaml$`), lazyregexp.New(`(?m)^[ -]*(?:(?:name|alias|condition|tags|child|parent): *)?(?:\[.*|.*,)?["']?(?:[\w-]+\.)*\z`), lazyregexp.New(`^(?:["'\].,]|\r?\n|\z)`), true},
}

// What is around a key in a path of values, and the first key of an object that is its value.
var (
	keyStart = lazyregexp.New(`[\w-]*$`)
	keyEnd   = lazyregexp.New(`^[\w-]*`)
	parent   = lazyregexp.New(`([\w-]+)\.$`)
	child    = lazyregexp.New(`^\.([\w-]+)`)
	object   = lazyregexp.New(`^["']?\]? *\+?[:=] *[\w.\[\] ]*\{+\s*["']?([A-Za-z][\w-]*)`)
	program  = lazyregexp.New(`\.(?:py|tsx?|m?js|java|kt|rs|cs|rb|groovy|ps1)$`)
)

// nearby is how much of a text before a word tells what it is.
const nearby = 1000

// Uses says whether a word at an offset of a file is a key of values, or a part of one.
func (v *Values) Uses(name, text string, start, end int) bool {
	start -= len(keyStart.Get().FindString(text[max(0, start-nearby):start]))
	end += len(keyEnd.Get().FindString(text[end:min(len(text), end+nearby)]))
	key, before, behind := text[start:end], text[max(0, start-nearby):start], text[end:min(len(text), end+nearby)]
	isKey, known := v.keys[key]
	if !known {
		return false
	}
	for _, u := range uses {
		if (isKey || u.chart) && (u.file == nil || u.file.MatchString(name)) && u.before.MatchString(before) && (u.behind == nil || u.behind.MatchString(behind)) {
			return true
		}
	}
	if line := before[strings.LastIndexByte(before, '\n')+1:]; program.MatchString(name) && strings.Count(line, `"`)%2+strings.Count(line, `'`)%2+strings.Count(line, "`")%2 == 0 {
		return false // a variable
	}
	return v.joined(parent.FindStringSubmatch(before), key, true) || v.joined(child.FindStringSubmatch(behind), key, false) || v.joined(object.FindStringSubmatch(behind), key, false)
}

// joined says whether a key has the match of an expression right above or below it in the values.
func (v *Values) joined(m []string, key string, above bool) bool {
	if m == nil {
		return false
	}
	pair := [2]string{key, m[1]}
	if above {
		pair = [2]string{m[1], key}
	}
	return v.below[pair]
}
