"""The kubeconfig of an EKS cluster."""

from tests.eks.cloud import CLOUD
from tests.kubeconfigs import kubeconfig_of


def test_the_aws_command_is_for_this_region_and_cluster():
    """The certificate is the cluster's own, and whoever lacks the command hears where it is."""
    said = kubeconfig_of(CLOUD)
    command = said["users"][0]["user"]["exec"]

    assert command["command"] == "aws" and "docs.aws.amazon.com/cli" in command["installHint"]
    assert command["args"] == ["eks", "get-token", "--region", "us-east-2", "--cluster-name", "c", "--output", "json"]
    assert sorted(said["clusters"][0]["cluster"]) == ["certificate-authority-data", "server"]
