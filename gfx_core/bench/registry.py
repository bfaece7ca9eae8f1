"""All studies. One is added by a file under ``studies/`` and a line here."""

import os
from importlib import import_module

from gfx_core.bench.studies.batched_predictions import BatchedPredictions
from gfx_core.bench.studies.calibration import Calibration
from gfx_core.bench.studies.ceiling import Ceiling
from gfx_core.bench.studies.convergence import Convergence
from gfx_core.bench.studies.cut_vertex_speed import CutVertexRace
from gfx_core.bench.studies.cutting_out import CuttingOut
from gfx_core.bench.studies.engine_speed import EngineSpeed
from gfx_core.bench.studies.exactness import Exactness
from gfx_core.bench.studies.explainer_times import ExplainerTimes
from gfx_core.bench.studies.faithfulness import Fidelity
from gfx_core.bench.studies.inductive import Inductive
from gfx_core.bench.studies.quality import Auc
from gfx_core.bench.studies.reasons import Reasons
from gfx_core.bench.studies.training_on_one import Tuning
from gfx_core.bench.study import Study

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        Auc(),
        Reasons(),
        Ceiling(),
        Calibration(),
        Fidelity(),
        ExplainerTimes(),
        Inductive(),
        Convergence(),
        Tuning(),
        Exactness(),
        EngineSpeed(),
        CutVertexRace(),
        BatchedPredictions(),
        CuttingOut(),
    )
}
"""By name, in the order in which they are shown."""

for _module in filter(None, os.environ.get("GFX_STUDIES", "").split(",")):
    # modules outside this package, each with a list STUDIES: workers inherit the environment and find them too
    STUDIES |= {study.name: study for study in import_module(_module).STUDIES}
