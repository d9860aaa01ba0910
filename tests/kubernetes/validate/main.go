// Command validate answers whether manifests are valid to the Kubernetes API, without a cluster.
//
// It runs the API server's own code as a create request would: strict decoding, defaulting, the registry's
// create strategy (validation, warnings, fields dropped because their feature is off), and for custom resources
// pruning, schema and CEL rules of the CustomResourceDefinitions in the folders named as arguments. Admission
// plugins, quotas and what is already stored are not looked at.
//
// It speaks in lines of JSON: a request per line on standard input, its answer on standard output.
//
//	-> {"text": "<YAML documents>", "patch": "<YAML documents, merged into those of the same kind and name>"}
//	<- {"objects": ["Deployment qwen"], "problems": ["Deployment qwen: spec.replicas: …"], "warnings": []}
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/klog/v2"
)

type request struct {
	Text  string `json:"text"`
	Patch string `json:"patch"`
}

type answer struct {
	Objects  []string `json:"objects"`
	Problems []string `json:"problems"`
	Warnings []string `json:"warnings"`
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(os.Stderr)
	kinds, err := servedKinds(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "validate:", err)
		os.Exit(1)
	}
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var asked request
			if wrong := json.Unmarshal(line, &asked); wrong != nil {
				fmt.Fprintln(os.Stderr, "validate: a request is a line of JSON:", wrong)
				os.Exit(1)
			}
			if wrong := out.Encode(kinds.answerTo(asked)); wrong != nil {
				fmt.Fprintln(os.Stderr, "validate:", wrong)
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}
