"""Values of a user's own on EKS."""

STACK = "eks"
SET = (
    "kubernetes.name=carried-cluster",
    "kubernetes.admins=['arn:aws:iam::111122223333:role/carried-admin']",
    "kubernetes.publicCidrs=[198.51.100.77/32]",
    "kubernetes.secretsKey=arn:aws:kms:us-east-2:111122223333:key/carried-key",
    "kubernetes.addonVersions={coredns: v1.99.7-eksbuild.1}",
    "network={controlPlaneZones: [us-east-2c], cidr: 10.77.0.0/16, serviceCidr: 172.29.0.0/16}",
    "pools[0]={name: carried-pool, machine: p5.48xlarge, nodes: 2, capacity: {onDemand: true}, placementGroup: "
    "carried-near, labels: {carried.example/label: carried-label}, releaseVersion: 1.35.0-20261107}",
    "drivers={registry: carried.example/eks}",
    "claims.namespaces=[default, carried-team]",
    "tags={carried-tag: carried-tagged}",
    "acceptance={images: {ncclTests: /carried/tests, mpirun: /carried/mpirun, test: 'carried.example/tests:1'}}",
    "inference={model: meta-llama/Llama-3.1-405B-Instruct, namespace: carried-serving, image: 'carried.example/vllm:1',"
    " apiKeySecret: carried-api, weights: {claim: carried-claim, claimGb: 900, path: carried/405b, annotations: "
    "{carried.example/note: carried-note}, serviceAccount: carried-account}}",
)
REACHES = (
    "carried-cluster",
    "role/carried-admin",
    "198.51.100.77/32",
    "key/carried-key",
    "v1.99.7-eksbuild.1",
    "us-east-2c",
    "10.77.0.0/16",
    "172.29.0.0/16",
    "carried-pool",
    "carried-near",
    "carried.example/label",
    "carried-label",
    "1.35.0-20261107",
    "carried.example/eks",
    "carried-team",
    "carried-tag",
    "carried-tagged",
    "/carried/tests",
    "/carried/mpirun",
    "carried.example/tests:1",
    "carried-serving",
    "carried.example/vllm:1",
    "carried-api",
    "carried-claim",
    "carried/405b",
    "carried.example/note",
    "carried-note",
    "carried-account",
)
