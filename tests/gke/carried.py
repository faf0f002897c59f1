"""Values of a user's own on GKE."""

STACK = "gke"
SET = (
    "gcp:project=carried-project",
    "kubernetes={name: carried-cluster, secretsKey: projects/p/locations/us-west8/keyRings/r/cryptoKeys/carried-key}",
    "pools[0].name=carried-pool",
    "pools[0].labels={carried.example/label: carried-label}",
    "pools[0].capacity.reservation={name: carried-reservation, project: carried-owner, block: carried-block,"
    " subBlock: carried-sub-block}",
    "pools[0].placementPolicy=carried-policy",
    "claims.namespaces=[default, carried-team]",
    "tags={carried-tag: carried-tagged}",
    "registries={registry.k8s.io: carried.example/k8s}",
    "acceptance={images: {test: 'carried.example/tests:1', python: 'carried.example/python:2'}, rerun: carried-again}",
    "injection={enabled: true, engine: kyverno, annotation: carried.example/inject}",
    "queues={enabled: true, priorities: {carried-first: 7}, topology: {carried-pool: [carried.example/rack]}}",
    "monitoring={enabled: true, labels: {carried-release: prometheus}}",
    "storage={objectStore: {bucket: carried-bucket}}",
)
REACHES = (
    "carried-project",
    "carried-cluster",
    "cryptoKeys/carried-key",
    "carried-pool",
    "carried.example/label",
    "carried-label",
    "carried-reservation",
    "carried-owner",
    "carried-block",
    "carried-sub-block",
    "carried-policy",
    "carried-team",
    "carried-tag",
    "carried-tagged",
    "carried.example/k8s",
    "carried.example/tests:1",
    "carried.example/python:2",
    "carried.example/inject",
    "carried-first",
    "carried.example/rack",
    "carried-release",
    "carried-bucket",
)
