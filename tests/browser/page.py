#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTML page in a browser: light and dark, on a desk and on a phone, with hostile names.
    page.py SOTTO CHROMIUM OUT [charts|tables]
leaves the page and screenshots in OUT."""
import csv
import json
import pathlib
import random
import shutil
import subprocess
import sys

from chromium import Chromium

root = pathlib.Path(__file__).resolve().parents[2]
hostile = ["<script>hostile = 1</script>", '"><img src=x onerror="hostile = 1">',
           "</table></main><svg onload='hostile = 1'>", "right to left \u202e gnorw",
           "plain", "&lt;already&gt; ' ` ${hostile = 1}"]
printable = [name for name in hostile if name.isprintable()]  # as names in a registry must be
views = [(1280, False), (1280, True), (390, False), (360, False), (360, True)]


def run(*command):
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)


def registry():
    names = ", ".join(json.dumps(name, ensure_ascii=False) for name in printable)
    return f"""
[registry]
name = "hostile-home"
version = 1
[[metric]]
id = 1
name = "window_open"
type = "boolean"
epsilons = [0.5, 1, 2]
[[metric]]
id = 2
name = "room"
type = "category"
categories = [{names}]
epsilons = [1, 2]
[[metric]]
id = 3
name = "degrees"
type = "integer"
min = 10
max = 30
epsilons = [1, 2]
[[metric]]
id = 4
name = "device_name"
type = "string"
bits = 32
hashes = 1
cohorts = 8
permanent = [0.5, 0.25]
instantaneous = [[0.25, 0.75], [0.25, 0.75]]
[[metric]]
id = 5
name = "hours"
type = "vector"
length = 4
min = 0
max = 10
epsilons = [1, 2]
"""


def make_page(sotto, out):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "metrics.toml").write_text(registry())
    (out / "candidates.txt").write_text("\n".join(hostile) + "\n")
    run(root / "tools/sotto-registry", "compile", out / "metrics.toml", "--out", out)
    drawn = random.Random(5)
    columns = ["window", "room", "degrees", "name", "hours"]
    for epoch in range(3):
        with open(out / "rows.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(columns)
            for _ in range(2000):
                hours = "|".join(str(drawn.randrange(11)) for _ in range(4))
                table.writerow([str(drawn.random() < 0.3).lower(),
                                drawn.choices(printable, range(1, 6))[0],
                                int(drawn.gauss(21, 2)), drawn.choices(hostile, range(6, 0, -1))[0],
                                hours])
        run(sotto, "simulate", "--registry", out / "metrics.json", "--input", out / "rows.csv",
            "--map", "window_open=window,room=room,degrees=degrees,device_name=name,hours=hours",
            "--epoch", epoch, "--seed", f"0{epoch}", "--relaxed", 0.3, "--out", out / "reports.bin")
        run(sotto, "ingest", "--registry", out / "metrics.json", "--store", out / "store",
            out / "reports.bin")
    return write_page(sotto, out, "page.html", "--candidates", out / "candidates.txt")


def write_page(sotto, out, name, *options):
    page = subprocess.run([sotto, "estimate", "--registry", out / "metrics.json", "--store",
                           out / "store", *options, "--format", "html"],
                          check=True, stdout=subprocess.PIPE).stdout
    (out / name).write_bytes(page)
    return out / name


def expect(condition, what):
    if not condition:
        raise SystemExit(f"page.py: {what}")


def open_all(browser):
    browser.evaluate("""document.querySelectorAll('details').forEach(d => { d.open = true; });
        new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))""")


def check_view(browser, page, width, dark, with_charts):
    view = f"{'dark' if dark else 'light'}, {width} pixels"
    wrong = browser.open(page, width, dark)
    open_all(browser)
    wrong += browser.complaints(page)
    expect(not wrong, f"{view}: {wrong}")
    overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
    expect(overflow <= 0, f"{view}: {overflow} pixels wider than the screen")
    # No table is wider than a phone, and no word of a heading is broken.
    expect(not cut_off(browser), f"{view}: tables are cut off")
    broken = browser.evaluate("""[...document.querySelectorAll('thead th')]
        .filter(h => h.scrollWidth > h.clientWidth).map(h => h.textContent)""")
    expect(not broken, f"{view}: headings are wider than their columns: {broken}")
    drawn = browser.evaluate(
        "[...document.querySelectorAll('figure')].filter(f => !f.hidden).length")
    all_figures = browser.evaluate("document.querySelectorAll('figure').length")
    # two metrics of one number each; three of several, in each of three epochs and over them
    expect(all_figures == 14, f"{view}: {all_figures} figures")
    expect(drawn == (14 if with_charts else 0), f"{view}: {drawn} charts are drawn")
    lightness = browser.evaluate(
        "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)[0]")
    expect((lightness < 80) == dark, f"{view}: the background is {lightness}")
    blank = browser.evaluate("""[...document.querySelectorAll('figure:not([hidden]) canvas')]
        .filter(c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data
                      .every(byte => byte === 0)).length""")
    expect(blank == 0, f"{view}: {blank} charts are blank")


def cut_off(browser):
    """Tables that go on at the side: of each whether a shadow says so."""
    return browser.evaluate("""[...document.querySelectorAll('.scroll')]
        .filter(s => s.scrollWidth > s.clientWidth)
        .map(s => getComputedStyle(s).backgroundAttachment.includes('local'))""")


def axe_source():
    """axe-core's script; nothing where tools/setup.sh test did not obtain it."""
    python = subprocess.run([root / "tools/setup.sh", "--page", "python3"], capture_output=True, text=True)
    if python.returncode != 0:
        print("page.py: axe-core is missing, its rules are not checked")
        return None
    where = subprocess.run([python.stdout.strip(), "-c", "import axe_core_python as a; print(a.__path__[0])"],
                           check=True, capture_output=True, text=True).stdout.strip()
    return (pathlib.Path(where) / "axe.min.js").read_text()


def axe_faults(browser, axe):
    browser.evaluate(f"{axe};0")
    passed, faults = browser.evaluate("""axe.run(document).then(found => [found.passes.length,
        found.violations.map(fault => `${fault.id}: ${fault.nodes[0].html.slice(0, 100)}`)])""")
    expect(passed >= 15, f"axe has looked at {passed} rules only")
    return faults


def check_axe(browser, sotto, out, axe):
    (out / "sheet.html").write_bytes(subprocess.run(
        [sotto, "datasheet", "--registry", out / "metrics.json", "--format", "html"],
        check=True, stdout=subprocess.PIPE).stdout)
    for name in ("page.html", "ten/page.html", "sheet.html"):
        for width, dark in ((1280, False), (1280, True), (390, False)):
            browser.open(out / name, width, dark)
            open_all(browser)
            faults = axe_faults(browser, axe)
            expect(not faults, f"{name}, {width} pixels: {faults}")
    planted = out / "planted.html"
    planted.write_text((out / "page.html").read_text().replace("</main>", "<button></button></main>"))
    browser.open(planted, 1280, False)
    expect(any(fault.startswith("button-name") for fault in axe_faults(browser, axe)), "axe finds nothing")
    planted.unlink()


def check_tiny_screen(browser, page):
    browser.open(page, 200, False)
    signs = cut_off(browser)
    expect(signs and all(signs), f"200 pixels: cut off without a sign: {signs}")


def check_words(browser, page):
    browser.open(page, 390, False)
    open_all(browser)
    text = browser.evaluate("document.body.innerText")
    expect(text.count("break its ciphers") == 1, "what epsilon promises is not said once")
    for words in ("reports, epochs 0 to 2", "from epoch to epoch and from metric to metric",
                  "of one device in epochs 0 to 2 lose at most epsilon 3 together",
                  "all its levels together (level 1 alone:", "Epochs add up only to a cap",
                  "Relaxing would buy in epoch 2:", "An epoch is", "A level is", "Relaxing",
                  "not detected", "Reports that are not counted are named above"):
        expect(words in text, f"the page does not say: {words}")
    expect("--candidates" not in text, "a reader is told of options")
    # One epsilon for all rows of a table is said above it, not in each.
    columns = browser.evaluate("[...document.querySelectorAll('thead th')].map(h => h.textContent)")
    expect("How private" not in columns and "Detected" not in columns, f"columns are {columns}")
    above = browser.evaluate("""[...document.querySelectorAll('section caption')]
        .filter(c => c.closest('.scroll')).map(c => c.textContent)""")
    expect(len(above) == 11 and all("odds change at most" in a for a in above), f"{above}")
    # Too few reports make no number in the largest type.
    headlines = browser.evaluate("""[...document.querySelectorAll('.headline')].map(line => [
        line.querySelector('strong').textContent, line.querySelector('small').textContent,
        parseFloat(getComputedStyle(line.querySelector('small')).fontSize) <
        parseFloat(getComputedStyle(line.querySelector('strong')).fontSize)])""")
    few = [small for large, small, _ in headlines if large == "too few reports to say"]
    expect(len(few) == 1 and "±" in few[0] and all(is_small for *_, is_small in headlines),
           f"{headlines}")


def promise_of_strings(browser, page):
    browser.open(page, 390, False)
    return browser.evaluate("""[...document.querySelectorAll('section[aria-labelledby=about-4] p')]
        .map(p => p.textContent).find(text => text.startsWith('How private'))""")


def check_other_pages(browser, sotto, out):
    promised = [promise_of_strings(browser, write_page(sotto, out, "strings.html", *options))
                for options in ([], ["--candidates", out / "candidates.txt"])]
    expect(promised[0] == promised[1] and "at most" in promised[0],
           f"one metric, two promises: {promised}")
    browser.open(write_page(sotto, out, "none.html", "--epoch", "55"), 390, False)
    text = browser.evaluate("document.body.innerText")
    expect("no reports of epoch 55" in text and "epochs 0 to 2" in text, text)
    expect("no reports of these metrics" not in text, text)
    browser.open(write_page(sotto, out, "all.html", "--all-epochs"), 390, False)
    open_all(browser)
    captions = browser.evaluate(
        "[...document.querySelectorAll('caption span')].map(c => c.textContent)")
    expect("Mean of degrees in all epochs together" in captions, captions)
    text = browser.evaluate("document.body.innerText")
    expect("in all 3 epochs lose at most epsilon 3 together" in text, text)


def check_names(browser):
    expect(browser.evaluate("typeof hostile === 'undefined'"), "a name has run as a script")
    strangers = browser.evaluate("document.querySelectorAll('img, svg, iframe').length")
    expect(strangers == 0, f"{strangers} elements come from names")
    cells = browser.evaluate("[...document.querySelectorAll('tbody th')].map(c => c.textContent)")
    missing = [name for name in hostile if name not in cells]
    expect(not missing, f"names are not shown as they are: {missing}")


def check_screen_reader(browser, with_charts):
    told = browser.accessible()
    headings = [name for role, name in told if role == "heading"]
    expect(headings[0] == "hostile-home" and "Not counted, and why" in headings, headings)
    tables = [name for role, name in told if role == "table"]
    expect(len(tables) == 11 and all(tables), f"tables are called {tables}")
    charts = [name for role, name in told if role in ("image", "img")]
    expect(len(charts) == (14 if with_charts else 0), f"charts are called {charts}")
    expect(all("error bars" in name or "band" in name for name in charts), charts)
    expect(all("±" in name or "at most" in name or "over 3 epochs" in name for name in charts), charts)
    rows = [name for role, name in told if role == "rowheader"]
    expect("epoch 2" in rows, f"row headers are {rows}")
    expect(any(role == "main" for role, _ in told), "there is no main landmark")


DAYS = ["on time", "a little late", "late", "very late"]
ten_metrics = "".join(f"""
[[metric]]
id = {number}
name = "{name}"
title = "{name.replace("_", " ").capitalize()}"
description = "How the line keeps its time at {name.replace("_", " ")}, by day."
epsilons = [1, 2]
{own}
""" for number, (name, own) in enumerate([
    ("delay", 'type = "integer"\nmin = 0\nmax = 60\nunit = "minutes"'),
    ("punctuality", f'type = "category"\ncategories = {json.dumps(DAYS)}\nordered = true'),
    ("doors_open", 'type = "boolean"'), ("lights_on", 'type = "boolean"'),
    ("load", 'type = "mean"\nmin = 0\nmax = 100\nunit = "%"'),
    ("stop", 'type = "category"\ncategories = ["north", "south", "east", "west"]'),
    ("dwell", 'type = "integer"\nmin = 0\nmax = 90\nunit = "seconds"'),
    ("wipers_on", 'type = "boolean"'), ("heating_on", 'type = "boolean"'),
    ("driver_change", 'type = "boolean"')], start=1))
FIRST = 19_997  # 2024-10-01


def ten_metrics_page(sotto, out):
    out.mkdir()
    head = '[registry]\nname = "tram-line"\nversion = 1\nepoch_days = 1\n'
    (out / "metrics.toml").write_text(head + ten_metrics)
    run(root / "tools/sotto-registry", "compile", out / "metrics.toml", "--out", out)
    columns = ["delay", "punctuality", "doors_open", "load", "stop", "dwell"]
    mapping = [f"{name}={name}" for name in columns]
    mapping += [f"{name}=doors_open"
                for name in ("lights_on", "wipers_on", "heating_on", "driver_change")]
    drawn = random.Random(7)
    for epoch in range(4):
        with open(out / "rows.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(columns)
            for _ in range(2000):
                late = min(60, int(drawn.expovariate(1 / (5 + 2 * epoch))))
                table.writerow([late, DAYS[min(3, late // 5)], str(drawn.random() < 0.3).lower(),
                                drawn.randrange(101), drawn.choice(["north", "north", "east", "west"]),
                                drawn.randrange(20, 60)])
        run(sotto, "simulate", "--registry", out / "metrics.json", "--input", out / "rows.csv",
            "--map", ",".join(mapping), "--epoch", FIRST + epoch, "--seed", f"0{epoch}",
            "--out", out / "reports.bin")
        run(sotto, "ingest", "--registry", out / "metrics.json", "--store", out / "store",
            out / "reports.bin")
    return write_page(sotto, out, "page.html")


def shown_metrics(browser):
    return browser.evaluate("""[...document.querySelectorAll('.metric')]
        .filter(m => m.offsetHeight > 0).map(m => m.querySelector('h2').textContent)""")


def type_into(browser, what, value):
    browser.evaluate(f"""(() => {{ const found = document.querySelector('.find {what}');
        found.value = {json.dumps(value)};
        found.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()""")


def check_search(browser):
    expect(browser.evaluate("document.querySelector('.find').offsetHeight > 0"), "no search")
    type_into(browser, "input", "NORTH")
    expect(shown_metrics(browser) == [], "a value is no word of a metric")
    type_into(browser, "input", "LATE")
    expect(shown_metrics(browser) == [], "neither is a category")
    type_into(browser, "input", "time doors")
    expect(shown_metrics(browser) == ["Doors open"], shown_metrics(browser))
    type_into(browser, "input", "")
    type_into(browser, "select", "integer")
    expect(shown_metrics(browser) == ["Delay", "Dwell"], shown_metrics(browser))
    said = browser.evaluate("document.querySelector('.find output').textContent")
    expect(said == "2 of 10 metrics", said)
    type_into(browser, "select", "")
    expect(len(shown_metrics(browser)) == 10, "they stay away")


def check_ten_metrics(browser, page, out, with_charts):
    expect(not browser.open(page, 1280, False), "the page complains")
    height = browser.evaluate("document.documentElement.scrollHeight")
    expect(height < 3000, f"ten metrics are {height} pixels high")
    browser.screenshot(out / "ten-light.png")
    text = browser.evaluate("document.body.innerText")
    for words in ("Delay", "minutes", "2024-10-04", "2024-10-01 to 2024-10-04"):
        expect(words in text, f"the page does not say: {words}")
    expect("epsilon 2" not in text, "a card says its epsilon")
    kinds = browser.evaluate("""[...document.querySelectorAll('.metric > figure')]
        .map(f => f.dataset.kind).join(' ')""")
    expect(kinds == "time columns time time time bars time time time time", kinds)
    drawn = browser.evaluate("document.querySelectorAll('figure:not([hidden])').length")
    expect(drawn == (10 if with_charts else 0), f"{drawn} charts are drawn")
    check_search(browser)
    check_print(browser, out)


def check_print(browser, out):
    """Paper has what is folded, and nothing that only a screen can do."""
    browser.print(out / "ten.pdf")
    closed = browser.evaluate("document.querySelectorAll('details.more:not([open])').length")
    expect(closed > 0, "a reader's page is not as it was")
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    open_all(browser)
    on_paper = browser.evaluate("""[document.querySelectorAll('details.more:not([open])').length,
        document.querySelector('.find').offsetHeight]""")
    expect(on_paper == [0, 0], f"{on_paper} on paper")
    browser.evaluate("dispatchEvent(new Event('afterprint'))")
    browser.call("Emulation.setEmulatedMedia", media="")


def check_that_checks_can_fail(browser, page, out):
    planted = out / "planted.html"
    for what in ("<img src='https://stranger.invalid/x.png'>", "<script>alert(1)</script>",
                 "<p style='color: red'>"):
        planted.write_text(page.read_text().replace("</main>", what + "</main>"))
        expect(browser.open(planted, 1280, False), f"nobody complains of {what}")
    planted.unlink()


def main():
    sotto, program, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with_charts = sys.argv[4:] != ["tables"]
    page = make_page(sotto, out)
    browser = Chromium(program)
    try:
        for width, dark in views:
            check_view(browser, page, width, dark, with_charts)
            browser.screenshot(out / f"{'dark' if dark else 'light'}-{width}.png")
        check_names(browser)
        check_screen_reader(browser, with_charts)
        check_words(browser, page)
        check_tiny_screen(browser, page)
        check_other_pages(browser, sotto, out)
        check_that_checks_can_fail(browser, page, out)
        check_ten_metrics(browser, ten_metrics_page(sotto, out / "ten"), out, with_charts)
        if axe := axe_source():
            check_axe(browser, sotto, out, axe)
    finally:
        browser.close()
    print(f"{page}: {page.stat().st_size} bytes, as it should be in {len(views)} views")


main()
