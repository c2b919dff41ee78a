package pipelines

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/objects"
)

func atOnce(context.Context, time.Duration) error { return nil }

// TestTokenStaysWithItsServer: a redirect to another port, host or scheme
// carries no token, one within the server does.
func TestTokenStaysWithItsServer(t *testing.T) {
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, r.Header.Get("Authorization"))
		io.WriteString(w, `{"multi_user":true}`)
	}))
	defer other.Close()
	named := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	for _, to := range []string{other.URL, named} {
		var here []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			here = append(here, r.Header.Get("Authorization"))
			switch r.URL.Path {
			case "/apis/v2beta1/healthz":
				http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
			default:
				http.Redirect(w, r, to+"/x", http.StatusTemporaryRedirect)
			}
		}))
		elsewhere = nil
		r, err := Dial(server.URL, "secret", "", nil, atOnce)
		if err != nil {
			t.Fatal(err)
		}
		if multi, err := r.MultiUser(context.Background()); err != nil || !multi {
			t.Error(err)
		}
		if strings.Join(here, ",") != "Bearer secret,Bearer secret" || strings.Join(elsewhere, ",") != "" || len(elsewhere) != 1 {
			t.Errorf("%s: %q here, %q elsewhere", to, here, elsewhere)
		}
		server.Close()
	}
}

// TestTokenIsNotEchoed: a server that repeats what it was sent puts the token
// into no message, and every message names what was asked for.
func TestTokenIsNotEchoed(t *testing.T) {
	for _, status := range []int{400, 401, 500, 200} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			if status == 200 {
				io.WriteString(w, "<html>")
				return
			}
			fmt.Fprintf(w, `{"message":"bad %s"}`, r.Header.Get("Authorization"))
		}))
		r, err := Dial(server.URL, "secret", "", nil, atOnce)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.MultiUser(context.Background())
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), server.URL+"/apis/v2beta1/healthz") {
			t.Errorf("%d: %v", status, err)
		}
		server.Close()
	}
}

// TestAnnouncedPipelines: a server that gives less than it announces was not
// read to its end.
func TestAnnouncedPipelines(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/versions") {
			io.WriteString(w, `{}`)
			return
		}
		io.WriteString(w, `{"pipelines":[{"pipeline_id":"1","name":"a"}],"total_size":3}`)
	}))
	defer server.Close()
	r, err := Dial(server.URL, "", "", nil, atOnce)
	if err != nil {
		t.Fatal(err)
	}
	err = (&Kind{Store: r, Shared: "n"}).Items(context.Background(), func(*objects.Item) error { return nil })
	if err == nil || !strings.HasSuffix(err.Error(), "/apis/v2beta1/pipelines: the server announces 3 pipelines and gave 1") {
		t.Error(err)
	}
}
