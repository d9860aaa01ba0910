package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/registry/rest"
)

// custom is one version of a kind that a CustomResourceDefinition adds.
type custom struct {
	decoder    runtime.Decoder
	structural *structuralschema.Structural
	strategy   rest.RESTCreateStrategy
	kind       schema.GroupVersionKind
	resource   string
}

// servedKinds are Kubernetes' own and those of the CustomResourceDefinitions in the folders.
func servedKinds(folders []string) (kinds, error) {
	served := builtinKinds()
	scheme := runtime.NewScheme()
	extinstall.Install(scheme)
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: no CustomResourceDefinition here", folder)
		}
		for _, file := range files {
			if err := served.add(scheme, file); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return served, nil
}

func (served kinds) add(scheme *runtime.Scheme, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	documents, err := documentsOf(string(text))
	if err != nil {
		return err
	}
	decoder := serializer.NewCodecFactory(scheme).UniversalDecoder(extv1.SchemeGroupVersion)
	for _, each := range documents {
		object, _, err := decoder.Decode(each.text, nil, nil)
		if err != nil {
			return err
		}
		definition, ok := object.(*extv1.CustomResourceDefinition)
		if !ok {
			return fmt.Errorf("a %s; only CustomResourceDefinitions are read", each.Kind)
		}
		for _, version := range definition.Spec.Versions {
			if !version.Served {
				continue
			}
			gvk := schema.GroupVersionKind{Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind}
			if served[gvk], err = newCustom(definition, gvk); err != nil {
				return err
			}
		}
	}
	return nil
}

func newCustom(definition *extv1.CustomResourceDefinition, gvk schema.GroupVersionKind) (kind, error) {
	given, err := apihelpers.GetSchemaForVersion(definition, gvk.Version)
	if err != nil {
		return nil, err
	}
	if given == nil {
		return nil, fmt.Errorf("no schema for version %s", gvk.Version)
	}
	internal := &apiextensions.CustomResourceValidation{}
	if err := extv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(given, internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	namespaced := definition.Spec.Scope == extv1.NamespaceScoped
	typer := unstructuredscheme.NewUnstructuredObjectTyper()
	creator := unstructuredscheme.NewUnstructuredCreator()
	return custom{
		decoder: serializerjson.NewSerializerWithOptions(serializerjson.DefaultMetaFactory, creator, typer,
			serializerjson.SerializerOptions{Yaml: true, Strict: true}),
		structural: structural,
		strategy: plain{typer, namespaced, func(ctx context.Context, object runtime.Object) field.ErrorList {
			return customProblems(ctx, object.(*unstructured.Unstructured), namespaced, validator, structural, rules)
		}, nil},
		kind:     gvk,
		resource: definition.Spec.Names.Plural,
	}, nil
}

// customProblems are in the API server's order: rules in CEL only where the object has the schema's shape. Objects
// embedded in an object (x-kubernetes-embedded-resource) are not looked into; none of the definitions here has one.
func customProblems(ctx context.Context, object *unstructured.Unstructured, namespaced bool, validator validation.SchemaValidator,
	structural *structuralschema.Structural, rules *cel.Validator) field.ErrorList {
	wrong := apivalidation.ValidateObjectMetaAccessor(object, namespaced, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	wrong = append(wrong, validation.ValidateCustomResource(nil, object.Object, validator)...)
	wrong = append(wrong, listtype.ValidateListSetsAndMaps(nil, structural, object.Object)...)
	if len(wrong) > 0 || rules == nil {
		return wrong
	}
	broken, _ := rules.Validate(ctx, nil, structural, object.Object, nil, celconfig.RuntimeCELCostBudget)
	return broken
}

func (c custom) pattern() any { return nil }

func (c custom) create(text []byte) (problems, warnings []string) {
	decoded, _, err := c.decoder.Decode(text, nil, nil)
	problems = decodingProblems(err)
	object, ok := decoded.(*unstructured.Unstructured)
	if !ok {
		return problems, nil
	}
	unknown, err := c.pruned(object)
	if err != nil {
		return append(problems, err.Error()), nil
	}
	for _, path := range unknown {
		problems = append(problems, fmt.Sprintf("unknown field %q", path))
	}
	defaulting.Default(object.Object, c.structural)
	wrong, warnings := beforeCreate(c.strategy, object, c.kind, c.resource)
	// The schema is walked in no fixed order.
	sort.Strings(wrong)
	return append(problems, wrong...), warnings
}

// pruned takes out what the schema does not have, and names it; the order is the API server's.
func (c custom) pruned(object *unstructured.Unstructured) ([]string, error) {
	metadata, found, unknown, err := objectmeta.GetObjectMetaWithOptions(object.Object, objectmeta.ObjectMetaOptions{
		ReturnUnknownFieldPaths: true,
	})
	if err != nil {
		return nil, err
	}
	unknown = append(unknown, pruning.PruneWithOptions(object.Object, c.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, c.structural)
	wrong, paths := objectmeta.CoerceWithOptions(nil, object.Object, c.structural, false, objectmeta.CoerceOptions{
		ReturnUnknownFieldPaths: true,
	})
	if wrong != nil {
		return nil, wrong
	}
	object.SetGroupVersionKind(c.kind)
	if found {
		if err := objectmeta.SetObjectMeta(object.Object, metadata); err != nil {
			return nil, err
		}
	}
	return append(unknown, paths...), nil
}
