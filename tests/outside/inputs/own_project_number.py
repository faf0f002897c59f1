"""A program asks for the project of its provider's own configuration, as most do: without an argument."""

import pulumi
import pulumi_gcp as gcp
from pulumi_offline import preview


def program() -> None:
    pulumi.export("number", gcp.organizations.get_project().number)


print(preview(program, config={"gcp:project": "my-project"}).outputs)
