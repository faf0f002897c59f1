// Kyverno's own engine for one policy: reads {"policy": MutatingPolicy, "pods": [...]} and prints each pod as the
// policy leaves it, null where it does not match.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	policiesv1beta1 "github.com/kyverno/api/api/policies.kyverno.io/v1beta1"
	"github.com/kyverno/kyverno/pkg/cel/policies/mpol/compiler"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/client-go/openapi/openapitest"
)

type asked struct {
	Policy policiesv1beta1.MutatingPolicy `json:"policy"`
	Pods   []map[string]any               `json:"pods"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var in asked
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		return err
	}
	policy, errs := compiler.NewCompiler().Compile(&in.Policy, nil)
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	ctx := context.Background()
	// Only an ApplyConfiguration asks for types.
	types := patch.NewTypeConverterManager(nil, openapitest.NewFakeClient())
	out := make([]map[string]any, 0, len(in.Pods))
	for _, pod := range in.Pods {
		object := &unstructured.Unstructured{Object: pod}
		kind := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
		resource := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
		attributes := admission.NewAttributesRecord(
			object, nil, kind, "default", object.GetName(), resource, "", admission.Create, nil, false, nil,
		)
		request := admissionv1.AdmissionRequest{
			Operation: admissionv1.Create,
			Namespace: "default",
			Kind:      metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Resource:  metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
		}
		result := policy.Evaluate(ctx, attributes, nil, request, types, nil)
		switch {
		case result == nil:
			out = append(out, nil)
		case result.Error != nil:
			return fmt.Errorf("%s: %w", object.GetName(), result.Error)
		default:
			out = append(out, result.PatchedResource.Object)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}
