"""AWS, simulated. Its words are unverified: see ``ErrorTexts``."""

from ..cloud import Cloud, ErrorTexts, Named

_CLUSTER = "aws:eks/cluster:Cluster"
_ENTRY = "aws:eks/accessEntry:AccessEntry"
AMAZON = Cloud(
    package="aws",
    sdk="pulumi_aws",
    error_texts=ErrorTexts(
        exists="operation error: api error ResourceInUseException: {token} already exists with name: {name}",
        absent="operation error: api error InvalidID.NotFound: The ID '{other}' does not exist",
        in_use="operation error: api error DependencyViolation: resource {name} has a dependent object {other}",
        quota="operation error: api error ResourceLimitExceededException: {token} limit exceeded for {name}",
        capacity="unexpected state 'CREATE_FAILED', wanted target 'ACTIVE'. last error: {name}: "
        "AsgInstanceLaunchFailures: The requested reservation does not have sufficient compatible and available "
        "capacity for this request.",
        timeout="timeout while waiting for state to become 'ACTIVE' (last state: 'CREATING', timeout: {other})",
        unavailable="operation error: api error ServiceUnavailable: The request has failed due to a temporary failure",
    ),
    named={
        _CLUSTER: Named(("name",)),
        "aws:eks/nodeGroup:NodeGroup": Named(("clusterName", "nodeGroupName"), within=_CLUSTER, blocks=True),
        "aws:eks/addon:Addon": Named(("clusterName", "addonName"), within=_CLUSTER),
        _ENTRY: Named(("clusterName", "principalArn"), within=_CLUSTER),
        "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": Named(
            ("clusterName", "principalArn", "policyArn"), within=_ENTRY
        ),
        "aws:iam/role:Role": Named(("name",)),
        "aws:ec2/launchTemplate:LaunchTemplate": Named(("name",)),
        "aws:s3/bucket:Bucket": Named(("bucket",)),
        "aws:ec2/placementGroup:PlacementGroup": Named(("name",)),
    },
    name_key={"aws:eks/nodeGroup:NodeGroup": "nodeGroupName", "aws:s3/bucket:Bucket": "bucket"},
    any_name=True,
    counts={"aws:ec2/launchTemplate:LaunchTemplate": "latestVersion"},
    regional="region",
)
