"""Look-ups of Oracle: full names of availability domains, the home region, certificates, images, versions."""

from collections.abc import Callable
from typing import TypeVar

import pulumi
import pulumi_oci as oci
import yaml
from ..catalog.oke_releases import OkeAddon
from ..component.frame import computed
from .plan.cluster import check_offered, system_image
from .plan.zones import domain_number, domain_of

T = TypeVar("T")
U = TypeVar("U")


def cleanly(judge: Callable[[T], U]) -> Callable[[T], U]:
    """``judge`` with its ``LookupError`` made an error that the engine prints without a traceback."""

    def judged(value: T) -> U:
        try:
            return judge(value)
        except LookupError as refused:
            raise pulumi.RunError(str(refused)) from None

    return judged


def availability_domain(zone: str, tenancy: pulumi.Input[str], parent: pulumi.Resource) -> pulumi.Output[str]:
    """The full name of an availability domain that may be named by its number."""
    number = domain_number(zone)
    if number is None:
        return pulumi.Output.from_input(zone)
    ask = pulumi.InvokeOutputOptions(parent=parent)
    result = oci.identity.get_availability_domains_output(compartment_id=tenancy, opts=ask)
    domain = cleanly(lambda domains: domain_of([each.name for each in domains], number))
    return computed(result.availability_domains, domain, zone)


def home_region(tenancy: pulumi.Input[str], parent: pulumi.Resource) -> pulumi.Output[str]:
    """The region where IAM is written."""
    ask = pulumi.InvokeOutputOptions(parent=parent)
    result = oci.identity.get_region_subscriptions_output(tenancy_id=tenancy, opts=ask)
    return computed(
        result.region_subscriptions,
        lambda regions: next(str(each.region_name) for each in regions if each.is_home_region),
        "",
    )


def ca_certificate(cluster: pulumi.Input[str], parent: pulumi.Resource) -> pulumi.Output[str]:
    """Base64 CA certificate of a cluster. Only the kubeconfig that Oracle writes has it."""
    result = oci.containerengine.get_cluster_kube_config_output(
        cluster_id=cluster, token_version="2.0.0", opts=pulumi.InvokeOutputOptions(parent=parent)
    )
    return computed(
        result.content,
        lambda text: str(yaml.safe_load(text)["clusters"][0]["cluster"]["certificate-authority-data"]),
        "",
    )


def node_image(version: str, compartment: pulumi.Input[str], parent: pulumi.Resource) -> pulumi.Output[str]:
    """OCID of OKE's own image for system nodes."""
    result = oci.containerengine.get_node_pool_option_output(
        node_pool_option_id="all",
        compartment_id=compartment,
        node_pool_k8s_version=f"v{version}",
        opts=pulumi.InvokeOutputOptions(parent=parent),
    )
    image = cleanly(lambda sources: system_image({each.source_name: each.image_id for each in sources}, version))
    return computed(result.sources, image, "")


def addon_version(addon: OkeAddon, version: str, parent: pulumi.Resource) -> pulumi.Output[str] | None:
    """The pinned version of an add-on, checked against what OKE offers; ``None`` where OKE chooses."""
    pinned = addon.version
    if pinned is None:
        return None
    result = oci.containerengine.get_addon_options_output(
        kubernetes_version=f"v{version}",
        addon_name=addon.name,
        should_show_all_versions=True,
        opts=pulumi.InvokeOutputOptions(parent=parent),
    )
    offered = cleanly(
        lambda options: check_offered(
            addon.name, pinned, [each.version_number for option in options for each in option.versions]
        )
    )
    return computed(result.addon_options, offered, pinned)
