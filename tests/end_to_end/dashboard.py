#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Grafana's dashboard and /metrics name the same numbers and labels.
    dashboard.py SOTTO OUT"""
import json
import re
import signal

from openmetrics import parsed_metrics
from running import expect, root
from serving import Server, content


def asked(board):
    """(metric, label) of all expressions; the label is None where the metric alone is asked."""
    found = set()
    for panel in board["panels"]:
        for target in panel["targets"]:
            names = re.findall(r"\b(sotto_\w+)(\{[^}]*\})?", target["expr"])
            expect(names, f"{panel['title']} asks nothing")
            shared = re.findall(r"\bby \((\w+)\)", target["expr"])
            shared += re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
            for name, own in names:
                found |= {(name, label) for label in [None, *shared, *re.findall(r'[{,](\w+)="', own)]}
    return found


def differences(board, answered):
    """Names that only one of the two has. Prometheus adds two labels itself."""
    there = {(key.split("{")[0], label) for key in answered
             for label in (None, "job", "instance", *re.findall(r'[{,](\w+)="', key))}
    wanted = asked(board)
    missing = {f"{name} {label or ''}".strip() for name, label in wanted - there}
    unseen = {name for name, _ in there} - {name for name, _ in wanted}
    return sorted(missing), sorted(unseen)


def overlaps(board):
    cells = [(x, y) for panel in board["panels"] for at in [panel["gridPos"]]
             for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])]
    return len(cells) != len(set(cells)) or max(x for x, _ in cells) >= 24


text = (root / "aggregator/operate/dashboard.json").read_text()
dashboard = json.loads(text)
server = Server("served", "--status-port", 0)
server.post(content)
server.post(b"")
metrics = parsed_metrics(server.get("/metrics").said)
expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
expect(differences(dashboard, metrics) == ([], []), differences(dashboard, metrics))
numbers = [panel["id"] for panel in dashboard["panels"]]
expect(len(set(numbers)) == len(numbers) and not overlaps(dashboard), "panels lie over each other")
variables = {variable["name"] for variable in dashboard["templating"]["list"]} | {"__rate_interval"}
expect(set(re.findall(r"\$\{?(\w+)", text)) == variables, "a variable is unknown or unused")

# Controls: a name too few, a name and a label too many, two panels in one place.
expect(differences(json.loads(text.replace("sotto_serve_groups_", "sotto_serve_heaps_")), metrics) ==
       (["sotto_serve_heaps_total", "sotto_serve_heaps_total job"], ["sotto_serve_groups_total"]), "not found")
expect(differences(json.loads(text.replace("by (answer)", "by (device)")), metrics)[0] ==
       ["sotto_serve_refusals_total device"], "a label of no metric is not found")
expect(overlaps(json.loads(text.replace('"x": 12', '"x": 0'))), "an overlap is not found")
print(f"{len(numbers)} panels, {len(metrics)} numbers")
