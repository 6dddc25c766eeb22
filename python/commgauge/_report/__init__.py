"""The report: one HTML file that shows what was measured, and opens without a network."""

from __future__ import annotations

import pathlib
from typing import Any

from markupsafe import Markup

from .. import units
from .._commgauge import InputError
from .._files import Measurements, ModelFile
from ..plots._style import styled
from . import content, curves
from .masters import Asked as AskedTasks
from .masters import section as masters_section

HERE = pathlib.Path(__file__).parent


def html(file: ModelFile, measured: Measurements | None = None, *, model_name: str = "model.json",
         measurements_name: str | None = None, tasks: AskedTasks | None = None) -> str:  # fmt: skip
    """The report's text. Names are those of the files, for the commands that repeat it. With tasks it
    tells what they take with masters and workers.

    Raises InputError where the measurements are of another machine, ImportError without jinja2.
    """
    if measured and measured.ranks != file.ranks:
        raise InputError(
            f"the measurements are of {content.counted(measured.ranks, 'rank')} and the model of "
            f"{file.ranks} (they belong together): give those that the model was fitted to"
        )
    try:
        import jinja2
    except ImportError as error:
        raise ImportError(
            "the report needs jinja2 (it is not installed): install python3-jinja2"
        ) from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["seconds"] = units.seconds
    environment.filters["percent"] = lambda share: content.unbroken(content.percent(share))
    environment.filters["size"] = lambda size: content.unbroken(units.size(size))
    environment.filters["when"] = content.when
    with styled():
        return environment.get_template("report.html").render(
            _parts(file, measured, model_name, measurements_name, tasks)
        )


def _parts(file: ModelFile, measured: Measurements | None, model_name: str,
           measurements_name: str | None, tasks: AskedTasks | None) -> dict[str, Any]:  # fmt: skip
    """What the template takes."""
    preferred = file.model() if file.models else None
    pairs = (
        curves.typical_pairs(preferred, file.ranks, preferred.ranges_bytes[-1][1])
        if preferred
        else []
    )
    return dict(
        css=Markup((HERE / "report.css").read_text()),
        script=Markup((HERE / "report.js").read_text()),
        file=file,
        measured=measured,
        preferred=preferred,
        fitted_on=content.fitted_on(preferred) if preferred else "",
        hosts=file.hosts,
        title=content.title(file),
        cards=list(content.cards(file, measured)),
        machine=list(content.machine(file)),
        host_rows=content.host_rows(file),
        launches=[content.launch_rows(launch) for launch in file.launches[:content.MOST_ROWS]],
        launch_count=len(file.launches),
        convergence=content.convergence(measured) if measured else None,
        replicates=content.replicates(file),
        ranking=content.ranking(file),
        time_figures=content.time_figures(file, preferred),
        error_figures=content.present(curves.errors(file, op) for op in content.operations(file)),
        masters=masters_section(file, tasks) if tasks else None,
        sweep_figures=[curves.sweep(file, s) for s in measured.sweeps] if measured else [],
        measured_figures=content.present([curves.round_trips(measured, pairs)]) if measured else [],
        links=content.links(file),
        shared_links=content.shared_links(file),
        rank_figures=content.rank_figures(file),
        rank_table=content.rank_table(file),
        thresholds=list(content.thresholds(file)),
        outliers=file.outliers[:content.MOST_ROWS],
        outlier_count=len(file.outliers),
        outliers_judged=content.outliers_judged(file),
        outlier_text=content.outlier_text,
        warnings=content.warnings(file),
        models=[content.model(file, file.model(name)) for name in file.models],
        commands=list(content.commands(file, model_name, measurements_name, tasks)),
    )
