package objects

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestUnendingAnswers: whatever a server sends, or does not, an answer ends.
func TestUnendingAnswers(t *testing.T) {
	bounds := Bounds{size: 2 << 20, first: 30 * time.Millisecond, idle: 30 * time.Millisecond, grace: 60 * time.Millisecond, rate: 1 << 10}
	for name, tt := range map[string]struct {
		serve func(http.ResponseWriter, *http.Request)
		want  string // end of the error; empty = none
	}{
		"no answer": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "/x: no answer for 30ms"},
		"no end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, strings.Repeat("x", 1<<16))
			}
		}, "/x: the answer is larger than 2 MiB"},
		"a halt": {func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "{")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "/x: no data arrives for 30ms"},
		"drops": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		}, "/x: the answer comes at less than 1024 bytes a second"},
		"a whole answer": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("x", 2<<20)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := bounds
			if tt.want == "" || name == "no end" || name == "drops" {
				b.first, b.idle = time.Minute, time.Minute // a busy machine is no slow server
			}
			if name != "drops" {
				b.grace = time.Minute
			}
			s := httptest.NewServer(http.HandlerFunc(tt.serve))
			defer s.Close()
			client := &http.Client{Transport: Bounded(http.DefaultTransport, b)}
			res, err := client.Get(s.URL + "/x")
			n := 0
			if err == nil {
				var data []byte
				data, err = io.ReadAll(res.Body)
				n = len(data)
				res.Body.Close()
			}
			var u *Unending
			switch {
			case tt.want == "" && (err != nil || n != 2<<20):
				t.Errorf("%d bytes, %v", n, err)
			case tt.want != "" && (!errors.As(err, &u) || u.Error() != "GET "+s.URL+tt.want):
				t.Error(err)
			}
		})
	}
}
