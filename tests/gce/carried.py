"""Values of a user's own on plain Google machines."""

STACK = "gce"
SET = (
    "gcp:project=carried-project",
    "zone=us-west4-a",
    "network={cidr: 10.77.0.0/16}",
    "pools[0].name=carried-pool",
    "pools[0].capacity.reservation={name: carried-reservation, project: carried-owner}",
    "system={image: projects/carried-images/global/images/carried-cos, driver: R570}",
    "registries={us-docker.pkg.dev: carried.example/google}",
    "tags={carried-tag: carried-tagged}",
    "acceptance={images: {test: 'carried.example/tests:1', python: 'carried.example/python:2'}}",
)
REACHES = (
    "carried-project",
    "us-west4-a",
    "10.77.0.0/",
    "carried-pool",
    "carried-reservation",
    "carried-owner",
    "projects/carried-images/global/images/carried-cos",
    "R570",
    "carried.example/google",
    "carried-tag",
    "carried-tagged",
    "carried.example/tests:1",
    "carried.example/python:2",
)
