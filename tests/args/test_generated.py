"""Whatever a stack file holds is planned or refused with a list of errors."""

from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO

import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st
from pulumi_offline.project import read_settings
from pulumi_offline.replacements import broken_in
from rdma_cluster.cli.app import run
from rdma_cluster.cli.preview import run_program
from tests.args.outcomes import planned, told
from tests.clouds import CloudTests, Config, clouds
from tests.examples import examples
from tests.stacks import ROOT
from tests.strategies import ODD

EACH_CLOUD = pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)


@EACH_CLOUD
@settings(max_examples=examples(20, 200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_configuration_is_planned_or_refused(cloud: CloudTests, data: st.DataObject):
    planned(told(cloud, data.draw(cloud.generated.odd)))


@pytest.mark.parametrize(
    ("cloud", "config"),
    [pytest.param(cloud, config, id=cloud.name) for cloud in clouds() for config in cloud.generated.once_wrong],
)
def test_a_configuration_that_once_raised_is_planned_or_refused(cloud: CloudTests, config: Config):
    planned(told(cloud, config))


@EACH_CLOUD
@settings(
    max_examples=examples(3, 30),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_configuration_that_is_planned_is_built_and_breaks_no_constraint(
    cloud: CloudTests, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
):
    path = tmp_path_factory.mktemp("stack") / f"Pulumi.{cloud.name}.yaml"
    path.write_text(yaml.safe_dump({"config": data.draw(cloud.generated.sound)}, allow_unicode=True))

    with chdir(ROOT):
        program = read_settings(ROOT, cloud.name, stack_file=path)
        if planned(program):
            graph = run_program(ROOT, program)

            assert graph.resources
            assert broken_in(graph) == []


@pytest.mark.parametrize("stack", [cloud.stacks[0] for cloud in clouds()])
@settings(max_examples=examples(20, 200))
@given(
    st.one_of(
        st.text(max_size=20),
        st.builds(
            "{}={}".format,
            st.sampled_from(
                ["zone", "pools[0].nodes", "pools[1]", "pools[0].labels.x", "gcp:project", "claims.pairs[0]"]
            ),
            st.one_of(
                st.text(max_size=12), ODD.map(repr), st.sampled_from(["2026-01-02", "!!set {a}", "&a [*a]", "0x1F"])
            ),
        ),
    )
)
def test_any_override_is_planned_or_refused(stack: str, override: str):
    with chdir(ROOT), redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run(["plan", stack, f"--set={override}"])

    assert (code, bool(out.getvalue()), bool(err.getvalue())) in ((0, True, False), (2, False, True))
