"""The kubeconfig of an EKS cluster."""

from tests.eks.cloud import CLOUD
from tests.kubeconfigs import kubeconfig_of


def test_aws_command():
    """For this region and cluster; the certificate is the cluster's own."""
    said = kubeconfig_of(CLOUD)

    command = said["users"][0]["user"]["exec"]
    assert command["command"] == "aws"
    assert command["args"] == ["eks", "get-token", "--region", "us-east-2", "--cluster-name", "c", "--output", "json"]
    assert sorted(said["clusters"][0]["cluster"]) == ["certificate-authority-data", "server"]


def test_how_to_install_the_aws_cli():
    """Whoever lacks it is told where it is."""
    command = kubeconfig_of(CLOUD)["users"][0]["user"]["exec"]

    assert command["installHint"] == (
        "install the AWS CLI: https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html"
    )
