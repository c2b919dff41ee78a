package index

import (
	"slices"
	"testing"
)

// A name that ends in List is that of a kind where a CRD has it, or where nothing else has what is before it.
func TestKindsThatEndInList(t *testing.T) {
	f := New()
	f.Add([]Fact{
		{Kind: Seen, Group: "a.example.com", Name: "Image"}, {Kind: Defined, Group: "a.example.com", Name: "ImageList"},
		{Kind: Seen, Group: "a.example.com", Name: "Fig"}, {Kind: Seen, Group: "a.example.com", Name: "FigList"}, {Kind: Seen, Group: "a.example.com", Name: "PlumList"},
		{Kind: Seen, Group: "a.example.com", Name: "FigListList"},
	})
	if got, want := f.Kinds("a.example.com"), []string{"Fig", "Image", "ImageList", "PlumList"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
