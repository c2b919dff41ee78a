package lists

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestLists(t *testing.T) {
	words := []string{"anvil", "bellows", "Anvil"}
	if got := Of(words, strings.ToUpper); !slices.Equal(got, []string{"ANVIL", "BELLOWS", "ANVIL"}) {
		t.Errorf("Of: %q", got)
	}
	long := func(w string) bool { return len(w) > 5 }
	if got := Where(words, long); !slices.Equal(got, []string{"bellows"}) {
		t.Errorf("Where: %q", got)
	}
	if got := Set(words, strings.ToLower); !maps.Equal(got, map[string]bool{"anvil": true, "bellows": true}) {
		t.Errorf("Set: %v", got)
	}
	if got := By(words, strings.ToLower); !maps.Equal(got, map[string]string{"anvil": "Anvil", "bellows": "bellows"}) {
		t.Errorf("By: %v", got)
	}
	if Of(nil, strings.ToUpper) != nil || Where(words[:1], long) != nil {
		t.Error("an empty list is not nil")
	}
}
