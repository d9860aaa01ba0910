package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// kind is a kind of object that the API server takes.
type kind interface {
	// create is a create request with the object's YAML: its problems and its warnings.
	create(text []byte) (problems, warnings []string)
	// pattern is a value of the Go type that tells a strategic merge how lists are keyed; nil: a plain merge.
	pattern() any
}

type kinds map[schema.GroupVersionKind]kind

// document is one YAML document with what it says about itself.
type document struct {
	text       []byte
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
}

func (d document) name() string { return strings.TrimSpace(d.Kind + " " + d.Metadata.Name) }

func (d document) gvk() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(d.APIVersion, d.Kind)
}

func (served kinds) answerTo(asked request) answer {
	given := answer{Objects: []string{}, Problems: []string{}, Warnings: []string{}}
	documents, err := documentsOf(asked.Text)
	if err == nil {
		documents, err = served.patched(documents, asked.Patch)
	}
	if err != nil {
		given.Problems = append(given.Problems, err.Error())
		return given
	}
	if len(documents) == 0 {
		given.Problems = append(given.Problems, "no document")
	}
	for _, each := range documents {
		given.Objects = append(given.Objects, each.name())
		found, ok := served[each.gvk()]
		if !ok {
			given.Problems = append(given.Problems, fmt.Sprintf("%s: no kind %q in version %q is known here", each.name(), each.Kind, each.APIVersion))
			continue
		}
		problems, warnings := found.create(each.text)
		for _, problem := range problems {
			given.Problems = append(given.Problems, each.name()+": "+problem)
		}
		for _, warning := range warnings {
			given.Warnings = append(given.Warnings, each.name()+": "+warning)
		}
	}
	return given
}

// documentsOf splits at the lines with three dashes, as kubectl does; documents without content are none.
func documentsOf(text string) ([]document, error) {
	var found []document
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		part, err := reader.Read()
		if err != nil {
			return found, nil
		}
		content, err := yaml.YAMLToJSON(part)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(bytes.TrimSpace(content), []byte("null")) {
			continue
		}
		each := document{text: part}
		if err := json.Unmarshal(content, &each); err != nil {
			return nil, fmt.Errorf("a document that is no object: %w", err)
		}
		found = append(found, each)
	}
}

// patched merges each document of a patch into the one of the same kind and name.
func (served kinds) patched(documents []document, patch string) ([]document, error) {
	parts, err := documentsOf(patch)
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	for _, part := range parts {
		found := false
		for index, each := range documents {
			if each.gvk() != part.gvk() || each.Metadata.Name != part.Metadata.Name {
				continue
			}
			found = true
			if documents[index].text, err = served.merged(each, part); err != nil {
				return nil, fmt.Errorf("patch: %s: %w", part.name(), err)
			}
		}
		if !found {
			return nil, fmt.Errorf("patch: %s: no such object", part.name())
		}
	}
	return documents, nil
}

func (served kinds) merged(old, patch document) ([]byte, error) {
	oldJSON, err := yaml.YAMLToJSONStrict(old.text)
	if err != nil {
		return nil, err
	}
	patchJSON, err := yaml.YAMLToJSONStrict(patch.text)
	if err != nil {
		return nil, err
	}
	if found, ok := served[old.gvk()]; ok && found.pattern() != nil {
		return strategicpatch.StrategicMergePatch(oldJSON, patchJSON, found.pattern())
	}
	return jsonpatch.MergePatch(oldJSON, patchJSON)
}
