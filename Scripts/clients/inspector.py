#!/usr/bin/env python3
"""Uses the inspector of a gateway that may write, as a person would: in Chromium, with mouse and keys.

    inspector.py URL [--walk | --token FILE --type TYPE | --trouble ...] [--shots FOLDER]

What the page shows is compared with what was written through the same gateway, and with what its requests answer: a
model is looked for, by id and by conditions, and opened; its fields and its history are read; changes are followed,
filtered and held; and the copy is compared with its sender. A name that is markup must stay a name. Each view has to
fit into windows of three sizes, light and dark, and to obey its keys.

With --walk it only opens each view, whatever is there; with --token it goes to a gateway that asks for one, gives a
wrong one and the right one, which reads one type, and has it forgotten. With --trouble it looks at what goes wrong, and
at much (inspector_trouble.py): --publisher is the process number of a publisher that may be stopped for a moment,
--modelcast and --relay are the command and the relay to push many models with. Fails where anything is not as it was
written, and where the page throws, or its policy has stopped something. Pictures of the views go into the folder.

Needs websockets from PyPI, and Chromium. Scripts/real-clients runs it.
"""

import argparse
import json
import sys
import tempfile
import time
import urllib.parse
from datetime import datetime
from pathlib import Path

from browser import Browser, Visit, wait
from inspector_trouble import Trouble

TYPE = "Inspected"
MARKUP = "<img src=x onerror=document.title='broken'>"
ROWS = "[data-test=rows]"


class Views(Visit):
    """What a person does in each view."""

    def overview(self):
        self.open("/overview")
        wait(lambda: self.browser.text("[data-test=contact]") == "ready", "the page says that the process is ready")
        facts = self.browser.texts("[data-test=facts] dt")
        if "Version" in facts or "Process" not in facts:
            raise SystemExit(f"the facts of the process are {facts}")
        told = next(service for service in self.ask("status")["services"] if service.get("origins"))
        name = told["origins"][0]["origin"]
        script = f"""(() => {{
            const row = document.querySelector('[data-test=origin][data-key={json.dumps(name)}]');
            const names = [...row?.closest('table').querySelectorAll('thead th') ?? []].map(head => head.textContent);
            return Object.fromEntries(names.map((name, index) => [name, row.children[index].textContent]));
        }})()"""

        def has_figures():
            origin = next(row for service in self.ask("status")["services"] for row in service.get("origins", [])
                          if row["origin"] == name)
            seen = self.browser.run(script)
            return [seen.get("Head"), seen.get("Applied")] == [f"{origin['head']:,}", f"{origin['applied']:,}"]

        wait(has_figures, "head and applied of an origin are columns")
        self.put(TYPE, "lag", {"n": 1})
        line = "document.querySelector('[data-test=tile-lag] .spark .line')?.getAttribute('d') ?? ''"
        wait(lambda: self.browser.run(line).count("L") >= 1, "the lag is a line of several points")
        self.fits("overview")
        self.browser.click("[data-test=tab-topology]")
        wait(lambda: len(self.browser.texts("[data-test=node]")) >= 2, "sender and process are nodes")
        wait(lambda: any(("lag " in text or " missing" in text) and " ago" in text
                         for text in self.browser.texts("[data-test=edge]")),
             "an edge says how far this copy is behind, and when its sender was heard")
        self.fits("topology")

    def models(self):
        for number in range(1, 401):
            self.put(TYPE, f"m{number:03}",
                     {"n": number, "name": MARKUP, "none": None, "deep": {"list": [number, {"a": 1}]}})
        self.browser.press("3")
        self.browser.click(f"[data-test=type][data-type={TYPE}]")
        wait(lambda: "of 401" in (self.browser.text("[data-test=count]") or ""), "the count of models is told")
        self.browser.press("/")
        self.browser.write("m39")
        self.browser.press("Enter", 13)
        shown = [f"m{number}" for number in range(390, 400)]
        wait(lambda: sorted(self.rows()) == shown, "the rows are those whose id begins so")
        told = self.browser.run(
            "Object.fromEntries([...document.querySelectorAll('[data-test=row]:not([hidden])')].map(row => "
            "[row.dataset.id, Object.fromEntries([...row.querySelectorAll('[data-field]')].map(cell => "
            "[cell.dataset.field, cell.textContent]))]))")
        for name in shown:
            wanted = {"n": str(int(name[1:])), "name": MARKUP, "none": "null"}
            if {field: told[name].get(field) for field in wanted} != wanted:
                raise SystemExit(f"{name} is shown as {told[name]}, not as {wanted}")
        self.fits("models")

    def one_model(self):
        self.browser.click("[data-test=row][data-id=m395]")
        self.have("[data-test=model]", "m395", "the model is open")
        self.put(TYPE, "m395", {"n": 1000, "name": MARKUP, "none": None, "deep": {"list": [1]}})
        cell = "[data-test=row][data-id=m395] [data-field=n]"
        flashes = f"(document.querySelector('{cell}')?.getAnimations() ?? []).length > 0"
        wait(lambda: self.browser.run(flashes), "a change flashes")
        wait(lambda: self.browser.text(cell) == "1000", "a change is shown in its row")
        wait(lambda: any("395" in text and "1000" in text for text in self.browser.texts("[data-test=history-row]")),
             "the history says what was replaced")
        value = "[data-test=field][data-field=n] .value"
        wait(lambda: self.browser.text(value) == "1000", "the open model is followed")
        self.compare_cells("m395")
        self.fits("model")
        self.open(f"/history?type={TYPE}&id=m395&field=n")
        rows = wait(lambda: self.browser.texts("[data-test=history-row]"), "the history of a field is there")
        cells = self.ask(f"cells/{TYPE}/m395")["cells"]
        writer = next(cell["written"]["origin"] for cell in cells if cell["field"] == "n")
        if len(rows) != 2 or "395 → 1000" not in rows[0] or writer not in rows[0] or "395" not in rows[1]:
            raise SystemExit(f"the history of m395's n is {rows}")
        self.have("[data-test=kept]", "asked at ", "the history says when it was asked")
        self.fits("history")

    def compare_cells(self, name):
        """Each field of the open model is shown as the cells of the process say."""
        script = """[...document.querySelectorAll('[data-test=field]')].map(row => [row.dataset.field,
            row.children[1].textContent, row.children[2].textContent, row.children[2].title,
            row.children[3].textContent])"""
        cells = {cell["field"]: cell for cell in self.ask(f"cells/{TYPE}/{name}")["cells"]}
        wait(lambda: {row[0] for row in self.browser.run(script)} == set(cells), "all fields are shown")
        for field, value, age, title, origin in self.browser.run(script):
            written = cells[field]["written"]
            instant = datetime.fromisoformat(written["time"].replace("Z", "+00:00"))
            clock = instant.astimezone().strftime("%H:%M:%S.") + f"{instant.microsecond // 1000:03}"
            told = cells[field]["value"]
            texts = {told} if isinstance(told, str) else {json.dumps(told), json.dumps(told, indent=1)}
            ago = time.time() - instant.timestamp()
            shown = 0 if age == "now" else int(age.removesuffix(" s ago")) if age.endswith(" s ago") else None
            if value not in texts or origin != written["origin"]:
                raise SystemExit(f"{field} is shown as {value!r} by {origin}, not {told!r} by {written['origin']}")
            if clock not in title or written["version"] not in title:
                raise SystemExit(f"{field} was written at {clock}, version {written['version']}, and not: {title}")
            if ago < 50 and (shown is None or abs(ago - shown) > 3):
                raise SystemExit(f"{field} is {ago:.0f} s old, and not {age}")

    def conditions(self):
        """Rows meet what is asked for, what is no condition is refused, and what ends to meet it says so."""
        self.open(f"/models/{TYPE}")
        self.browser.fill("[data-test=condition]", "n>=397")
        self.browser.press("Enter", 13)
        wait(lambda: sorted(self.rows()) == ["m395", "m397", "m398", "m399", "m400"],
             "the rows are those that meet the condition")
        self.have("[data-test=count]", "5 models", "their number is told")
        if self.browser.texts("[data-test=chip]") != ["n>=397×"]:
            raise SystemExit(f"the conditions are shown as {self.browser.texts('[data-test=chip]')}")
        self.browser.click("[data-test=row][data-id=m397]")
        self.have("[data-test=model]", "m397", "the model is open")
        self.put(TYPE, "m397", {"n": 2})
        self.delete(TYPE, "m398")
        why = "[data-test=row][data-id={}] [data-test=row-why]"
        wait(lambda: self.browser.text(why.format("m397")) == "meets the conditions no more"
             and self.browser.text(why.format("m398")) == "deleted",
             "a row that does not meet the condition is told apart from one that was deleted")
        wait(lambda: self.browser.text("[data-test=field][data-field=n] .value") == "2", "the open model is followed")
        self.put(TYPE, "m397", {"n": 3})
        wait(lambda: self.browser.text("[data-test=field][data-field=n] .value") == "3",
             "the open model is followed when it does not meet the conditions of the table")
        self.put(TYPE, "m397", {"n": 397})
        wait(lambda: self.browser.text(why.format("m397")) == "", "a row comes back")
        self.fits("conditions")
        self.browser.press("Escape", 27)
        self.browser.fill("[data-test=condition]", "no condition")
        self.browser.press("Enter", 13)
        wait(lambda: self.browser.run("document.querySelector('[data-test=condition]').matches(':invalid')"),
             "what is no condition is said to be none")
        self.browser.fill("[data-test=condition]", "n==1")
        self.browser.press("Enter", 13)
        self.have("[data-test=problem]", "no such comparison", "the page says what the process refuses")

    def keys(self):
        """Each key does what the list of keys says, and none does where they are switched off."""
        press, run = self.browser.press, self.browser.run
        self.open(f"/models/{TYPE}")
        wait(lambda: len(self.rows()) > 5, "the rows are there")
        chosen = "document.querySelector('[data-test=row][aria-selected=true]:not([hidden])')?.dataset.id ?? null"
        for key, wanted in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
            press(key)
            if run(chosen) != self.rows()[wanted]:
                raise SystemExit(f"{key} goes to {run(chosen)} of {self.rows()[:4]}")
        press("Enter", 13)
        wait(lambda: self.browser.attribute("[data-test=model]", "data-id") == run(chosen), "Enter opens the row")
        press("Escape", 27)
        wait(lambda: not self.browser.is_there("[data-test=model]"), "Escape closes the model")
        themes = []
        for _ in range(2):
            press("t")
            themes.append(run("document.documentElement.dataset.theme ?? null"))
        if themes != ["dark", None]:
            raise SystemExit(f"t shows {themes}")
        press("?")
        wait(lambda: run("document.getElementById('help').open"), "? opens the list of keys")
        self.fits("keys")
        self.browser.click("[data-test=keys-on]")
        press("Escape", 27)
        wait(lambda: not run("document.getElementById('help').open"), "Escape closes the list of keys")
        self.open("/overview")
        press("3")
        press("t")
        if run("location.hash") != "#/overview" or run("document.documentElement.dataset.theme ?? null"):
            raise SystemExit("keys that are switched off act, or act again when the page is loaded anew")
        self.browser.click("#help-open")
        self.browser.click("[data-test=keys-on]")
        press("Escape", 27)
        press("3")
        wait(lambda: run("document.querySelector('#tab-models[aria-selected=true]') !== null"),
             "keys that are switched on again act")
        # The views are tabs: arrows go from one to the next, and the space bar chooses.
        run("document.querySelector('[role=tab][aria-selected=true]').focus()")
        press("ArrowRight", 39)
        press(" ", 32)
        wait(lambda: run("location.hash") == "#/history", "an arrow goes to the next tab, and the space bar chooses it")
        stops = run("[...document.querySelectorAll('[role=tab]')].filter(tab => tab.tabIndex === 0).length")
        if stops != 1:
            raise SystemExit(f"the tabs are {stops} stops of the tab key")

    def feed(self):
        """The ids of the changes that are drawn, the newest first."""
        return self.browser.run(
            "[...document.querySelectorAll('[data-test=feed-row]:not([hidden])')].sort((a, b) => a.index - b.index)"
            ".map(row => row.dataset.id)")

    def changes(self):
        self.open(f"/changes?type={TYPE}")
        self.have("[data-test=feed-state]", "live", "the feed is live")
        self.put(TYPE, "m001", {"n": -1, "name": MARKUP})
        wait(lambda: self.feed() == ["m001"], "a change comes")
        self.browser.click("[data-test=pause]")
        self.put(TYPE, "m002", {"n": -1, "name": MARKUP})
        self.have("[data-test=feed-state]", "1 wait", "what comes while it is held is counted")
        if self.feed() != ["m001"]:
            raise SystemExit("a feed that is held goes on")
        self.browser.click("[data-test=pause]")
        wait(lambda: self.feed() == ["m002", "m001"], "what was held comes")
        self.fits("changes")
        self.follow("id", "m005", "m007")
        self.put(TYPE, "m006", {"n": 1})
        self.put(TYPE, "m005", {"n": 1})
        wait(lambda: self.feed(), "a change of an id that is asked for comes")
        self.put(TYPE, "m007", {"n": 1})
        wait(lambda: self.feed() == ["m007", "m005"], "of others none does")
        self.browser.fill("[data-test=feed-id]", "")
        self.follow("where", "n>=5000")
        self.put(TYPE, "m006", {"n": 4999})
        self.put(TYPE, "m005", {"n": 5000})
        wait(lambda: self.feed() == ["m005"], "changes that meet a condition come, and others do not")

    def follow(self, name, *values):
        self.browser.fill(f"[data-test=feed-{name}]", ",".join(values))
        self.browser.press("Enter", 13)
        address = f"{name}={urllib.parse.quote(','.join(values), safe='')}"
        wait(lambda: self.browser.run("location.hash").endswith(address), "the address has what is followed")
        wait(lambda: self.feed() == [], "the feed begins anew")
        self.have("[data-test=feed-state]", "live", "the feed is live")

    def compare(self):
        self.open("/compare")
        wait(lambda: self.browser.run("document.querySelector('[data-test=compare-sender]')?.options.length ?? 0"),
             "the senders are there")
        listening = next(service for service in self.ask("status")["services"] if "senders" in service)
        offered = self.browser.run(
            "[...document.querySelector('[data-test=compare-sender]').options].map(option => option.value)")
        if offered != [str(sender["sender"]) for sender in listening["senders"]]:
            raise SystemExit(f"the senders {offered} are offered to be compared with")
        self.browser.click("[data-test=compare]")
        self.have(f"[data-test=compare-type][data-type={TYPE}]", "equal", "the copy is equal to that of its sender")
        self.fits("compare")


def visit_with_token(visit, token, readable):
    browser, form = visit.browser, "[data-test=token-form]"

    def enter(text):
        browser.click("[data-test=token]")
        browser.write(text)
        browser.press("Enter", 13)

    visit.open("/models")
    visit.have(form, "asks for a token", "the page asks for a token")
    visit.fits("token")
    enter("a token of nobody")
    visit.have(form, "does not know that token", "a wrong token is refused")
    enter(token)
    types = "[...document.querySelectorAll('[data-test=type]')].map(row => row.dataset.type)"
    wait(lambda: browser.run(types) == [readable], f"{readable} is all that this token reads")
    browser.click(f"[data-test=type][data-type={readable}]")
    wait(lambda: browser.texts("[data-test=row]"), "its models are shown")
    visit.open("/overview")
    visit.have("h1", "not for this token", "the status is said to be for others")
    visit.fits("token-overview")
    browser.click("#forget")
    wait(lambda: browser.text(form), "the page asks again when its token is forgotten")


def walk(visit):
    """Opens each view, and each type in it, whatever is there."""
    types = [row["type"] for row in visit.ask("types")["types"]]
    routes = ["/overview", "/topology", "/history", "/changes", "/compare", "/nonsense", "/models/%FF/%"]
    for name in types[:20]:
        quoted = urllib.parse.quote(name, safe="")
        routes.append(f"/models/{quoted}")
        for model in visit.ask(f"models/{quoted}?limit=3")["models"]:
            routes.append(f"/models/{quoted}/{urllib.parse.quote(model['id'], safe='')}")
    for route in routes:
        visit.open(route)
        wait(lambda: visit.browser.text("[data-test=process]"), f"{route} is shown")
    visit.fits("walk")
    return len(routes)


def use(options, browser):
    """Makes the visit that is asked for; what it has found in order."""
    views = Views(options.url, browser, options.shots)
    if options.walk:
        return f"{walk(views)} addresses opened"
    if options.token:
        visit_with_token(views, options.token.read_text().strip(), options.type)
        return "with a token there is what it reads, and without it nothing"
    if options.trouble:
        return Trouble(options.url, browser, options.shots).all(options)
    for step in (views.overview, views.models, views.one_model, views.conditions, views.keys, views.changes,
                 views.compare):
        begin = time.monotonic()
        step()
        if options.times:
            print(f"  {step.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    return "all views show what was written"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--walk", action="store_true", help="only open each view")
    parser.add_argument("--token", type=Path, help="the file of the token that is given")
    parser.add_argument("--type", help="the one type that this token reads")
    parser.add_argument("--trouble", action="store_true", help="look at what goes wrong, and at much")
    parser.add_argument("--publisher", type=int, help="the process number of a publisher that may be stopped")
    parser.add_argument("--modelcast", type=Path, help="the command, to push many models")
    parser.add_argument("--relay", help="the relay to push them to, which the gateway hears")
    parser.add_argument("--models", type=int, default=100_000, help="how many, 100,000 to 1,000,000")
    parser.add_argument("--times", action="store_true", help="tell how long each step takes")
    parser.add_argument("--shots", type=Path, help="a folder for pictures")
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="modelcast-browser-", ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            told = use(options, browser)
            title = browser.run("document.title")
            if "broken" in title:
                browser.complaints.append("markup in a value was run")
            if browser.complaints:
                raise SystemExit("the page complains:\n" + "\n".join(browser.complaints))
            print(f"inspector: {told}")
        finally:
            browser.end()


if __name__ == "__main__":
    sys.exit(main())
