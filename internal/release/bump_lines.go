package release

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/source"
)

// maxCompared bounds the table that lineEdits fills, in cells: above it the
// lines between the equal ends are one edit.
const maxCompared = 16 << 20

// lineEdits are the edits of whole lines that turn one text into another: those
// of a longest common subsequence, so that a preview shows what changed.
func lineEdits(from, to []byte) []source.Edit {
	a, b := bytes.SplitAfter(from, []byte{'\n'}), bytes.SplitAfter(to, []byte{'\n'})
	start := 0
	for len(a) > 0 && len(b) > 0 && bytes.Equal(a[0], b[0]) {
		start += len(a[0])
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && bytes.Equal(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)*len(b) > maxCompared {
		return []source.Edit{edit(start, a, b)}
	}
	return subsequence(a, b, start)
}

// edit replaces lines at an offset.
func edit(start int, old, fresh [][]byte) source.Edit {
	was := bytes.Join(old, nil)
	return source.Edit{Span: source.Span{Start: start, End: start + len(was)}, Old: string(was), New: string(bytes.Join(fresh, nil))}
}

// subsequence finds the edits by dynamic programming.
func subsequence(a, b [][]byte, start int) []source.Edit {
	width := len(b) + 1
	common := make([]int32, (len(a)+1)*width) // longest common subsequence of a[i:], b[j:]
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if bytes.Equal(a[i], b[j]) {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	var edits []source.Edit
	for i, j := 0, 0; i < len(a) || j < len(b); {
		fromA, fromB := i, j
		for (i < len(a) || j < len(b)) && (i == len(a) || j == len(b) || !bytes.Equal(a[i], b[j])) {
			if j == len(b) || i < len(a) && common[(i+1)*width+j] >= common[i*width+j+1] {
				i++
			} else {
				j++
			}
		}
		if i > fromA || j > fromB {
			e := edit(start, a[fromA:i], b[fromB:j])
			edits = append(edits, e)
			start = e.End
		}
		for i < len(a) && j < len(b) && bytes.Equal(a[i], b[j]) {
			start += len(a[i])
			i, j = i+1, j+1
		}
	}
	return edits
}
