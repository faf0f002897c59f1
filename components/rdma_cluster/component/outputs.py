"""The shapes of what components show: outputs that are sets of keys, as Kubernetes and JSON spell them."""

from typing import Any, NotRequired

from typing_extensions import TypedDict


class PodToleration(TypedDict):
    """A taint that a pod takes no offence at."""

    key: str
    """Key of the taint."""
    operator: str
    """``Equal``."""
    value: str
    """Value of the taint."""
    effect: str
    """``NoSchedule``."""


class PodVariable(TypedDict):
    """A variable of a container's environment."""

    name: str
    """Its name."""
    value: str
    """Its value."""


class PodMount(TypedDict):
    """Where a container mounts a volume."""

    name: str
    """Name of the volume."""
    mountPath: str
    """Folder or file in the container."""
    subPath: NotRequired[str]
    """The one file of the volume that is mounted."""
    readOnly: NotRequired[bool]
    """True, else not there."""


class HostFolder(TypedDict):
    """A folder of the node."""

    path: str
    """Its path."""


class PodVolume(TypedDict):
    """A volume of a pod, of one of three kinds."""

    name: str
    """Its name."""
    hostPath: NotRequired[HostFolder]
    """A folder of the node."""
    configMap: NotRequired[dict[str, str]]
    """``name`` of a ConfigMap."""
    emptyDir: NotRequired[dict[str, str]]
    """``medium`` and ``sizeLimit`` of memory."""


class PodResources(TypedDict):
    """What a container asks device plugins for."""

    limits: NotRequired[dict[str, str]]
    """Numbers by resource."""


class PodSecurity(TypedDict):
    """The security context of a container."""

    capabilities: dict[str, list[str]]
    """Those to ``add``."""
    privileged: NotRequired[bool]
    """True, else not there."""


class PodSidecar(TypedDict):
    """A container that runs beside the program, as an init container that is started again for ever."""

    name: str
    """Its name."""
    image: str
    """Its image."""
    restartPolicy: str
    """``Always``."""
    command: list[str]
    """What it runs."""
    env: list[PodVariable]
    """Its environment."""
    securityContext: PodSecurity
    """Its security context."""
    volumeMounts: list[PodMount]
    """Where it mounts the pod's volumes."""
    startupProbe: NotRequired[dict[str, Any]]
    """When it is ready, as Kubernetes has it; there where the program must wait for it."""


class PoolWorkload(TypedDict):
    """What a pod adds to its spec, and its containers to theirs, to run on a pool."""

    nodeSelector: dict[str, str]
    """Labels of the pool's nodes."""
    tolerations: list[PodToleration]
    """Tolerations of the pool's taints."""
    claimTemplates: list[str]
    """Names of the ResourceClaimTemplates, one claim of each a pod; empty without DRA."""
    resources: PodResources
    """``limits`` by resource, of a container that takes the whole machine; empty where claims hand everything out."""
    volumes: list[PodVolume]
    """The pod's volumes."""
    volumeMounts: list[PodMount]
    """Where a container mounts them."""
    env: list[PodVariable]
    """Environment of a container: ``name`` and ``value``."""
    source: str
    """Where the environment's values were read."""
    securityContext: PodSecurity
    """Of a container."""
    imageHint: str
    """An image that holds nccl-tests for this fabric and architecture; empty where none is known."""
    annotations: NotRequired[dict[str, str]]
    """Annotations of the pod; missing where the fabric has none."""
    initContainers: NotRequired[list[PodSidecar]]
    """Sidecars; there where the fabric has them."""
    hostNetwork: NotRequired[bool]
    """True where the fabric's NICs are in the node's network namespace, else not there."""


class DockerWorkload(TypedDict):
    """What a container adds to run on a plain machine."""

    docker: list[str]
    """Arguments of ``docker run``."""
    image: str
    """An image that holds nccl-tests for this fabric."""


class NamedMachine(TypedDict):
    """A plain machine."""

    name: str
    """Its name, which is its host name."""
    address: str
    """Its address on its first network."""


class BusbwThreshold(TypedDict):
    """The least bus bandwidth from a message size on."""

    fromBytes: int
    """Size of a message."""
    busbwGBytes: float
    """Bus bandwidth in GB/s."""


class FabricProof(TypedDict):
    """Whether a fabric is proven, and by what; one that is not tested has a status and a reason."""

    status: str
    """``proven`` or ``not proven``."""
    reason: NotRequired[str]
    """Why there is no test."""
    due: NotRequired[str]
    """Why the proof is an earlier one and another test is due: its nodes were in use."""
    provenAt: NotRequired[str]
    """When its test ended."""
    provenBy: NotRequired[str]
    """The release that ran it."""
    collective: NotRequired[str]
    """The collective of nccl-tests that was judged."""
    also: NotRequired[list[str]]
    """Further collectives."""
    tests: NotRequired[int]
    """How many tests ran, one after the other."""
    gpusPerNode: NotRequired[int]
    """GPUs that the test took of each node."""
    thresholds: NotRequired[dict[str, list[BusbwThreshold]]]
    """By collective, what was asked from each size on."""
    waived: NotRequired[list[str]]
    """Gates that were not judged."""
    seconds: NotRequired[int]
    """How long the test took, pulls of its images included."""
    log: NotRequired[str]
    """The command that shows the log."""
    verdict: NotRequired[str]
    """The judge's text, of plain machines."""


class PoolProof(FabricProof):
    """Whether a pool's fabric is proven, and by what; a pool that is not tested has a status and a reason."""

    nvlink: NotRequired[FabricProof]
    """The proof by the pool's test over NVLink between nodes, where it has one."""


class ServedModel(TypedDict):
    """What is served; empty where nothing is."""

    model: NotRequired[str]
    """The model's name."""
    pool: NotRequired[str]
    """The pool that serves it."""
    endpoint: NotRequired[str]
    """Where it is asked, inside the cluster: OpenAI's API below ``/v1``."""
    status: NotRequired[str]
    """``served`` or ``not served``."""


class StoredData(TypedDict):
    """Where data is kept, and what pods name of it; empty where nothing is."""

    kind: NotRequired[str]
    """``objectStore``, ``lustre`` or ``existing``."""
    claim: NotRequired[str]
    """Name of the PersistentVolumeClaim; empty where there is none."""
    namespaces: NotRequired[list[str]]
    """Namespaces that hold the claim."""
    annotations: NotRequired[dict[str, str]]
    """What pods that mount it carry."""
    storageClass: NotRequired[str]
    """Name of the StorageClass."""
    volume: NotRequired[str]
    """Name of the PersistentVolume."""
    store: NotRequired[str]
    """What it is, for people: ``gs://BUCKET``, ``s3://BUCKET``, ``ACCOUNT/CONTAINER``, or a file system's id."""
