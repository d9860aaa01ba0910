package main

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/apiserver/pkg/warning"
)

// recorder keeps the warnings that a client would be shown.
type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) { r.texts = append(r.texts, text) }

// requestContext is that of a create request in the object's namespace, or in "default".
func requestContext(object runtime.Object, gvk schema.GroupVersionKind, resource string) context.Context {
	namespace := "default"
	if accessor, err := meta.Accessor(object); err == nil && accessor.GetNamespace() != "" {
		namespace = accessor.GetNamespace()
	}
	ctx := genericapirequest.WithNamespace(context.Background(), namespace)
	return genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIPrefix: "apis", Namespace: namespace,
		APIGroup: gvk.Group, APIVersion: gvk.Version, Resource: resource,
	})
}

// beforeCreate does what the API server does with a decoded object before it would store it.
func beforeCreate(strategy rest.RESTCreateStrategy, object runtime.Object, gvk schema.GroupVersionKind, resource string) (problems, warnings []string) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return []string{err.Error()}, nil
	}
	heard := &recorder{}
	ctx := warning.WithWarningRecorder(requestContext(object, gvk, resource), heard)
	namespace, _ := genericapirequest.NamespaceFrom(ctx)
	if strategy.NamespaceScoped() {
		accessor.SetNamespace(namespace)
	}
	rest.FillObjectMetaSystemFields(accessor)
	if accessor.GetName() == "" && accessor.GetGenerateName() != "" {
		accessor.SetName(strategy.GenerateName(accessor.GetGenerateName()))
	}
	return createProblems(rest.BeforeCreate(strategy, ctx, object)), heard.texts
}

func createProblems(err error) []string {
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return []string{err.Error()}
	}
	var problems []string
	for _, cause := range status.Status().Details.Causes {
		problems = append(problems, cause.Field+": "+cause.Message)
	}
	return problems
}

func decodingProblems(err error) []string {
	if err == nil {
		return nil
	}
	strict, ok := runtime.AsStrictDecodingError(err)
	if !ok {
		return []string{err.Error()}
	}
	var problems []string
	for _, each := range strict.Errors() {
		problems = append(problems, each.Error())
	}
	return problems
}

// plain is a create strategy from the API's validation functions. It stands where the registry's own strategy
// would bring a client of etcd with it (twice as much to compile) and does no more than call these.
type plain struct {
	runtime.ObjectTyper
	namespaced bool
	validate   func(context.Context, runtime.Object) field.ErrorList
	warnings   func(context.Context, runtime.Object) []string
}

func (p plain) GenerateName(base string) string { return names.SimpleNameGenerator.GenerateName(base) }

func (p plain) NamespaceScoped() bool { return p.namespaced }

func (p plain) PrepareForCreate(context.Context, runtime.Object) {}

func (p plain) Validate(ctx context.Context, object runtime.Object) field.ErrorList {
	return p.validate(ctx, object)
}

func (p plain) WarningsOnCreate(ctx context.Context, object runtime.Object) []string {
	if p.warnings == nil {
		return nil
	}
	return p.warnings(ctx, object)
}

func (p plain) Canonicalize(runtime.Object) {}
