"""What is kept of a manifest is enough to make its pods again, and is not its text."""

import yaml
from .manifests import pod_of
from .record import record

PAGE = """Some words.

```yaml
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    metadata: {labels: {app: train}}
    spec:
      hostNetwork: true
      initContainers:
      - {name: fetch, image: fetch:1, command: [fetch, secret-words]}
      containers:
      - name: main
        image: train:1
        args: [secret-words]
        env: [{name: NCCL_DEBUG, value: secret-words}]
        resources: {limits: {nvidia.com/gpu: 8}, requests: }
        volumeMounts: [{name: shm, mountPath: /dev/shm}, {name: data, mountPath: /data}]
      volumes:
      - {name: shm, emptyDir: {medium: Memory}}
      - {name: data, hostPath: {path: /secret-words}}
```
"""


def test_a_record():
    """Names, resources, mounts and kinds of volumes; neither arguments nor values."""
    found = record(PAGE, "somebody/manifests/docs/train.md@0", "2026-11-23", "Apache-2.0", 0)
    spec = pod_of(found["pods"][0])["spec"]

    assert "secret-words" not in yaml.safe_dump(found)
    assert (found["kind"], found["source"]["path"], found["pods"][0]["at"]) == ("Job", "docs/train.md", "spec.template")
    assert spec["hostNetwork"] is True
    assert [each["name"] for each in (*spec["initContainers"], *spec["containers"])] == ["fetch", "main"]
    (main,) = spec["containers"]
    assert main["resources"] == {"limits": {"nvidia.com/gpu": 8}, "requests": None}
    assert main["volumeMounts"] == [{"name": "shm", "mountPath": "/dev/shm"}, {"name": "data", "mountPath": "/data"}]
    assert [each["name"] for each in main["env"]] == ["NCCL_DEBUG"]
    assert spec["volumes"][0] == {"name": "shm", "emptyDir": {"medium": "Memory"}}
    assert list(spec["volumes"][1]) == ["name", "hostPath"]
