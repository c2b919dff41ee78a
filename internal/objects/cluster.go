package objects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// pageSize is how many objects a list asks for at once.
const pageSize = 200

// maxAnswer bounds one answer of an API server, in bytes: a page of objects of
// the largest size.
const maxAnswer = pageSize * MaxObject

// Bounds are those of an answer of at most size bytes: a list of many objects.
func Bounds(size int64) wire.Bounds {
	return wire.Bounds{Idle: time.Minute, Total: 10 * time.Minute, Size: size}
}

// A Cluster is a Kubernetes API server, as a source and as a target. It reads
// and creates; Rollback alone deletes.
type Cluster struct {
	client dynamic.Interface
	http   *http.Client
	host   string

	mu        sync.Mutex
	resources map[schema.GroupVersionKind]Resource
}

// Connect reads the kubeconfig as kubectl does: the file, else $KUBECONFIG,
// else ~/.kube/config, else the pod's own account. Nothing is sent yet. A
// server that starts anew is borne with: pauses of 1, 2, 4 and 8 s by sleep,
// and up to 30 s where it asks for them.
func Connect(kubeconfig, kubecontext, agent string, sleep func(context.Context, time.Duration) error) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: kubecontext}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", err)
	}
	config.UserAgent = agent
	config.QPS, config.Burst = -1, 0 // the server's own priority and fairness decides
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return wire.Patient(wire.Bounded(rt, Bounds(maxAnswer)), wire.Patience{Tries: 5, First: time.Second, Sleep: sleep})
	})
	config.WarningHandler = rest.NoWarnings{}
	hc, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	// The transport adds the credentials of the kubeconfig to each request, also to one that follows a redirect.
	hc.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if req.URL.Scheme != base.Scheme || req.URL.Host != base.Host {
			return fmt.Errorf("it redirects to %s://%s, which does not get the credentials of the kubeconfig", req.URL.Scheme, req.URL.Host)
		}
		if len(via) >= 10 {
			return errors.New("it redirects more than 10 times")
		}
		return nil
	}
	client, err := dynamic.NewForConfigAndClient(config, hc)
	if err != nil {
		return nil, err
	}
	return &Cluster{client: client, http: hc, host: strings.TrimSuffix(base.String(), "/"), resources: map[schema.GroupVersionKind]Resource{}}, nil
}

// Name implements Target.
func (c *Cluster) Name() string { return "the cluster" }

// resource looks up how a kind is served. One that is not served is a
// *Refusal with the reason crd-missing.
func (c *Cluster) resource(ctx context.Context, apiVersion, kind string) (Resource, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return Resource{}, err
	}
	key := gv.WithKind(kind)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.resources[key]; ok {
		return r, nil
	}
	list, err := c.discover(ctx, gv)
	if err != nil {
		return Resource{}, err
	}
	for _, r := range list {
		if r.Kind == kind {
			c.resources[key] = r
			return r, nil
		}
	}
	return Resource{}, notServed(apiVersion, kind)
}

// Group lists the kinds of a group, each in one version: the one that the server prefers
// for the group, or else the first that has the kind. A group that is not served has none.
func (c *Cluster) Group(ctx context.Context, group string) (kinds []Resource, err error) {
	g := &metav1.APIGroup{}
	if found, err := c.fetch(ctx, "/apis/"+group, g); err != nil || !found {
		return nil, err
	}
	for _, v := range append([]metav1.GroupVersionForDiscovery{g.PreferredVersion}, g.Versions...) {
		gv, err := schema.ParseGroupVersion(v.GroupVersion)
		if err != nil {
			return nil, err
		}
		if v == g.PreferredVersion && len(kinds) > 0 {
			continue
		}
		list, err := c.discover(ctx, gv)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if !slices.ContainsFunc(kinds, func(k Resource) bool { return k.Kind == r.Kind }) {
				kinds = append(kinds, r)
			}
		}
	}
	return kinds, nil
}

func notServed(apiVersion, kind string) error {
	return &Refusal{Reason: "crd-missing", Message: fmt.Sprintf("the cluster serves no %s of %s", kind, apiVersion), Hint: "install the CustomResourceDefinition first"}
}

// discover asks for the kinds of a group and version. It is one GET, in
// place of the discovery client and all that it brings along.
func (c *Cluster) discover(ctx context.Context, gv schema.GroupVersion) (kinds []Resource, err error) {
	path := "/apis/" + gv.Group + "/" + gv.Version
	if gv.Group == "" {
		path = "/api/" + gv.Version
	}
	list := &metav1.APIResourceList{}
	_, err = c.fetch(ctx, path, list)
	for _, r := range list.APIResources {
		if !strings.Contains(r.Name, "/") {
			kinds = append(kinds, Resource{APIVersion: gv.String(), Kind: r.Kind, Plural: r.Name})
		}
	}
	return kinds, err
}

// fetch reads one resource of discovery; 404 is found = false.
func (c *Cluster) fetch(ctx context.Context, path string, into any) (found bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.host+path, http.NoBody)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return false, c.explain(err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	switch res.StatusCode {
	case http.StatusOK:
		if err := json.NewDecoder(res.Body).Decode(into); err != nil {
			return false, fmt.Errorf("GET %s%s: the answer is no JSON: %w", c.host, path, err)
		}
		return true, nil
	case http.StatusNotFound:
		return false, nil
	case http.StatusUnauthorized:
		return false, c.explain(apierrors.NewUnauthorized("Unauthorized"))
	}
	return false, fmt.Errorf("%s: GET %s: %s", c.host, path, res.Status)
}

// explain turns trouble of the connection into words with the server's name.
func (c *Cluster) explain(err error) error {
	var dead *net.OpError
	var u *url.Error
	var unusable *wire.AnswerError
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &status) && status.Status().Message == "":
		return fmt.Errorf("%s: answered %d %s without a cause", c.host, status.Status().Code, status.Status().Reason)
	case errors.As(err, &unusable):
		return unusable // it names method and URL itself
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("%s: 401 Unauthorized: the credentials of the kubeconfig are not accepted", c.host)
	case errors.As(err, &dead):
		return fmt.Errorf("%s: %w", c.host, dead)
	case errors.As(err, &u):
		return fmt.Errorf("%s: %w", c.host, u.Err)
	}
	return err
}

// of returns the client for a resource; a resource without plural is looked up.
func (c *Cluster) of(ctx context.Context, r Resource) (dynamic.NamespaceableResourceInterface, error) {
	found, err := c.resource(ctx, r.APIVersion, r.Kind)
	if err != nil {
		return nil, err
	}
	gv, err := schema.ParseGroupVersion(r.APIVersion)
	if err != nil {
		return nil, err
	}
	return c.client.Resource(gv.WithResource(found.Plural)), nil
}

// List implements Target, page by page. An expired page token is answered by
// the server with one that goes on inconsistently; the items seen are kept.
func (c *Cluster) List(ctx context.Context, r Resource, each func(Object) error) error {
	return c.list(ctx, r, nil, each)
}

func (c *Cluster) list(ctx context.Context, r Resource, meter *Meter, each func(Object) error) error {
	client, err := c.of(ctx, r)
	if err != nil {
		return err
	}
	if r.Name != "" && r.Namespace != "" {
		o, err := c.Get(ctx, r, Ref{r.APIVersion, r.Kind, r.Namespace, r.Name})
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return each(o)
	}
	opts := metav1.ListOptions{Limit: pageSize}
	if r.Name != "" {
		opts.FieldSelector = "metadata.name=" + r.Name
	}
	var pages wire.Pages
	for first := true; ; first = false {
		page, err := inNamespace(client, r.Namespace).List(ctx, opts)
		if apierrors.IsResourceExpired(err) {
			var status apierrors.APIStatus
			if errors.As(err, &status) && status.Status().Continue != "" && pages.Next(status.Status().Continue, 0) == nil {
				opts.Continue = status.Status().Continue
				continue
			}
		}
		if err != nil {
			return fmt.Errorf("list %s: %w", r.Kind, c.explain(err))
		}
		kind := page.GetKind()
		if of := page.GetAPIVersion(); of != r.APIVersion || !strings.HasSuffix(kind, "List") {
			return fmt.Errorf("list %s: %s: the answer is no list of them, but a %s of %s", r.Kind, c.host, kind, of)
		}
		if left := page.GetRemainingItemCount(); left != nil && first {
			meter.Expect(*left)
		}
		if first {
			meter.Expect(int64(len(page.Items)))
		}
		for i := range page.Items {
			meter.Add(1)
			if is := page.Items[i].GetKind(); is != r.Kind && is != strings.TrimSuffix(kind, "List") {
				return fmt.Errorf("list %s: %s: the list has a %s, too", r.Kind, c.host, is)
			}
			o := page.Items[i].Object
			o["apiVersion"], o["kind"] = r.APIVersion, r.Kind
			if err := each(o); err != nil {
				return err
			}
		}
		opts.Continue = page.GetContinue()
		if left := page.GetRemainingItemCount(); opts.Continue == "" && left != nil && *left > 0 {
			return fmt.Errorf("list %s: %s: %d more are there, and the server names no next page", r.Kind, c.host, *left)
		}
		if opts.Continue == "" {
			return nil
		}
		if err := pages.Next(opts.Continue, len(page.Items)); err != nil {
			return fmt.Errorf("list %s: %s: %w", r.Kind, c.host, err)
		}
	}
}

// Get implements Target.
func (c *Cluster) Get(ctx context.Context, r Resource, ref Ref) (Object, error) {
	client, err := c.of(ctx, Resource{APIVersion: ref.APIVersion, Kind: ref.Kind, Plural: r.Plural})
	if err != nil {
		return nil, err
	}
	o, err := inNamespace(client, ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", ref, c.explain(err))
	}
	return o.Object, nil
}

func inNamespace(client dynamic.NamespaceableResourceInterface, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return client
	}
	return client.Namespace(namespace)
}

// Create implements Target.
func (c *Cluster) Create(ctx context.Context, r Resource, o Object) (Object, error) {
	return c.create(ctx, r, o, nil)
}

// Try has an object checked as Create would have it, with nothing stored. Its errors
// are those of Create.
func (c *Cluster) Try(ctx context.Context, r Resource, o Object) error {
	_, err := c.create(ctx, r, o, []string{metav1.DryRunAll})
	return err
}

func (c *Cluster) create(ctx context.Context, r Resource, o Object, dryRun []string) (Object, error) {
	client, err := c.of(ctx, r)
	if err != nil {
		return nil, err
	}
	ref := RefOf(o)
	made, err := inNamespace(client, ref.Namespace).Create(ctx, &unstructured.Unstructured{Object: o}, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict, DryRun: dryRun})
	if err == nil {
		return made.Object, nil
	}
	return nil, c.createError(ref, err)
}

// createError tells what is the object's own fault, and lets the rest go on,
// from what ends a run.
func (c *Cluster) createError(ref Ref, err error) error {
	text := err.Error()
	switch {
	case apierrors.IsAlreadyExists(err):
		return fs.ErrExist
	case apierrors.IsNotFound(err) && strings.Contains(text, "namespaces"):
		return &Refusal{Reason: "namespace-missing", Message: fmt.Sprintf("there is no namespace %s", ref.Namespace), Hint: "kubectl create namespace " + ref.Namespace}
	case apierrors.IsNotFound(err):
		return notServed(ref.APIVersion, ref.Kind)
	case strings.Contains(text, "admission webhook"), strings.Contains(text, "failed calling webhook"):
		return &Refusal{Reason: "webhook-refused", Message: text}
	case strings.Contains(text, "ValidatingAdmissionPolicy"):
		return &Refusal{Reason: "policy-refused", Message: text}
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return &Refusal{Reason: "invalid", Message: text}
	case apierrors.IsForbidden(err):
		return &Refusal{Reason: "forbidden", Message: text}
	case apierrors.IsRequestEntityTooLargeError(err), strings.Contains(text, "request is too large"), strings.Contains(text, "too large"):
		return &Refusal{Reason: "too-large", Message: text}
	}
	return c.explain(err)
}

// Delete implements Target: with the UID and resourceVersion that were looked
// at as preconditions.
func (c *Cluster) Delete(ctx context.Context, r Resource, s Stored) error {
	client, err := c.of(ctx, Resource{APIVersion: s.Ref.APIVersion, Kind: s.Ref.Kind, Plural: r.Plural})
	if err != nil {
		return err
	}
	uid := types.UID(s.UID)
	background := metav1.DeletePropagationBackground
	err = inNamespace(client, s.Ref.Namespace).Delete(ctx, s.Ref.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &s.version}, PropagationPolicy: &background,
	})
	switch {
	case apierrors.IsNotFound(err):
		return fs.ErrNotExist
	case apierrors.IsConflict(err):
		return errChanged
	case err != nil:
		return c.explain(err)
	}
	return nil
}

// A ClusterSource reads kinds of objects from a cluster.
type ClusterSource struct {
	Cluster *Cluster
	Kinds   []Resource // in this order; Plural need not be set
	Missing bool       // a kind that the cluster does not serve has no objects
	Meter   *Meter
}

// Objects implements Source.
func (s *ClusterSource) Objects(ctx context.Context, each func(Record) error) error {
	for _, r := range s.Kinds {
		err := s.Cluster.list(ctx, r, s.Meter, func(o Object) error {
			ref := RefOf(o)
			return each(Record{Object: o, Path: "cluster/" + strings.ToLower(ref.Kind)})
		})
		var refusal *Refusal
		if s.Missing && errors.As(err, &refusal) && refusal.Reason == "crd-missing" {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
