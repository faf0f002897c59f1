"""Values of a user's own on OKE."""

STACK = "oke"
SET = (
    "oci:tenancyOcid=ocid1.tenancy.oc1..carriedtenancy",
    "compartment=ocid1.compartment.oc1..carriedcompartment",
    "zone=TrcQ:EU-FRANKFURT-1-AD-2",
    "kubernetes={name: carried-cluster, version: 1.35.2, endpoint: public, publicCidrs: [198.51.100.77/32], "
    "secretsKey: ocid1.key.oc1..carriedkey}",
    "network={cidr: 10.77.0.0/16, serviceCidr: 172.29.0.0/16, hostPorts: [9177]}",
    "identity.domain={name: carried-domain, url: 'https://carried.identity.oraclecloud.com:443'}",
    "identity.homeRegion=us-phoenix-1",
    "pools[0].labels={carried.example/label: carried-label}",
    "pools[0].placement={hpcIsland: ocid1.hpcisland.oc1..carriedisland, networkBlocks: "
    "[ocid1.computenetworkblock.oc1..carriedblock]}",
    "pools[0].bootVolume={gb: 777, vpusPerGb: 70}",
    "pools[0].image={id: ocid1.image.oc1..carriedimage, driver: '570', cuda: '12.8'}",
    "sshPublicKey=ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtwGcWB2gCgPhk carried",
    "tags={carried-tag: carried-tagged}",
    "acceptance={images: {test: 'carried.example/tests:1'}}",
)
REACHES = (
    "carriedtenancy",
    "carriedcompartment",
    "AD-2",
    "carried-cluster",
    "1.35.2",
    "198.51.100.77/32",
    "carriedkey",
    "10.77.0.0/16",
    "172.29.0.0/16",
    "9177",
    "carried-domain",
    "https://carried.identity.oraclecloud.com:443",
    "us-phoenix-1",
    "carried.example/label",
    "carried-label",
    "carriedisland",
    "carriedblock",
    "777",
    "carriedimage",
    "gCgPhk carried",
    "carried-tag",
    "carried-tagged",
    "carried.example/tests:1",
)
