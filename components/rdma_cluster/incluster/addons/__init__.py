"""What a user switches on. Each has args, plan, component; none but its component imports Pulumi."""
