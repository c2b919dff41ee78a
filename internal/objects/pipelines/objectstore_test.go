package pipelines

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A bucket answers requests that are signed with a secret.
type bucket struct {
	objects map[string]string // by the escaped path
	secret  string
	broken  int    // the first answers are 503
	moved   string // where all requests are sent on to; empty = answered here
	asked   []string
	leaked  []string // headers of requests that must have none
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.asked = append(b.asked, r.URL.EscapedPath())
	text, found := b.objects[r.URL.EscapedPath()]
	switch {
	case b.secret == "":
		for _, header := range []string{"Authorization", "X-Amz-Security-Token"} {
			b.leaked = append(b.leaked, r.Header.Values(header)...)
		}
		fmt.Fprint(w, ir)
	case b.broken > 0:
		b.broken--
		http.Error(w, "<Error><Code>SlowDown</Code></Error>", http.StatusServiceUnavailable)
	case !strings.HasSuffix(r.Header.Get("Authorization"), "Signature="+signature(r, b.secret)):
		http.Error(w, "<Error><Code>SignatureDoesNotMatch</Code><Message>it is not signed with "+b.secret+"</Message></Error>", http.StatusForbidden)
	case b.moved != "":
		http.Redirect(w, r, b.moved, http.StatusTemporaryRedirect)
	case !found:
		http.Error(w, "<Error><Code>NoSuchKey</Code></Error>", http.StatusNotFound)
	default:
		fmt.Fprint(w, text)
	}
}

// signature is the signature of a request, by the words of the protocol.
// Source: "Authenticating Requests (AWS Signature Version 4)", docs.aws.amazon.com.
func signature(r *http.Request, secret string) string {
	_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	credential, rest, _ := strings.Cut(rest, ", SignedHeaders=")
	signed, _, _ := strings.Cut(rest, ",")
	_, scope, _ := strings.Cut(credential, "/")
	canonical := r.Method + "\n" + r.URL.EscapedPath() + "\n\n"
	for name := range strings.SplitSeq(signed, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		canonical += name + ":" + value + "\n"
	}
	canonical += "\n" + signed + "\n" + r.Header.Get("X-Amz-Content-Sha256")
	key := []byte("AWS4" + secret)
	sign := func(text string) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		key = mac.Sum(nil)
	}
	for part := range strings.SplitSeq(scope, "/") {
		sign(part)
	}
	sign(fmt.Sprintf("AWS4-HMAC-SHA256\n%s\n%s\n%x", r.Header.Get("X-Amz-Date"), scope, sha256.Sum256([]byte(canonical))))
	return hex.EncodeToString(key)
}

// TestObjectStore: a spec is read from where the server looks for it, with
// signed requests; what is not there is no trouble, and a refusal is.
func TestObjectStore(t *testing.T) {
	elsewhere := &bucket{}
	other := httptest.NewServer(elsewhere)
	defer other.Close()
	const odd = "/mlpipeline/odd%20dir%2Bx/%C3%A4%3D1%26b%3A2%40%24.yaml"
	tests := map[string]struct {
		b         *bucket
		at        string // path of the URL
		uri, want string // text or error; empty = there is none
	}{
		"by the row":      {&bucket{objects: map[string]string{odd: ir}}, "", "odd dir+x/ä=1&b:2@$.yaml", ir},
		"by the version":  {&bucket{objects: map[string]string{"/mlpipeline/pipelines/v": ir, "/mlpipeline/pipelines/p": "older"}}, "/", "gone", ir},
		"by the pipeline": {&bucket{objects: map[string]string{"/b/f/g/p": ir}}, "/b/f/g/", "", ir},
		"nowhere":         {&bucket{}, "/mlpipeline", "../x", ""},
		"busy at first":   {&bucket{objects: map[string]string{"/mlpipeline/pipelines/v": ir}, broken: 2}, "", "", ir},
		"another secret":  {&bucket{secret: "another"}, "", "", "403 Forbidden: it is not signed with another; check AWS_ACCESS_KEY_ID"},
		"sent on":         {&bucket{moved: other.URL}, "", "", ir},
	}
	for name, tt := range tests {
		if tt.b.secret == "" {
			tt.b.secret = "of-minio"
		}
		web := httptest.NewServer(tt.b)
		defer web.Close()
		c := Credentials{ID: "minio", Secret: "of-minio", Session: "session", Region: "us-east-1"}
		o, err := OpenObjectStore(web.URL+tt.at, "", c, func(context.Context, time.Duration) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		text, err := o.spec(t.Context(), &Pipeline{id: "p"}, &Version{id: "v", specURI: tt.uri})
		if got := string(text); err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) || err == nil && got != tt.want {
			t.Errorf("%s: got %s (%v), asked for %s", name, got, err, tt.b.asked)
		}
		for _, path := range tt.b.asked {
			if strings.Contains(path, "..") {
				t.Errorf("%s: asked for %s", name, path)
			}
		}
	}
	if len(elsewhere.asked) == 0 || len(elsewhere.leaked) > 0 {
		t.Errorf("another host was asked for %s and sent %s", elsewhere.asked, elsewhere.leaked)
	}
}
