package main

import (
	"context"
	"fmt"
	"sort"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	serviceapi "k8s.io/kubernetes/pkg/api/service"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
)

// builtin is a kind that Kubernetes itself has.
type builtin struct {
	scheme   *runtime.Scheme
	decoder  runtime.Decoder
	strategy rest.RESTCreateStrategy
	kind     schema.GroupVersionKind
	resource string
}

func builtinKinds() kinds {
	strict := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDecoder()
	served := kinds{}
	for _, each := range []struct {
		group, version, kind, resource string
		strategy                       rest.RESTCreateStrategy
	}{
		{"apps", "v1", "Deployment", "deployments", deployment.Strategy},
		{"apps", "v1", "StatefulSet", "statefulsets", statefulset.Strategy},
		{"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", horizontalpodautoscaler.Strategy},
		{"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", poddisruptionbudget.Strategy},
		{"", "v1", "ConfigMap", "configmaps", plain{legacyscheme.Scheme, true, configMapProblems, nil}},
		{"", "v1", "Service", "services", plain{legacyscheme.Scheme, true, serviceProblems, serviceWarnings}},
	} {
		gvk := schema.GroupVersionKind{Group: each.group, Version: each.version, Kind: each.kind}
		served[gvk] = builtin{legacyscheme.Scheme, strict, each.strategy, gvk, each.resource}
	}
	return served
}

func (b builtin) pattern() any {
	object, err := b.scheme.New(b.kind)
	if err != nil {
		panic(err)
	}
	return object
}

func (b builtin) create(text []byte) (problems, warnings []string) {
	object, _, err := b.decoder.Decode(text, nil, nil)
	problems = decodingProblems(err)
	if object == nil {
		return problems, nil
	}
	dropped, err := b.dropped(object)
	if err != nil {
		return append(problems, err.Error()), nil
	}
	for _, path := range dropped {
		problems = append(problems, path+": dropped: its feature is off in this version")
	}
	wrong, warnings := beforeCreate(b.strategy, object, b.kind, b.resource)
	return append(problems, wrong...), warnings
}

// dropped are the fields that the API server takes out without a word, since their feature is off.
func (b builtin) dropped(object runtime.Object) ([]string, error) {
	kept := object.DeepCopyObject()
	b.strategy.PrepareForCreate(requestContext(kept, b.kind, b.resource), kept)
	if apiequality.Semantic.DeepEqual(object, kept) {
		return nil, nil
	}
	before, err := b.fields(object)
	if err != nil {
		return nil, err
	}
	after, err := b.fields(kept)
	if err != nil {
		return nil, err
	}
	var paths []string
	missing("", before, after, &paths)
	sort.Strings(paths)
	return paths, nil
}

func (b builtin) fields(object runtime.Object) (map[string]any, error) {
	versioned, err := b.scheme.ConvertToVersion(object, b.kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
	// The API server owns both; a manifest that sets them is no worse for it.
	delete(content, "status")
	delete(content, "metadata")
	return content, err
}

// missing adds the paths of what is in `before` and not in `after`.
func missing(path string, before, after any, paths *[]string) {
	switch old := before.(type) {
	case map[string]any:
		kept, ok := after.(map[string]any)
		if !ok {
			*paths = append(*paths, path)
			return
		}
		for key, value := range old {
			inner := strings.TrimPrefix(path+"."+key, ".")
			if other, ok := kept[key]; ok {
				missing(inner, value, other, paths)
			} else {
				*paths = append(*paths, inner)
			}
		}
	case []any:
		kept, ok := after.([]any)
		if !ok || len(kept) != len(old) {
			*paths = append(*paths, path)
			return
		}
		for index, value := range old {
			missing(fmt.Sprintf("%s[%d]", path, index), value, kept[index], paths)
		}
	}
}

func serviceProblems(_ context.Context, object runtime.Object) field.ErrorList {
	service := object.(*core.Service)
	// The store does this before the strategy sees the object, as it would give an address to a service without one.
	if service.Spec.ClusterIP != "" && len(service.Spec.ClusterIPs) == 0 {
		service.Spec.ClusterIPs = []string{service.Spec.ClusterIP}
	}
	return corevalidation.ValidateServiceCreate(service)
}

func serviceWarnings(_ context.Context, object runtime.Object) []string {
	return serviceapi.GetWarningsForService(object.(*core.Service), nil)
}

func configMapProblems(_ context.Context, object runtime.Object) field.ErrorList {
	return corevalidation.ValidateConfigMap(object.(*core.ConfigMap))
}
