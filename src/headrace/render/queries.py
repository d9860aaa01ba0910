"""PromQL for one fleet, shared by alerts, dashboard and KEDA: demand, replicas, slots, queue time."""

from __future__ import annotations

from headrace.render.setting import Setting


def series(setting: Setting) -> str:
    """Label matchers of the engine's series."""
    if setting.fleet.alerts.series:
        return setting.fleet.alerts.series
    matchers = [f'model_name="{setting.served_name}"']
    if setting.server.namespace:
        matchers.insert(0, f'namespace="{setting.server.namespace}"')
    return ",".join(matchers)


def of_object(setting: Setting, label: str) -> str:
    """Label matchers of kube-state-metrics for an object of the fleet's name."""
    matchers = [f'{label}="{setting.name}"']
    if setting.server.namespace:
        matchers.insert(0, f'namespace="{setting.server.namespace}"')
    return ",".join(matchers)


def of_pods(setting: Setting) -> str:
    """Label matchers of kube-state-metrics for the Deployment's pods."""
    matchers = [f'pod=~"{setting.name}-[0-9a-z]+-[0-9a-z]+"']
    if setting.server.namespace:
        matchers.insert(0, f'namespace="{setting.server.namespace}"')
    return ",".join(matchers)


def running(setting: Setting) -> str:
    """Requests that execute."""
    return f"sum({setting.metric(setting.engine.running)}{{{series(setting)}}})"


def waiting(setting: Setting) -> str:
    """Requests that wait in the engines."""
    return f"sum({setting.metric(setting.engine.waiting)}{{{series(setting)}}})"


def demand(setting: Setting) -> str:
    """Slots that are asked for."""
    return f"{running(setting)} + {waiting(setting)}"


def ready(setting: Setting) -> str:
    """Replicas that serve: ready endpoints of the Service; where kube-state-metrics shows none, the Deployment's."""
    endpoints = f'kube_endpoint_address{{{of_object(setting, "endpoint")},ready="true"}}'
    replicas = f"kube_deployment_status_replicas_ready{{{of_object(setting, 'deployment')}}}"
    return f"(count({endpoints} == 1) or max({replicas}))"


def slots(setting: Setting) -> str:
    """Requests that the ready replicas execute at once: it moves whenever the autoscaler does."""
    return f"({ready(setting)} * {setting.slots})"


def wanted(setting: Setting) -> str:
    """Replicas that somebody has asked for."""
    return f"max(kube_deployment_spec_replicas{{{of_object(setting, 'deployment')}}})"


def queue_quantile(setting: Setting, quantile: float, window: str) -> str:
    """Queue time of the requests that ended, at a quantile."""
    name = setting.metric(setting.engine.queue_time)
    return (
        f"histogram_quantile({quantile:g}, sum by (le) (rate({name}_bucket{{{series(setting)}}}[{window}])))"
    )


def cut_ratio(setting: Setting, window: str) -> str:
    """Share of the requests that ended by abort or error; empty where the engine doesn't say how they ended."""
    if not has_reasons(setting):
        return ""
    name, matchers = setting.metric(setting.engine.finished), series(setting)
    cut = f'sum(rate({name}{{{matchers},finished_reason=~"abort|error"}}[{window}]))'
    return f"{cut} / sum(rate({name}{{{matchers}}}[{window}]))"


def has_reasons(setting: Setting) -> bool:
    """Whether finished requests are counted by the reason: vLLM does, SGLang doesn't."""
    return setting.engine.name == "vllm"


def starting_age(setting: Setting, over_s: float = 0.0) -> str:
    """Ages of the pods that are not ready; those that leave or have ended are left out.

    A pod that finds no node has no condition Ready at all, so it is taken for one that is not.

    Args:
        setting: The fleet.
        over_s: Only those older than this that were not ready once in as long; 0: all that are not ready now.
    """
    pods = of_pods(setting)
    now = f'kube_pod_status_ready{{{pods},condition="true"}}'
    been = f"max_over_time({now}[{over_s:.0f}s])" if over_s else now
    older = f" > {over_s:.0f}" if over_s else ""
    each = "max by (namespace, pod)"
    return "\n".join(
        (
            f"{each} (time() - kube_pod_created{{{pods}}}){older}",
            f"unless {each} ({been} == 1)",
            f"unless {each} (kube_pod_deletion_timestamp{{{pods}}})",
            f'unless {each} (kube_pod_status_phase{{{pods},phase=~"Failed|Succeeded"}} == 1)',
        )
    )
