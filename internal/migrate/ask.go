package migrate

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/source/find"
)

// What depends on the files of a tree together is asked of some of them in one more walk,
// whatever it is.

// An inquiry is made of files that a search finds. Its search is among files that the
// first walk told of.
type inquiry struct {
	search
	visit func(name string, data []byte)
}

// ask walks the files that some inquiries are about, once.
func (w walk) ask(inquiries ...inquiry) error {
	inquiries = slices.DeleteFunc(inquiries, func(q inquiry) bool { return len(q.among) == 0 || len(q.needles) == 0 })
	switch len(inquiries) {
	case 0:
		return nil
	case 1:
		return w(inquiries[0].search, inquiries[0].visit)
	}
	s, of := search{}, map[string]uint{} // of: the inquiries that are about a file, a bit for each
	finders := make([]*find.Finder, len(inquiries))
	for i, q := range inquiries {
		finders[i], s.needles = find.New(q.needles), append(s.needles, q.needles...)
		for _, name := range q.among {
			if of[name] == 0 {
				s.among = append(s.among, name)
			}
			of[name] |= 1 << i
		}
	}
	return w(s, func(name string, data []byte) {
		for i, q := range inquiries {
			if of[name]&(1<<i) != 0 && finders[i].Match(data) {
				q.visit(name, data)
			}
		}
	})
}
