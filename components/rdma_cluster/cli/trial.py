"""``rdma-cluster trial``: the cheapest run that proves a cloud on metal, and one archive of what it has shown."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from pulumi_offline.errors import Refused, refusal
from pulumi_offline.project import Settings, stack_folder
from pulumi_offline.visible import visible
from ..base.config import value
from ..catalog.prices import STALE_DAYS
from ..common.price import TOTAL
from ..common.summary import summarise_plan
from ..trial.expected_times import TOLD_SECONDS, cost, longest, minutes
from ..trial.variant import smallest
from .options import KUBECONFIG, WHOSE, kubeconfig_option, option
from .output import as_json, as_yaml, paragraph, styled, table
from .stack_file import StackVerb, cloud_of, kubernetes_of, plan_of, summary_of
from .write_file import write_file, write_file_bytes


class Trial(StackVerb):
    """Print the smallest variant, its price and minutes and the commands; or gather. Raises ``Refused``."""

    write: bool = option("--write", "write the smallest variant's stack file, STACK-trial, beside the stack's")
    gather: Path | None = option(
        "--gather FILE.tar.gz", "collect what a living trial has shown into one archive without names"
    )
    kubeconfig: Path | None = kubeconfig_option()
    report: Path | None = option("--report FILE", "with --gather: what `pulumi stack output report` printed")
    engine: list[Path] = option(
        "--engine FILE",
        "with --gather: times from an event log of `up`, `pulumi stack export` or `pulumi stack history --json`; "
        "may be given again",
    )

    def run(self) -> int:
        if self.gather is not None:
            return self._gather(self.gather)
        from .preview import run_program

        root, own = self.read()
        kubernetes_of(own, "a trial reads")
        words = smallest({key: value(text) for key, text in own.config.items()}, self._plans)
        name = f"{self.stack}-trial"
        settings = replace(self.read(words)[1], stack=name)
        summary = summary_of(settings)
        steps = longest(run_program(root, settings))
        up, down = minutes(steps)
        price = next(row for row in summary.rows_of("price") if row["pool"] == TOTAL)
        dollars = cost(price, up + down)
        path = stack_folder(root) / f"Pulumi.{name}.yaml"
        if self.write:
            write_file(path, _file(settings))
        if self.json:
            phases = [{**each.row(), "minutes": each.latency.create / 60} for each in steps]
            told = {
                "stack": self.stack,
                "trial": name,
                "set": words,
                "price": price,
                "minutes": {"up": up, "destroy": down},
            }
            print(
                as_json({**told, "usd": dollars, "phases": phases, "commands": _commands(self.stack, name, self.write)})
            )
            return 0
        print(f"stack {styled(self.stack, 'bold')}: the cheapest run that proves its cloud on metal\n")
        print("the stack as it is" if not words else "\n".join(f"--set '{word}'" for word in words))
        waits = [each.row() for each in steps if each.latency.create >= TOLD_SECONDS]
        sections = {name: summary.rows_of(name) for name in ("pools", "adopted", "price")}
        for title, rows in {**sections, "what `up` waits for": waits}.items():
            if rows:
                print("\n" + table(rows, title))
        print("\n" + paragraph(_sum(up, down, dollars, price)) + "\n")
        print("in this order:\n" + "\n".join(f"  {visible(each)}" for each in _commands(self.stack, name, self.write)))
        return 0

    def _plans(self, words: list[str]) -> bool:
        try:
            plan_of(replace(self.read(words)[1], stack=f"{self.stack}-trial"))
        except Refused:
            return False
        return True

    def _gather(self, file: Path) -> int:
        from ..conform.expected import expected
        from ..conform.report import report
        from ..kubernetes_api.connect import connected
        from ..trial.archive import write
        from ..trial.gathering import gathered, read_living
        from ..trial.times import of_engine
        from .conform import look_at
        from .page.report import read_report

        if self.kubeconfig is None:
            raise refusal(f"missing; name {WHOSE}", KUBECONFIG)
        settings = self.read()[1]
        plan = kubernetes_of(settings, "a trial reads")
        promised = expected(plan)
        told: Mapping[str, Any] = (
            report(plan, summarise_plan(plan), self.stack) if self.report is None else read_report(self.report)
        )
        spans = of_engine({str(each): each.read_text("utf-8", "replace") for each in self.engine})
        seen, why = look_at(plan, promised, self.kubeconfig, no_pod=False)
        pools, cloud = [pool.name for pool in promised.pools], cloud_of(settings)
        with connected(self.kubeconfig, KUBECONFIG) as client:
            try:
                living = read_living(client)
                trial = gathered(cloud, self.stack, promised.pool_label, pools, seen.snapshot, told, living, spans)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                said = f"{client.server} answers otherwise than Kubernetes does: {type(error).__name__}"
                raise refusal(said, KUBECONFIG) from None
        write_file_bytes(file, write(trial))
        for each in why:
            print(paragraph(f"not seen: {each}"))
        missing = [] if trial.logs else ["no log of a test: its pods are gone, or have not begun"]
        missing += [] if spans else ["no times of resources: give --engine an event log or an export of the state"]
        for each in missing:
            print(paragraph(f"not in it: {each}"))
        phases, logs = len(trial.about["phases"]), len(trial.logs)
        print(
            visible(
                f"wrote {file}: {phases} phases, {logs} logs, no name, address or id of yours; look before you send it"
            )
        )
        return 1 if missing else 0


def _sum(up: float, down: float, dollars: tuple[float, float] | None, price: Mapping[str, Any]) -> str:
    """What a run takes, and what it costs; what is not known says so."""
    taken = f"about {up:.0f} minutes until it is proven and {down:.0f} to destroy it"
    known = "the longest chain of what is published and guessed; a wait for capacity is not in it"
    if dollars is None:
        return f"{taken} ({known}); what that costs is not known: no list has the machine's price"
    least, most = (f"{each:,.0f}" for each in dollars)
    age = (date.today() - date.fromisoformat(price["as_of"])).days
    aged = f", {age} days ago" if age > STALE_DAYS else ""
    of = f"USD {least}" if least == most else f"USD {least} to {most}"
    return f"{taken} ({known}): {of} by lists of {price['as_of']}{aged}, counted from the first minute to the last"


def _file(settings: Settings) -> str:
    """A stack file; an encrypted value is another stack's, and has to be set anew."""
    config = {key: value(text) for key, text in settings.config.items()}
    held = {key: of for key, of in config.items() if key not in settings.secrets and not key.startswith("pulumi:")}
    again = [f"# set anew: pulumi config set --secret {visible(key)}\n" for key in sorted(settings.secrets)]
    return "".join(again) + as_yaml([{"config": held}])


def _commands(stack: str, name: str, written: bool) -> list[str]:
    """The whole run; none of it is begun here."""
    gathering = f"rdma-cluster trial {name} --gather trial.tar.gz --kubeconfig kubeconfig.json --report report.json"
    return [
        *([] if written else [f"rdma-cluster trial {stack} --write"]),
        f"pulumi stack init {name}",
        f"PULUMI_DEBUG_COMMANDS=1 pulumi up --stack {name} --yes --event-log events.json",
        f"pulumi stack output kubeconfig --show-secrets --stack {name} > kubeconfig.json",
        f"pulumi stack output report --json --stack {name} > report.json",
        f"{gathering} --engine events.json",
        f"pulumi destroy --stack {name} --yes",
        f"pulumi stack rm {name} --yes",
        "rdma-cluster machines --from-trial trial.tar.gz",
    ]
