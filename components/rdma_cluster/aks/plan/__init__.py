"""AKS left of the wall: the configuration's shape, every refusal, all arithmetic. Imports no Pulumi."""
