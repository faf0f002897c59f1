"""What a pod of ``rdma-cluster conform`` runs: it looks at a node and changes nothing."""
