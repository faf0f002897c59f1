"""Kubeconfigs of all clouds name a command for a token and hold none."""

import pytest
from tests.clouds import CloudTests, clouds
from tests.kubeconfigs import kubeconfig_of

WITH_KUBERNETES = [cloud for cloud in clouds() if cloud.has_kubernetes]


@pytest.mark.parametrize("cloud", WITH_KUBERNETES, ids=lambda cloud: cloud.name)
def test_the_current_context_leads_to_a_cluster_and_a_user(cloud: CloudTests):
    said = kubeconfig_of(cloud)

    contexts, clusters, users = (
        {each["name"]: each for each in said[key]} for key in ("contexts", "clusters", "users")
    )
    context = contexts[said["current-context"]]["context"]
    assert clusters[context["cluster"]]["cluster"]["server"].startswith("https://")
    assert users[context["user"]]["user"]["exec"]["command"]


@pytest.mark.parametrize("cloud", WITH_KUBERNETES, ids=lambda cloud: cloud.name)
def test_a_user_has_a_command_for_a_token_and_no_credential(cloud: CloudTests):
    said = kubeconfig_of(cloud)

    assert [list(each["user"]) for each in said["users"]] == [["exec"]]
    assert said["users"][0]["user"]["exec"]["apiVersion"].startswith("client.authentication.k8s.io/")
