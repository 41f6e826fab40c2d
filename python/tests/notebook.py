# SPDX-License-Identifier: Apache-2.0
"""
Runs examples/notebook: each cell without an error, and three charts. It is kept without outputs.
"""
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples/notebook/sotto.ipynb"
CHARTS = 3


def main() -> int:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if any(cell.outputs or cell.execution_count for cell in cells):
        print("the notebook is kept with outputs: clear them")
        return 1
    here = {"metadata": {"path": NOTEBOOK.parent}}
    NotebookClient(notebook, kernel_name="python3", timeout=300, resources=here).execute()
    charts = [output for cell in cells for output in cell.outputs if "image/png" in output.get("data", {})]
    if len(charts) != CHARTS:
        print(f"{len(charts)} charts, not {CHARTS}")
        return 1
    if len(sys.argv) > 1:
        nbformat.write(notebook, sys.argv[1])
    print(f"notebook: {len(cells)} cells, {len(charts)} charts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
