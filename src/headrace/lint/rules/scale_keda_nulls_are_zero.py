"""No data is read as no demand.

A KEDA prometheus trigger without ``ignoreNullValues: "false"``.

Why:
    By default an empty result counts as 0. When Prometheus restarts, a label changes or all pods are loading, KEDA
    sees an idle model and scales it down under load.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--max-num-seqs=64"]
    ---
    apiVersion: keda.sh/v1alpha1
    kind: ScaledObject
    metadata: {name: llama}
    spec:
      scaleTargetRef: {name: llama}
      minReplicaCount: 2
      maxReplicaCount: 8
      triggers:
      - type: prometheus
        metadata:
          serverAddress: http://prometheus:9090
          query: 'sum(vllm:num_requests_running{model_name="llama"})'
          threshold: "38"

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--max-num-seqs=64"]
    ---
    apiVersion: keda.sh/v1alpha1
    kind: ScaledObject
    metadata: {name: llama}
    spec:
      scaleTargetRef: {name: llama}
      minReplicaCount: 2
      maxReplicaCount: 8
      triggers:
      - type: prometheus
        metadata:
          serverAddress: http://prometheus:9090
          query: 'sum(vllm:num_requests_running{model_name="llama"})'
          threshold: "38"
          ignoreNullValues: "false"

Fix:
    ignoreNullValues: "false", so that an empty result is an error, with a fallback for as long as it lasts.

Source:
    KEDA documentation: Prometheus scaler.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.change import AddKey, SetScalar
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import is_known, mapping, scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each trigger that does."""
    for scaler, _ in scaled_servers(bundle):
        for metric in scaler.metrics:
            written = scalar(metric.node, "metadata", "ignoreNullValues")
            if metric.source != "prometheus" or (written is not None and written.text.lower() == "false"):
                continue
            if written is not None and not is_known(written.text):
                continue
            holder = mapping(metric.node, "metadata")
            if holder is None:
                continue
            change = (
                SetScalar(written, "false" if written.style else '"false"')
                if written
                else AddKey(holder, "ignoreNullValues", '"false"')
            )
            yield Hit(
                scaler.resource,
                "an empty result counts as 0 requests here, so that a gap in the metrics scales "
                "the model down",
                written or holder,
                help='ignoreNullValues: "false"',
                changes=(change,),
            )


RULE = Rule("warning", "high", check, __doc__ or "")
