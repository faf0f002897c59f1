"""An AKS stack for SkyPilot: device plugins, its label, and what a task must say."""

from tests.aks.plans import pool, stack_plan


def test_a_stack_for_skypilot_has_device_plugins_and_its_label():
    """A task's pods add NICs, and mounts but for their own /dev/shm."""
    plan = stack_plan(pool(), skypilot=True)
    (of_pool,) = plan.pools
    spec = plan.skypilot["kubernetes"]["pod_config"]["spec"]
    (container,) = spec["containers"]

    assert of_pool.labels == {"skypilot.co/accelerator": "h100"}
    assert of_pool.gpu_allocation.value == "device-plugin"
    assert container["resources"] == {"limits": {"rdma/ib": "8"}, "requests": {"rdma/ib": "8"}}
    assert container["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}
    assert container.keys() == {"env", "resources", "securityContext", "volumeMounts"}
    assert [each["name"] for each in spec["volumes"]] == [each["name"] for each in container["volumeMounts"]]
    assert container["volumeMounts"] and all(each["mountPath"] != "/dev/shm" for each in container["volumeMounts"])
    assert any("network_tier: best runs on TCP" in each for each in plan.warnings)
    usual = stack_plan()
    assert (usual.skypilot, [each for each in usual.warnings if "skypilot" in each]) == ({}, [])


def test_labels_of_the_user_stay():
    """SkyPilot's own label stays, too."""
    (of_pool,) = stack_plan(pool(labels={"skypilot.co/accelerator": "mine", "a": "b"}), skypilot=True).pools

    assert of_pool.labels == {"skypilot.co/accelerator": "mine", "a": "b"}
