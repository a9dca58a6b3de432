"""Chromium without a window, driven as a person drives it, and visits to the inspector with it.

What the page asks for can be held, or be answered in the place of the process, to see what it makes of that.

Needs websockets from PyPI, and Chromium.
"""

import base64
import json
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

from websockets.sync.client import connect


# Widths and heights of a telephone, a small window and a large one.
SIZES = [(400, 850), (1000, 800), (2000, 1100)]


class Rule:
    """What is to happen with requests whose address has a part in it. Held ones wait with their answer."""

    def __init__(self, part):
        self.part, self.held, self.pattern, self.answer = part, [], None, None


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
        self.number, self.complaints, self.rules = 0, [], []
        for domain in ("Runtime", "Log", "Page"):
            self.call(f"{domain}.enable")
        self.resize(1200, 900)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def send(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        return self.number

    def call(self, method, **parameters):
        number = self.send(method, **parameters)
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message.get("id") == number:
                return message.get("result", {})
            self.take(message.get("method"), message.get("params"))

    def take(self, method, told):
        """What Chromium says of itself: what the page complains about, and requests that are held."""
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        if method == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert"):
            values = [part.get("value", part.get("description")) for part in told["args"]]
            self.complaints.append(f"console.{told['type']}: {values}")
        if method == "Log.entryAdded" and told["entry"]["source"] != "network":
            self.complaints.append(told["entry"]["text"])
        if method == "Fetch.requestPaused":
            rule = next((rule for rule in self.rules if rule.part in told["request"]["url"]), None)
            if rule is None:
                self.send("Fetch.continueRequest", requestId=told["requestId"])
            else:
                rule.answer(self, told["requestId"])

    # What the process answers

    def answer(self, part, body, status=200, kind="application/json", headers=()):
        """From now on requests whose address has that part in it get this answer and not that of the process."""
        rule = Rule(part)
        text = body if isinstance(body, str) else json.dumps(body)
        told = [{"name": "Content-Type", "value": kind}, *({"name": name, "value": value} for name, value in headers)]
        rule.answer = lambda browser, request: browser.send(
            "Fetch.fulfillRequest", requestId=request, responseCode=status, responseHeaders=told,
            body=base64.b64encode(text.encode()).decode())
        return self.add(rule)

    def hold(self, part):
        """From now on requests whose address has that part wait with their answer until `release`."""
        rule = Rule(part)
        rule.answer = lambda browser, request: rule.held.append(request)
        return self.add(rule, stage="Response")

    def add(self, rule, stage="Request"):
        rule.pattern = {"urlPattern": f"*{rule.part}*", "requestStage": stage}
        self.rules.append(rule)
        self.call("Fetch.enable", patterns=[one.pattern for one in self.rules])
        return rule

    def release(self):
        """The process answers again, also what was held."""
        rules, self.rules = self.rules, []
        for rule in rules:
            for request in rule.held:
                self.call("Fetch.continueRequest", requestId=request)
        self.call("Fetch.disable")

    # What a person does and sees

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

    def is_there(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.checkVisibility() ?? false")

    def attribute(self, selector, name):
        return self.run(f"document.querySelector({json.dumps(selector)})?.getAttribute({json.dumps(name)}) ?? null")

    def fill(self, selector, text):
        """Writes a text in the place of what stands in a field."""
        self.click(selector)
        self.run(f"document.querySelector({json.dumps(selector)}).select()")
        if text:
            self.write(text)
        else:
            self.press("Backspace", 8)

    def look(self, width, height, theme):
        """A window of that size, light or dark, as it is drawn."""
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

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
    """A visit to the inspector of a process."""

    def __init__(self, url, browser, shots):
        self.url, self.browser, self.shots = url.rstrip("/"), browser, shots

    def ask(self, path):
        return ask(f"{self.url}/v1/{path}")

    def put(self, kind, name, model):
        ask(f"{self.url}/v1/models/{kind}/{urllib.parse.quote(name, safe='')}", "PUT", model)

    def delete(self, kind, name):
        ask(f"{self.url}/v1/models/{kind}/{urllib.parse.quote(name, safe='')}", "DELETE")

    def open(self, route):
        self.browser.call("Page.navigate", url="about:blank")
        self.browser.call("Page.navigate", url=f"{self.url}/#{route}")
        is_there = "document.readyState === 'complete' && document.querySelector('main *') !== null"
        wait(lambda: self.browser.run(is_there), f"{route} is there")

    def go(self, route):
        """Goes to another address of the page that is open."""
        self.browser.run(f"location.hash = {json.dumps(route)}")

    def have(self, selector, part, wish):
        """Waits until an element has a text in it."""
        return wait(lambda: part in (self.browser.text(selector) or "") and self.browser.text(selector), wish)

    def rows(self):
        """The ids of the rows that are drawn, from the top."""
        return self.browser.run(
            "[...document.querySelectorAll('[data-test=row]:not([hidden])')].sort((a, b) => a.index - b.index)"
            ".map(row => row.dataset.id)")

    def fits(self, name):
        """The view fits into each window, light and dark: nothing has to be moved sideways to be read."""
        script = """(() => {
            const [root, main] = [document.documentElement, document.querySelector('main')];
            const style = getComputedStyle(document.body);
            return [root.scrollWidth - innerWidth, main.scrollWidth - main.clientWidth, style.backgroundColor,
                style.color];
        })()"""
        for width, height in SIZES:
            colors = []
            for theme in ("light", "dark"):
                self.browser.look(width, height, theme)
                root, main, *told = self.browser.run(script)
                colors.append(told)
                if root > 0 or main > 0:
                    raise SystemExit(f"{name} is {max(root, main)} pixels too wide for a window of {width}, {theme}")
                if self.shots:
                    self.browser.picture(self.shots / f"{name}-{width}-{theme}.png")
            if any(one == other for one, other in zip(*colors)):
                raise SystemExit(f"{name} looks the same in light and dark: {colors}")
        self.browser.look(1200, 900, "light")
