// A fabric and a whole cluster in TypeScript. `pulumi package add` makes the SDK that is imported here
// (docs/other-languages.md).
//
// COST: A4 nodes are among the dearest machines there are, and billed while they exist. Destroy them when you are done.

import * as pulumi from "@pulumi/pulumi";
import * as rdma from "@pulumi/rdma-cluster";

const project = new pulumi.Config("gcp").require("project");
const zone = "us-west8-c";

const training = new rdma.GkeRdmaCluster("training", {
    project,
    zone,
    pools: [{ name: "a4", machine: "a4-highgpu-8g", nodes: 2, capacity: { spot: true } }],
    acceptance: { taintSuspects: true },
    monitoring: { enabled: true },
}, { protect: true });

// Beside it, for a cluster that somebody else keeps.
const templates = new rdma.ClaimTemplates("claims", { machines: ["a4-highgpu-8g"], pairs: [1, 8] });

export const workloads = training.workloads;
export const proofs = training.proofs;
export const claims = templates.names;
