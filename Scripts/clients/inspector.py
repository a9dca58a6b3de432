#!/usr/bin/env python3
"""Uses the inspector of a gateway that may write, as a person would: in Chromium, with mouse and keys.

    inspector.py URL [--walk | --token FILE --type TYPE] [--shots FOLDER]

What the page shows is compared with what was written through the same gateway: a model is looked for and opened, its
fields and its history are read, changes are followed and held, and the copy is compared with its sender. A name that is
markup must stay a name. With --walk it only opens each view, whatever is there; with --token it goes to a gateway that
asks for one, gives a wrong one and the right one, which reads one type, and has it forgotten. Fails where anything is
not as it was written, and where the page throws, or its policy has stopped something. Pictures of the views go into the
folder.

Needs websockets from PyPI, and Chromium. Scripts/real-clients runs it.
"""

import argparse
import base64
import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from websockets.sync.client import connect

TYPE = "Inspected"
MARKUP = "<img src=x onerror=document.title='broken'>"
# Widths and heights of a telephone, a small window and a large one.
SIZES = [(400, 850), (1000, 800), (2000, 1100)]


class Browser:
    """Chromium without a window, driven by the DevTools protocol."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [shutil.which("chromium"), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             f"--user-data-dir={folder}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        place = Path(folder) / "DevToolsActivePort"
        port = wait(lambda: place.exists() and place.read_text().split("\n")[0], "Chromium opens its port")
        pages = wait(lambda: [page for page in ask(f"http://127.0.0.1:{port}/json") if page["type"] == "page"],
                     "Chromium has a page")
        self.socket = connect(pages[0]["webSocketDebuggerUrl"], max_size=None)
        self.number, self.complaints = 0, []
        for domain in ("Runtime", "Log", "Page"):
            self.call(f"{domain}.enable")
        self.resize(1200, 900)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message.get("method") == "Runtime.exceptionThrown":
                details = message["params"]["exceptionDetails"]
                self.complaints.append(details.get("exception", {}).get("description", details["text"]))
            if message.get("method") == "Runtime.consoleAPICalled" and message["params"]["type"] in ("error", "assert"):
                values = [part.get("value", part.get("description")) for part in message["params"]["args"]]
                self.complaints.append(f"console.{message['params']['type']}: {values}")
            if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["source"] != "network":
                self.complaints.append(message["params"]["entry"]["text"])
            if message.get("id") == self.number:
                return message.get("result", {})

    def run(self, script):
        """The value of a script."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def texts(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def click(self, selector):
        """A click of the mouse in the middle of an element, as soon as there is one."""
        script = f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element?.scrollIntoView({{block: 'nearest'}});
            const box = element?.getBoundingClientRect();
            return box?.width ? [box.x + box.width / 2, box.y + box.height / 2] : null;
        }})()"""
        x, y = wait(lambda: self.run(script), f"{selector} is there to be clicked")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def write(self, text):
        self.call("Input.insertText", text=text)

    def press(self, key, code=0):
        shown = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **shown)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def end(self):
        self.process.kill()
        self.process.wait()


def ask(url, method="GET", body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def wait(condition, wish):
    """The first value of a condition that holds."""
    deadline, seen = time.monotonic() + 60, None
    while time.monotonic() < deadline:
        try:
            seen = condition()
        except OSError as error:
            seen = error
        if seen and not isinstance(seen, OSError):
            return seen
        time.sleep(0.05)
    raise SystemExit(f"it does not come about that {wish}; seen last: {seen}")


class Visit:
    def __init__(self, url, browser, shots):
        self.url, self.browser, self.shots = url.rstrip("/"), browser, shots

    def put(self, name, model):
        ask(f"{self.url}/v1/models/{TYPE}/{urllib.parse.quote(name, safe='')}", "PUT", model)

    def open(self, route):
        self.browser.call("Page.navigate", url="about:blank")
        self.browser.call("Page.navigate", url=f"{self.url}/#{route}")
        wait(lambda: self.browser.run("document.readyState === 'complete'"), "the page is there")

    def picture(self, name):
        if not self.shots:
            return
        for width, height in SIZES:
            for theme in ("light", "dark"):
                self.browser.resize(width, height)
                self.browser.call("Emulation.setEmulatedMedia",
                                  features=[{"name": "prefers-color-scheme", "value": theme}])
                self.browser.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                self.browser.picture(self.shots / f"{name}-{width}-{theme}.png")
        self.browser.resize(1200, 900)

    # What a person does

    def overview(self):
        self.open("/overview")
        wait(lambda: self.browser.text("[data-test=contact]") == "ready", "the page says that the process is ready")
        self.picture("overview")
        self.browser.click("[data-test=tab-topology]")
        wait(lambda: len(self.browser.texts("[data-test=node]")) >= 2, "sender and process are nodes")
        self.picture("topology")

    def models(self):
        for number in range(1, 401):
            self.put(f"m{number:03}", {"n": number, "name": MARKUP, "none": None, "deep": {"list": [number, {"a": 1}]}})
        self.browser.press("3")
        self.browser.click(f"[data-test=type][data-type={TYPE}]")
        wait(lambda: "of 400" in (self.browser.text("[data-test=count]") or "")
             or "400 models" in (self.browser.text("[data-test=count]") or ""), "the count of models is told")
        self.browser.press("/")
        self.browser.write("m39")
        self.browser.press("Enter", 13)
        shown = [f"m{number}" for number in range(390, 400)]
        rows = "[...document.querySelectorAll('[data-test=row]:not([hidden])')]"
        wait(lambda: sorted(self.browser.run(f"{rows}.map(row => row.dataset.id)")) == shown,
             "the rows are those whose id begins so")
        told = self.browser.run(
            f"Object.fromEntries({rows}.map(row => [row.dataset.id, Object.fromEntries([...row.querySelectorAll("
            "'[data-field]')].map(cell => [cell.dataset.field, cell.textContent]))]))")
        for name in shown:
            wanted = {"n": str(int(name[1:])), "name": MARKUP, "none": "null"}
            if {field: told[name].get(field) for field in wanted} != wanted:
                raise SystemExit(f"{name} is shown as {told[name]}, not as {wanted}")
        self.picture("models")

    def one_model(self):
        self.browser.click("[data-test=row][data-id=m395]")
        wait(lambda: self.browser.text("[data-test=model]") and "m395" in self.browser.text("[data-test=model]"),
             "the model is open")
        self.put("m395", {"n": 1000, "name": MARKUP, "none": None, "deep": {"list": [1]}})
        cell = "[data-test=row][data-id=m395] [data-field=n]"
        wait(lambda: self.browser.text(cell) == "1000", "a change is shown in its row")
        wait(lambda: any("395" in text and "1000" in text for text in self.browser.texts("[data-test=history-row]")),
             "the history says what was replaced")
        self.picture("model")
        self.open(f"/history?type={TYPE}&id=m395&field=n")
        rows = wait(lambda: self.browser.texts("[data-test=history-row]"), "the history of a field is there")
        cells = ask(f"{self.url}/v1/cells/{TYPE}/m395")["cells"]
        writer = next(cell["written"]["origin"] for cell in cells if cell["field"] == "n")
        if len(rows) != 2 or "395 → 1000" not in rows[0] or writer not in rows[0] or "395" not in rows[1]:
            raise SystemExit(f"the history of m395's n is {rows}")
        self.picture("history")

    def changes(self):
        self.open(f"/changes?type={TYPE}")
        wait(lambda: "live" in (self.browser.text("[data-test=feed-state]") or ""), "the feed is live")
        self.put("m001", {"n": -1, "name": MARKUP})
        feed = "[...document.querySelectorAll('[data-test=feed-row]:not([hidden])')].map(row => row.dataset.id)"
        wait(lambda: self.browser.run(feed) == ["m001"], "a change comes")
        self.browser.click("[data-test=pause]")
        self.put("m002", {"n": -1, "name": MARKUP})
        wait(lambda: "1 wait" in self.browser.text("[data-test=feed-state]"), "what comes while it is held is counted")
        if self.browser.run(feed) != ["m001"]:
            raise SystemExit("a feed that is held goes on")
        self.browser.click("[data-test=pause]")
        wait(lambda: sorted(self.browser.run(feed)) == ["m001", "m002"], "what was held comes")
        self.picture("changes")

    def compare(self):
        self.open("/compare")
        self.browser.click("[data-test=compare]")
        verdict = f"[data-test=compare-type][data-type={TYPE}]"
        wait(lambda: "equal" in (self.browser.text(verdict) or ""), "the copy is equal to that of its sender")
        self.picture("compare")

    def token(self, token, readable):
        self.open("/models")
        form = "[data-test=token-form]"

        def enter(text):
            self.browser.click("[data-test=token]")
            self.browser.write(text)
            self.browser.press("Enter", 13)

        wait(lambda: "asks for a token" in (self.browser.text(form) or ""), "the page asks for a token")
        self.picture("token")
        enter("a token of nobody")
        wait(lambda: "does not know that token" in (self.browser.text(form) or ""), "a wrong token is refused")
        enter(token)
        types = "[...document.querySelectorAll('[data-test=type]')].map(row => row.dataset.type)"
        wait(lambda: self.browser.run(types) == [readable], f"{readable} is all that this token reads")
        self.browser.click(f"[data-test=type][data-type={readable}]")
        wait(lambda: self.browser.texts("[data-test=row]"), "its models are shown")
        self.open("/overview")
        wait(lambda: "not for this token" in (self.browser.text("h1") or ""), "the status is said to be for others")
        self.picture("token-overview")
        self.browser.click("#forget")
        wait(lambda: self.browser.text(form), "the page asks again when its token is forgotten")

    def walk(self):
        """Opens each view, and each type in it, whatever is there."""
        types = [row["type"] for row in ask(f"{self.url}/v1/types")["types"]]
        routes = ["/overview", "/topology", "/history", "/changes", "/compare", "/nonsense", "/models/%FF/%"]
        for name in types[:20]:
            routes.append(f"/models/{urllib.parse.quote(name, safe='')}")
            for model in ask(f"{self.url}/v1/models/{urllib.parse.quote(name, safe='')}?limit=3")["models"]:
                routes.append(f"{routes[-1]}/{urllib.parse.quote(model['id'], safe='')}")
        for route in routes:
            self.open(route)
            wait(lambda: self.browser.text("[data-test=process]"), f"{route} is shown")
        self.picture("walk")
        return len(routes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--walk", action="store_true", help="only open each view")
    parser.add_argument("--token", type=Path, help="the file of the token that is given")
    parser.add_argument("--type", help="the one type that this token reads")
    parser.add_argument("--shots", type=Path, help="a folder for pictures")
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="modelcast-browser-", ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            visit = Visit(options.url, browser, options.shots)
            if options.walk:
                print(f"inspector: {visit.walk()} addresses opened")
            elif options.token:
                visit.token(options.token.read_text().strip(), options.type)
                print("inspector: with a token there is what it reads, and without it nothing")
            else:
                for step in (visit.overview, visit.models, visit.one_model, visit.changes, visit.compare):
                    step()
                print("inspector: all views show what was written")
            title = browser.run("document.title")
            if "broken" in title:
                browser.complaints.append("markup in a value was run")
            if browser.complaints:
                raise SystemExit("the page complains:\n" + "\n".join(browser.complaints))
        finally:
            browser.end()


if __name__ == "__main__":
    sys.exit(main())
