# SPDX-License-Identifier: Apache-2.0
import ast
import contextlib
import csv
import ctypes
import gc
import io
import json
import os
import subprocess
import sys
import threading
import unittest
from datetime import date
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
from pyarrow import feather, parquet

import sotto
from home import CALENDAR, HOMES, METRICS, MORE, compile_registry, home
from sotto.__main__ import main

EVERY = {"window_open": "open", "room": "room", "degrees": "degrees", "rooms": "rooms", "place": "place"}


class Place(unittest.TestCase):
    toml = METRICS.replace("[[metric]]", CALENDAR + "[[metric]]", 1) + MORE

    def setUp(self):
        self.work = self.enterContext(home(self.toml))
        self.registry = sotto.Registry("metrics.json")

    def filled(self, **options):
        store = sotto.Store("store")
        made = sotto.simulate(self.registry, "rows.csv", "reports.bin", map=EVERY, seed="00", **options)
        self.assertEqual(store.ingest(self.registry, "reports.bin")["reports"], made["reports"])
        return store


class Estimates(Place):
    def test_every_consumer_reads_the_same_values_and_types(self):
        table = self.filled(epoch=3).estimate(self.registry)
        rows = table.to_pylist()
        self.assertEqual({row["metric"] for row in rows}, set(self.registry.metrics))
        self.assertEqual({row["date"] for row in rows}, {date(2024, 1, 22)})
        arrow = pyarrow.table(table)
        arrow.validate(full=True)
        self.assertEqual(arrow.to_pylist(), rows)
        self.assertEqual(table.to_polars().to_dicts(), rows)
        self.assertEqual(duckdb.sql("select * from arrow").fetchall(), [tuple(row.values()) for row in rows])
        frame = table.to_pandas()
        self.assertEqual(frame.estimate.tolist(), [row["estimate"] for row in rows])
        self.assertEqual([None if pandas.isna(value) else value for value in frame.value],
                         [row["value"] for row in rows])  # fmt: skip
        self.assertEqual(str(frame.reports.dtype), "UInt64")
        self.assertEqual(str(frame.date.dtype), "datetime64[s]")
        self.assertEqual(arrow.schema.field("epoch").type, pyarrow.uint32())
        self.assertEqual(arrow.schema.field("date").type, pyarrow.date32())
        self.assertEqual(pyarrow.schema(table), arrow.schema)

    def test_they_are_those_of_the_program(self):
        store = self.filled()
        subprocess.run([PROGRAM, "estimate", "--registry", "metrics.json", "--store", "store",
                        "--format", "csv", "--out", "by_program.csv"], check=True)  # fmt: skip
        theirs = list(csv.DictReader(Path("by_program.csv").read_text().splitlines()))
        ours = store.estimate(self.registry).to_pylist()
        self.assertEqual(len(ours), len(theirs))
        for mine, other in zip(ours, theirs):
            self.assertEqual(list(mine), [name for name in other if name != "remark_facts"])
            for name in ("metric", "value", "mechanism", "title"):
                self.assertEqual(mine[name] or "", other[name])
            for name in ("estimate", "std_error", "ci_low", "ci_high", "epsilon", "consistent"):
                self.assertEqual(mine[name], float(other[name]), name)

    def test_parquet_keeps_types_and_pandas_polars_duckdb_read_it(self):
        table = self.filled().estimate(self.registry)
        sotto.export(table, "e.parquet")
        sotto.export(table, "e.arrow")
        rows = table.to_pylist()
        self.assertEqual(parquet.read_table("e.parquet").schema.types, pyarrow.table(table).schema.types)
        self.assertEqual(feather.read_table("e.arrow").to_pylist(), rows)
        self.assertEqual(polars.read_parquet("e.parquet").to_dicts(), rows)
        self.assertEqual(duckdb.sql("select * from 'e.parquet'").fetchall(), [tuple(row.values()) for row in rows])
        self.assertEqual(pandas.read_parquet("e.parquet").estimate.tolist(), [row["estimate"] for row in rows])
        with self.assertRaisesRegex(sotto.UsageError, "neither .parquet nor .arrow"):
            sotto.export(table, "e.xls")

    def test_a_table_outlives_what_made_it_and_is_read_again(self):
        stream = pyarrow.RecordBatchReader.from_stream(self.filled().estimate(self.registry))
        gc.collect()
        self.assertGreater(stream.read_all().num_rows, 0)
        table = sotto.estimate(self.registry, "store")
        self.assertEqual(pyarrow.table(table), pyarrow.table(table))
        unread = table.__arrow_c_stream__()
        del table, unread
        gc.collect()

    def test_no_rows_are_an_empty_table_that_has_its_columns(self):
        full = self.filled().estimate(self.registry)
        empty = sotto.estimate(self.registry, "store", metric="room", epoch=9)
        self.assertEqual(len(empty), 0)
        self.assertEqual(pyarrow.table(empty).schema, pyarrow.table(full).schema)
        self.assertEqual(list(empty.to_pandas().columns), full.column_names)

    def test_remarks_stand_beside(self):
        store = sotto.Store("store")
        Path("few.csv").write_text("open\ntrue\n")
        sotto.simulate(self.registry, "few.csv", "few.bin", map={"window_open": "open"})
        store.ingest(self.registry, "few.bin")
        (remark,) = store.estimate(self.registry).remarks
        self.assertRegex(remark, "^A window is open: too few reports for epsilon 0.5 ")


class Rows(Place):
    def read(self, metric):
        table = self.filled(levels=1).rows(self.registry, metric)
        arrow = pyarrow.table(table)
        arrow.validate(full=True)
        self.assertEqual(arrow.to_pylist(), table.to_pylist())
        sotto.export(table, "rows.parquet")
        self.assertEqual(parquet.read_table("rows.parquet").to_pylist(), table.to_pylist())
        return arrow

    def test_a_category_has_both_levels_of_each_release(self):
        arrow = self.read("room")
        self.assertEqual(arrow.num_rows, 2 * HOMES)
        counts = duckdb.sql("select release, count(*) n from arrow group by release having n <> 2").fetchall()
        self.assertEqual(counts, [])
        self.assertEqual(arrow.schema.field("value").type, pyarrow.uint32())
        self.assertLessEqual(set(arrow["value"].to_pylist()), {0, 1, 2})
        table = sotto.Store("store").rows(self.registry, "room", epoch=1)
        self.assertEqual(len(table), 0)

    def test_numbers_bits_and_vectors_have_types_of_their_own(self):
        self.assertEqual(self.read("degrees").schema.field("value").type, pyarrow.int32())
        sets = sotto.Store("store").rows(self.registry, "rooms")
        self.assertEqual(pyarrow.table(sets).schema.field("value").type, pyarrow.binary(1))
        vectors = pyarrow.table(sotto.Store("store").rows(self.registry, "place"))
        self.assertEqual({len(value) for value in vectors["value"].to_pylist()}, {2})
        self.assertEqual(vectors.num_rows, HOMES)
        self.assertEqual(polars.DataFrame(vectors)["value"].list.len().unique().to_list(), [2])

    def test_an_unknown_metric_is_named(self):
        store = self.filled()
        with self.assertRaisesRegex(sotto.UsageError, 'no metric "roof"; the registry has window_open'):
            store.rows(self.registry, "roof")


class Exports(Place):
    """By python -m sotto, read by what analysts have."""

    def run_export(self, *arguments):
        """The exit code and what is said of it."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = main(["export", "--registry", "metrics.json", "--store", "store", *arguments])
        return code, said.getvalue()

    def check(self, table, *arguments):
        for name in ("out.parquet", "out.arrow"):
            code, said = self.run_export("--out", name, *arguments)
            self.assertEqual(code, 0, said)
        rows = table.to_pylist()
        self.assertGreater(len(rows), 0)
        values = [tuple(row.values()) for row in rows]
        self.assertEqual(duckdb.sql("select * from 'out.parquet'").fetchall(), values)
        self.assertEqual(polars.read_parquet("out.parquet").to_dicts(), rows)
        self.assertEqual(polars.read_ipc("out.arrow").to_dicts(), rows)
        self.assertEqual(pandas.read_parquet("out.parquet").epoch.tolist(), [row["epoch"] for row in rows])
        self.assertEqual(len(pandas.read_feather("out.arrow")), len(rows))
        described = duckdb.sql("describe select * from 'out.parquet'").fetchall()
        return {name: kind for name, kind, *_ in described}

    def test_estimates_have_types_and_no_empty_texts(self):
        store = self.filled(epoch=3)
        types = self.check(store.estimate(self.registry))
        texts = {name for name, kind in types.items() if kind == "VARCHAR"}
        self.assertEqual(texts, {"metric", "mechanism", "value", "quantity", "value_kind", "title", "unit", "remarks"})
        for name in texts:
            self.assertEqual(duckdb.sql(f"select count(*) from 'out.parquet' where {name} = ''").fetchall(), [(0,)])

    def test_rows_of_each_metric(self):
        store = self.filled(levels=1)
        for metric in self.registry.metrics:
            types = self.check(store.rows(self.registry, metric), "--rows", metric)
            self.assertEqual(list(types), ["epoch", "release", "level", "cohort", "value"])
            self.assertNotIn("VARCHAR", types.values())

    def run_program(self, *arguments, **env):
        done = subprocess.run([PROGRAM, "export", "--registry", "metrics.json", "--store", "store", *arguments],
                              capture_output=True, text=True, env={**os.environ, **env})  # fmt: skip
        return done.returncode, done.stderr

    def test_the_program_writes_the_same(self):
        Path("sotto").mkdir()  # no package, though it is here
        Path("sotto/__main__.py").write_text("raise SystemExit('the wrong package')")
        store = self.filled(levels=1)
        python = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        rooms = store.rows(self.registry, "room", epoch=0)
        asked = (((), store.estimate(self.registry)), (("--rows", "room", "--epoch", "0"), rooms))
        for arguments, table in asked:
            for kind, read in (("parquet", polars.read_parquet), ("arrow", polars.read_ipc)):
                code, said = self.run_program("--out=-out", "--format", kind, *arguments, **python)
                self.assertEqual(code, 0, said)
                self.assertEqual(read("-out").to_dicts(), table.to_pylist())
        code, said = self.run_program("--out", "e.xls", **python)
        self.assertEqual((code, said), (2, "sotto: e.xls: ends in neither .parquet nor .arrow\n"))

    def test_the_program_says_what_it_needs(self):
        code, said = self.run_program("--out", "e.arrow", PATH="/nowhere")
        self.assertEqual((code, said.count("\n")), (3, 1), said)
        self.assertTrue(said.startswith("sotto: python3, which the Python package needs: "), said)
        python = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": ""}
        code, said = self.run_program("--out", "e.arrow", **python)
        self.assertEqual((code, said.count("\n")), (3, 1), said)
        self.assertIn("pip install sotto[parquet]", said)

    def test_what_can_not_be_written_leaves_nothing(self):
        self.filled()
        Path("e.arrow").mkdir()
        code, said = self.run_export("--out", "e.arrow")
        self.assertEqual((code, said.count("\n")), (3, 1), said)
        self.assertEqual([path.name for path in Path().glob("e.arrow*")], ["e.arrow"])

    def test_refusals_are_a_line_and_write_nothing(self):
        self.filled()
        for arguments, code, line in (
            (("--out", "e.xls"), 2, "sotto: e.xls: ends in neither .parquet nor .arrow\n"),
            (("--out", "e.parquet", "--rows", "roof"), 2, 'sotto: metric: no metric "roof"'),
        ):
            ended, said = self.run_export(*arguments)
            self.assertEqual((ended, said.count("\n")), (code, 1), said)
            self.assertTrue(said.startswith(line), said)
        done = subprocess.run([sys.executable, "-m", "sotto", "export"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("required: --registry, --store, --out", done.stderr)
        self.assertFalse(Path("e.parquet").exists() or Path("e.xls").exists())


class Errors(Place):
    def test_they_have_the_words_of_the_program(self):
        for arguments, call in (
            (["epsilon", "--registry", "none.json"], lambda: sotto.Registry("none.json")),
            (["estimate", "--registry", "metrics.json", "--store", "none"],
             lambda: sotto.estimate(self.registry, "none")),
            (["plan", "--type", "boolean", "--devices", "0", "--epsilon", "1"],
             lambda: sotto.plan("boolean", devices=0, epsilon=1)),
        ):  # fmt: skip
            refused = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
            with self.assertRaises(sotto.UsageError) as raised:
                call()
            self.assertEqual(refused.stderr, f"sotto: {raised.exception}\n")
            self.assertIsInstance(raised.exception, sotto.Error)

    def test_a_file_that_is_none_does_not_stop_the_others(self):
        sotto.simulate(self.registry, "rows.csv", "reports.bin", map=EVERY)
        Path("text.bin").write_text("no report at all")
        with self.assertRaisesRegex(sotto.UsageError, "(?s)none.bin: No such file.*text.bin: nothing readable"):
            sotto.ingest(self.registry, "store", ["none.bin", "text.bin", "reports.bin"])
        self.assertEqual(sotto.ingest(self.registry, "store", "reports.bin")["reports"], 0)
        self.assertGreater(len(sotto.estimate(self.registry, "store")), 0)

    def test_a_wrong_type_or_option_is_no_answer(self):
        with self.assertRaises(TypeError):
            sotto.estimate(self.registry, "store", epoch="first")
        with self.assertRaises(TypeError):
            sotto.estimate(self.registry, "store", epochs=1)
        with self.assertRaises(KeyError):
            sotto._sotto.estimate({"roof": 1})


class Work(Place):
    """A call that takes long tells its progress, lets other threads run, and can be stopped."""

    def test_progress_is_told_and_its_error_is_raised(self):
        told = []
        self.filled(repeat=20)
        made = sotto.simulate(self.registry, "rows.csv", "again.bin", map=EVERY, repeat=20,
                              progress=lambda done, share: told.append((done, share)))  # fmt: skip
        sotto.ingest(self.registry, "store", "again.bin", progress=lambda done, share: told.append((done, share)))
        self.assertEqual(made["devices"], 20 * HOMES)
        self.assertGreaterEqual(len(told), 2)
        self.assertTrue(all(done > 0 and 0 <= share <= 1 for done, share in told))
        with self.assertRaises(ZeroDivisionError):
            sotto.ingest(self.registry, "other", "again.bin", progress=lambda *_: 1 / 0)
        self.assertEqual(sotto.ingest(self.registry, "other", "again.bin")["reports"], made["reports"])

    def ticks_beside(self, call):
        """How often this thread runs while another one makes the call."""
        worker = threading.Thread(target=call)
        ticks = 0
        worker.start()
        while worker.is_alive():
            worker.join(0.005)
            ticks += 1
        return ticks

    def test_other_threads_run(self):
        ticks = self.ticks_beside(
            lambda: sotto.simulate(self.registry, "rows.csv", "long.bin", map=EVERY, repeat=50))
        self.assertTrue(Path("long.bin").exists())
        self.assertGreater(ticks, 10)
        holds_the_lock = ctypes.PyDLL(None).usleep
        self.assertLess(self.ticks_beside(lambda: holds_the_lock(500_000)), 10)

    def test_types_name_all_that_the_module_has(self):
        stub = ast.parse(Path(sotto.__file__).with_name("_sotto.pyi").read_text())
        told = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(told, {name for name in vars(sotto._sotto) if not name.startswith("_")})


class Promises(Place):
    def test_epsilon_and_plan_are_those_of_the_program(self):
        def program(*arguments):
            return json.loads(subprocess.run([PROGRAM, *arguments, "--format", "json"], check=True,
                                             capture_output=True).stdout)  # fmt: skip

        known = ("epsilon", "--registry", "metrics.json")
        self.assertEqual(sotto.epsilon(self.registry), program(*known))
        self.assertEqual(self.registry.epsilon(30), program(*known, "--horizon", "30"))
        asked = ("plan", "--type", "category", "--size", "5", "--devices", "1000", "--epsilon", "1")
        self.assertEqual(sotto.plan("category", size=5, devices=1000, epsilon=1), program(*asked))

    def test_counters_count_dates_by_the_calendar(self):
        toml = METRICS.replace("[[metric]]", CALENDAR + "[[metric]]", 1).replace(
            'type = "boolean"', 'type = "counter"\nstrategy = "identity"')  # fmt: skip
        registry = sotto.Registry(compile_registry(toml, Path("counted")))
        Path("events.csv").write_text("home,day\na,2024-01-08\na,2024-01-15\n")
        sotto.simulate(registry, "events.csv", "events.bin", map="window_open", device="home", epoch_column="day")
        sotto.ingest(registry, "events", "events.bin")
        days = {row["epoch"]: row["date"] for row in sotto.estimate(registry, "events").to_pylist()}
        self.assertEqual(days.get(2), date(2024, 1, 15))


if __name__ == "__main__":
    PROGRAM = Path(sys.argv.pop(1)).resolve()
    unittest.main()
