package mail

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/train"
)

// TestSlackAnswers tells a message that was posted from one that was not, and from one of
// which that is not known: whatever stands between answers 200 as well.
func TestSlackAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		code         int
		answer       string
		sent, unsure bool
	}{
		"posted":      {200, "ok\n", true, false},
		"no text":     {200, "no_text", false, true},
		"a page":      {200, "<html>log in", false, true},
		"nothing":     {200, "", false, true},
		"refused":     {404, "no_service", false, false},
		"broken":      {502, "", false, true},
		"to the door": {302, "", false, false},
	} {
		got := ""
		hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = string(body)
			w.WriteHeader(test.code)
			_, _ = io.WriteString(w, test.answer)
		}))
		err := (&Slack{Webhook: hook.URL, Queue: oneTry()}).Post(context.Background(), "<!channel> & co")
		hook.Close()
		if (err == nil) != test.sent || errors.Is(err, train.ErrUnsure) != test.unsure {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(got, "<!") || strings.Contains(got, `\u003c`) || !strings.Contains(got, "lt;!channel") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
