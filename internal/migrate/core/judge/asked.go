package judge

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// A question is asked of the kids of a node, for each of them that is a reference: its answer
// is kept.
type question uint8

const (
	command question = iota // is one a client of Kubernetes, or a command of one?
	verb                    // is one a string that begins with such a command?
	labels                  // which is the first that says that keys of labels follow?
	version                 // is one a version?
	ofCRDs                  // is one the resource of CRDs?
	plugin                  // are they a command of a plugin of kubectl? 0 for yes
)

// answers are what was asked of the lists and commands of a file.
type answers struct {
	first map[asked]int
	words map[operandOf]operandAt
}

type asked struct {
	of   *syntax.Node
	what question
}

// first is the place of the first kid of a node that a test is true of, -1 for none.
func (f *File) first(up *syntax.Node, what question, test func(*syntax.Node) bool) int {
	return f.ask(up, what, func(kids []*syntax.Node) int { return slices.IndexFunc(kids, test) })
}

// ofPlugin says whether the words of a command are one of a plugin of kubectl.
func (f *File) ofPlugin(up *syntax.Node) bool {
	return f.ask(up, plugin, func(kids []*syntax.Node) int {
		if ofPlugin(kids) {
			return 0
		}
		return -1
	}) == 0
}

func (f *File) ask(up *syntax.Node, what question, answer func(kids []*syntax.Node) int) int {
	if len(up.Kids) < 8 {
		return answer(up.Kids)
	}
	i, ok := f.asked.first[asked{up, what}]
	if !ok {
		if f.asked.first == nil {
			f.asked.first = map[asked]int{}
		}
		i = answer(up.Kids)
		f.asked.first[asked{up, what}] = i
	}
	return i
}

// has says whether a test is true of a kid of a node.
func (f *File) has(up *syntax.Node, what question, test func(*syntax.Node) bool) bool {
	return f.first(up, what, test) >= 0
}

// An operandOf is what the words before the resources of a command are asked for.
type operandOf struct {
	of    *syntax.Node
	group string
}

// An operandAt is the last answer: the word before the resources that end before a place.
type operandAt struct {
	at   int
	word string
}

// before is the word before a word of a command, and before those of the same group in front of
// it: get in kubectl get a.example.com b.example.com.
func (f *File) before(n *syntax.Node, group string) string {
	i, kids, key := n.At(), n.Up.Kids, operandOf{n.Up, group}
	last, known := f.asked.words[key]
	word := ""
	for at := i; at > 0 && (word == "" || group != "" && strings.Contains(word, group) && !strings.Contains(word, "=")); {
		if at < i && known && at == last.at {
			word = last.word
			break
		}
		at--
		word = kids[at].String()
	}
	if f.asked.words == nil {
		f.asked.words = map[operandOf]operandAt{}
	}
	f.asked.words[key] = operandAt{i, word}
	return word
}
