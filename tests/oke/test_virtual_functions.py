"""The Job that waits for the operator's definitions is given the time that its script waits."""

from tests.oke.plans import built

JOB = "kubernetes:batch/v1:Job"


def test_the_job_outlives_its_script():
    """Its deadline is beyond the script's own, which says what is missing; the engine waits as long as the Job."""
    (job,) = built("OkeVirtualFunctions", {"machines": ["BM.GPU.B200.8"]}).of_type(JOB)
    (container,) = job.inputs["spec"]["template"]["spec"]["containers"]
    waits = next(int(word) for word in container["command"] if word.isdigit())

    assert waits < job.inputs["spec"]["activeDeadlineSeconds"] <= int(job.options["customTimeouts"]["create"][:-1])
