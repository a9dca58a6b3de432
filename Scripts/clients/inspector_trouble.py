"""What the inspector shows of trouble, and of much: for inspector.py --trouble.

A publisher is stopped; the process does not answer, refuses, or tells what seldom comes about; many models are there, and
thousands of changes come in a second.
"""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

from browser import Visit, wait

TYPE = "Troubled"
LARGE = "Large"
# So many changes come in a second, for so long.
FLOOD_RATE, FLOOD_SECONDS = 8_000, 3


class Gate:
    """A port that leads to that of a process, and can be shut as if the process were gone."""

    def __init__(self, target):
        self.target, self.port, self.sockets = target, 0, []
        self.open()

    def open(self):
        self.server = socket.create_server(("127.0.0.1", self.port))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.serve, args=(self.server,), daemon=True).start()

    def shut(self):
        for one in [self.server, *self.sockets]:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.server.close()
        self.sockets = []

    def serve(self, server):
        while True:
            try:
                client, _ = server.accept()
                ends = client, socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.sockets += ends
            for source, target in (ends, ends[::-1]):
                threading.Thread(target=self.pump, args=(source, target), daemon=True).start()

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Trouble(Visit):
    def all(self, options):
        self.modelcast, self.relay, self.publisher = options.modelcast, options.relay, options.publisher
        self.large = options.models
        for number in range(1, 401):
            self.put(TYPE, f"t{number:03}", {"n": number})
        wait(lambda: self.count_of(TYPE) == 400, "the models are there")
        steps = [self.late_page, self.not_yet, self.nothing, self.left, self.gone, self.gap, self.made_up,
                 self.different]
        if self.publisher:
            steps.append(self.stopped)
        if self.modelcast and self.relay:
            steps.append(self.much)
        for step in steps:
            begin = time.monotonic()
            step()
            self.browser.release()
            if options.times:
                print(f"  {step.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        return "what goes wrong is said, and much does not hold it up"

    def count_of(self, name):
        return next((row["count"] for row in self.ask("types")["types"] if row["type"] == name), None)

    # What comes at the wrong time

    def late_page(self):
        """A change that comes while a page is on its way is in its rows."""
        first = self.ask(f"models/{TYPE}?limit=300")
        shown = first["models"][-1]["id"]
        place = 50
        late = self.ask(f"models/{TYPE}?limit=300&after={first['next']}")["models"][place]["id"]
        self.open(f"/models/{TYPE}")
        self.have("[data-test=count]", "loaded 300", "the first page is there")
        wait(lambda: self.browser.attribute("[data-test=live]", "data-on") == "true", "changes are followed")
        page = self.browser.hold(f"/v1/models/{TYPE}?")
        rows = "document.querySelector('[data-test=rows]')"
        self.browser.run(f"{rows}.scrollTop = {rows}.scrollHeight")
        wait(lambda: self.browser.run("1") and page.held, "the second page is on its way")
        self.put(TYPE, late, {"n": -1})
        # The stream tells one after the other: with this change the one before has come.
        self.put(TYPE, shown, {"n": -2})
        cell = "[data-test=row][data-id={}]:not([hidden]) [data-field=n]"
        wait(lambda: self.browser.text(cell.format(shown)) == "-2", "a change is shown")
        self.browser.release()
        self.have("[data-test=count]", "400 models", "the second page is there")
        self.browser.run(f"{rows}.scrollTop = 28 * {300 + place - 5}")
        wait(lambda: self.browser.text(cell.format(late)), "the row is drawn")
        if self.browser.text(cell.format(late)) != "-1":
            raise SystemExit(f"a change that came beside its page is lost: {self.browser.text(cell.format(late))}")

    def not_yet(self):
        """A page that is opened while the process starts, or a type that is not there yet, comes by itself."""
        detail = "the models are not here yet: try again in a second"
        self.browser.answer(f"/v1/models/{TYPE}?", {"detail": detail}, 503, "application/problem+json",
                            [("Retry-After", "1")])
        self.open(f"/models/{TYPE}")
        self.have("[data-test=problem]", "not here yet", "the page says that models are not there yet")
        self.browser.release()
        self.have("[data-test=count]", "loaded 300", "the models come by themselves")
        if self.browser.is_there("[data-test=problem]"):
            raise SystemExit("a problem that is over is still told")
        later = f"Later{time.time_ns()}"
        self.open(f"/models/{later}")
        self.have("[data-test=problem]", "no models of the type", "the page says that there is no such type")
        self.put(later, "one", {"n": 1})
        wait(lambda: self.rows() == ["one"], "the first model of a type comes by itself")

    def nothing(self):
        """A process and a type without models, and a question that no model meets, say so."""
        self.open(f"/models/{TYPE}?prefix=nobody")
        self.have("[data-test=count]", "no model meets this", "the page says that no id begins so")
        self.put("Emptied", "one", {"n": 1})
        self.delete("Emptied", "one")
        self.open("/models/Emptied")
        self.have("[data-test=count]", "no models", "the page says that a type has no models")
        self.fits("empty")
        self.browser.answer("/v1/types", {"types": []})
        self.open("/models")
        self.have("[data-test=no-models]", "no models here yet", "the page says that there are no models")
        self.fits("no-models")

    def left(self):
        """A model that leaves a copy with limits is told apart from one that was deleted."""
        version = self.ask(f"models/{TYPE}/t001")["version"]
        change = {"type": TYPE, "id": "t001", "changed": ["n"], "old": {"n": 1}, "new": None, "origin": "web",
                  "version": version, "reason": "evicted"}
        self.tell([("live", {"ready": True, "resumed": False}), ("change", change)])
        self.open(f"/models/{TYPE}?prefix=t00")
        why = "[data-test=row][data-id=t001] [data-test=row-why]"
        self.have(why, "has left this copy", "the row says that it left")
        if self.browser.attribute("[data-test=row][data-id=t001]", "data-gone") != "evicted":
            raise SystemExit("a model that has left this copy looks as one that was deleted")
        self.fits("left")

    def tell(self, events):
        """From now on streams tell these events, and end."""
        self.browser.answer("/v1/changes", "".join(
            f"id: x\nevent: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events), kind="text/event-stream")

    def gone(self):
        """While the process does not answer the page says so once, and when it is back the page has what is new."""
        gate = Gate(urllib.parse.urlsplit(self.url).port)
        away = Visit(f"http://127.0.0.1:{gate.port}", self.browser, self.shots)
        away.open(f"/models/{TYPE}?prefix=t00")
        cell = "[data-test=row][data-id=t005] [data-field=n]"
        wait(lambda: self.browser.text(cell) == "5", "the models are there")
        gate.shut()
        wait(lambda: self.browser.is_there("[data-test=gone]"), "the page says that the process does not answer")
        self.put(TYPE, "t005", {"n": 500})
        text, seconds = "#gone-text[role=alert]", "#gone-for[aria-hidden=true]"
        told, first = self.browser.text(text), self.browser.text(seconds)
        wait(lambda: self.browser.text(seconds) not in ("", first), "the seconds are counted")
        if "No answer" not in told or self.browser.text(text) != told:
            raise SystemExit(f"what is read out changes from {told!r} to {self.browser.text(text)!r}")
        if self.browser.text("[data-test=contact]") != "no answer" or self.browser.text(cell) != "5":
            raise SystemExit(f"what was there is shown as {self.browser.text(cell)} beside "
                             f"{self.browser.text('[data-test=contact]')!r}")
        self.fits("gone")
        gate.open()
        wait(lambda: not self.browser.is_there("[data-test=gone]"), "the page says no more that it does not answer")
        wait(lambda: self.browser.text(cell) == "500", "what has changed meanwhile is shown")
        self.put(TYPE, "t005", {"n": 501})
        wait(lambda: self.browser.text(cell) == "501", "changes are followed again")
        gate.shut()

    def gap(self):
        """A stream that cannot go on where it was says in its place that changes are missing, and why."""
        change = {"type": TYPE, "id": "t001", "changed": ["n"], "old": {"n": 1}, "new": {"n": 2}, "origin": "web",
                  "version": "1795923010171.0@web"}
        self.tell([("live", {"ready": True, "resumed": False}), ("change", change),
                   ("reset", {"reason": "it has <b>gone</b>"}), ("live", {"ready": True, "resumed": False})])
        self.open("/changes")
        row = "[data-test=feed-row][data-gap]"
        self.have(row, "changes are missing here: it has <b>gone</b>", "the gap has a row, with the reason")
        self.have("[data-test=feed-state]", "gap", "gaps are counted")
        self.fits("gap")

    def made_up(self):
        """What a status seldom says: more types than are listed, queues that fill up, and many peers."""
        status = self.ask("status")
        service = next(one for one in status["services"] if "senders" in one)
        for one in status["services"]:
            one.pop("queues", None)
        types = [{"type": f"Type {number}", "models": 7, "bytes": 2048} for number in range(1000)]
        queues = [{"queue": "without a limit", "count": 3, "bytes": None, "limit": None, "unit": "models"},
                  {"queue": "half", "count": 8, "bytes": 512, "limit": 16, "unit": "batches"},
                  {"queue": "nearly full", "count": None, "bytes": 58_982, "limit": 65_536, "unit": "bytes"}]
        peers = [{"name": f"peer-{number}", "key": None, "address": f"10.0.0.{number}", "state": "live",
                  "silentSeconds": 0.1, "lagSeconds": 0.01, "applied": 1, "requests": 0} for number in range(40)]
        service |= {"types": types, "typesCount": 5000, "queues": queues, "queuesCount": 3, "peers": peers,
                    "peersCount": 40}
        service["origins"] = [{"origin": "feed", "state": "live", "reason": None, "sinceSeconds": 5, "streams": 1,
                               "head": 1012, "applied": 1000, "missingBatches": 12, "openHoles": 1, "holesFound": 1}]
        # The process compares the copy that it serves, which is that of the first service that listens.
        status["services"].append({"service": "relay", "name": "another", "commits": 0, "senders": [
            {"sender": number, "name": f"of another {number}", "state": "live"} for number in (1, 2)]})
        self.browser.answer("/v1/status", status)
        self.open("/overview")
        self.have("[data-test=tile-models]", "Models, at least7,000", "the sum of some types is the least of all")
        if "2.0 MiB" not in self.browser.text("[data-test=tile-models]"):
            raise SystemExit("what the models take is not summed up")
        rows = self.browser.run("[...document.querySelectorAll('[data-test=queue]')].map(row => "
                                "[...row.children].map(cell => cell.textContent))")
        if rows != [["nearly full", "90 %", "57.6 KiB", "64.0 KiB"], ["half", "50 %", "8 batches, 512 B", "16 batches"],
                    ["without a limit", "–", "3 models", "–"]]:
            raise SystemExit(f"the queues are shown as {rows}")
        self.fits("made-up")
        self.go("/topology")
        wait(lambda: len(self.browser.texts("[data-test=member]")) >= 40, "many peers are a field of marks")
        wait(lambda: any("12 missing" in text for text in self.browser.texts("[data-test=edge]")),
             "an edge says how many batches are missing")
        # The field is one stop of the tab key; arrows go from mark to mark, and the space bar opens one.
        stops = self.browser.run("document.querySelectorAll('[data-test=member][tabindex=\"0\"]').length")
        self.browser.run("document.querySelector('[data-test=member][tabindex=\"0\"]').focus()")
        self.browser.press("ArrowRight", 39)
        self.browser.press(" ", 32)
        self.have("[data-test=node-detail]", "peer-1", "the space bar opens the mark that an arrow has reached")
        if stops != 1:
            raise SystemExit(f"a field of marks is {stops} stops of the tab key")
        self.fits("made-up-topology")
        self.go("/compare")
        wait(lambda: self.browser.is_there("[data-test=compare-sender]"), "the senders are there")
        offered = self.browser.texts("[data-test=compare-sender] option")
        if any("another" in text for text in offered) or len(offered) != len(service["senders"]):
            raise SystemExit(f"{offered} are offered to be compared with, beside those of {service['name']}")
        self.browser.answer("/v1/types", {"types": [{"type": "A", "count": 3, "bytes": 2048},
                                                    {"type": "B", "count": 4, "bytes": 1024}]})
        self.open("/models/A")
        self.have("[data-test=types-sum]", "7 models, about 3.0 KiB", "the types are summed up")
        self.have("[data-test=type][data-type=A]", "2.0 KiB", "a type has its bytes")
        self.fits("types")

    def different(self):
        """A copy that differs is shown beside the other, field by field. Real copies come to be equal too soon."""
        def side(value, origin):
            return {"written": {"version": f"1795923010171.0@{origin}", "origin": origin,
                                "time": "2026-11-29T03:30:10.171Z"}, "value": value}
        differences = [
            {"id": "t001", "part": "field", "field": "n", "here": side(1, "web"), "there": side(2, "feed")},
            {"id": "t001", "part": "field", "field": "name", "here": None, "there": side("Ada", "feed")},
            {"id": "t002", "part": "model", "here": side(None, "web"), "there": None}]
        self.browser.answer("/v1/comparison", {"with": "hub", "seconds": 0.5, "types": [
            {"type": "Same", "verdict": "equal", "digest": "0123456789abcdef"},
            {"type": TYPE, "verdict": "different", "differences": differences, "differencesCount": 203}]})
        self.open("/compare")
        self.browser.click("[data-test=compare]")
        self.have("[data-test=compare-verdict]", "203 differences from hub", "the differences are counted")
        seen = self.browser.run("[...document.querySelectorAll('[data-test=difference]')].map(row => "
                                "[...row.children].map(cell => cell.firstChild?.textContent ?? ''))")
        wanted = [["t001", "n", "1", "2"], ["", "name", "not there", "Ada"], ["t002", "the model", "null", "not there"]]
        if seen != wanted:
            raise SystemExit(f"the differences are shown as {seen}, and not as {wanted}")
        self.fits("different")

    def stopped(self):
        """What is wrong stands first, each with what to do; and when it is over, that all is well."""
        self.open("/changes")
        self.have("[data-test=feed-state]", "live", "the feed is live")
        os.kill(self.publisher, signal.SIGSTOP)
        try:
            wait(lambda: not self.ask("status")["ready"], "the process is not ready")
            self.have("[data-test=feed-state]", "not ready and may be old", "the feed says that the copy may be old")
            self.go("/overview")
            wait(self.tells_problems, "the page shows each check that fails, with what to do")
            place = "document.querySelector('[data-test=problem]').getBoundingClientRect().bottom"
            if self.browser.run(f"{place} > document.querySelector('[data-test=facts]').getBoundingClientRect().top"):
                raise SystemExit("what is wrong does not stand first")
            if not self.browser.run("document.title").startswith("▲"):
                raise SystemExit("the title does not say that something is wrong")
            self.fits("problems")
        finally:
            os.kill(self.publisher, signal.SIGCONT)
        wait(lambda: self.browser.is_there("[data-test=calm]"), "all is said to be well again")

    def tells_problems(self):
        failed = [check["check"] for check in self.ask("status")["checks"] if check["problem"]]
        shown = self.browser.run("[...document.querySelectorAll('[data-test=problem]')].map(one => "
                                 "[one.dataset.check, one.querySelector('.note').textContent.length > 20])")
        return failed and sorted(shown) == sorted([name, True] for name in failed)

    # Much

    def much(self):
        """Many models are looked through, and thousands of changes a second are followed."""
        publisher = subprocess.Popen(
            [self.modelcast, "publish", "--name", "many", "--push", self.relay, "--type", LARGE, "--id-field", "id"],
            stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            publisher.stdin.writelines(f'{{"id":"x{number:06}","n":{number}}}\n' for number in range(self.large))
            publisher.stdin.flush()
            wait(lambda: self.count_of(LARGE) == self.large, "all models have come")
            self.look_through()
            self.flood(publisher)
        finally:
            publisher.kill()
            publisher.wait()

    def look_through(self):
        self.open(f"/models/{LARGE}")
        rows = "document.querySelector('[data-test=rows]')"
        for loaded in (300, 600, 900, 1200):
            count = f"loaded {loaded:,} of {self.large:,}"
            self.have("[data-test=count]", count, "models are loaded as they are seen")
            if self.browser.run(f"{rows}.getAttribute('aria-rowcount')") != str(self.large + 1):
                raise SystemExit("the number of rows is not told to who cannot see them")
            self.browser.run(f"{rows}.scrollTop = {rows}.scrollHeight")
        if self.browser.run("document.querySelectorAll('[data-test=row]').length") > 100:
            raise SystemExit("more rows are drawn than are seen")
        self.fits("large")
        self.browser.press("/")
        self.browser.write("x09999")
        self.browser.press("Enter", 13)
        wait(lambda: sorted(self.rows()) == [f"x{number:06}" for number in range(99_990, 100_000)],
             "the rows are those whose id begins so")
        self.have("[data-test=count]", "10 models", "their number is told")
        if self.browser.run(f"{rows}.getAttribute('aria-rowcount')") != "11":
            raise SystemExit("the number of rows is not that of those that are found")

    def came(self):
        """How many changes the feed has counted."""
        text = self.browser.text("[data-test=feed-state]") or ""
        found = re.search(r"([\d,]+) came", text)
        return int(found.group(1).replace(",", "")) if found else 0

    def flood(self, publisher):
        self.open(f"/changes?type={LARGE}")
        self.have("[data-test=feed-state]", "live", "the feed is live")

        def publish():
            begin, sent = time.monotonic(), 0
            while sent < FLOOD_RATE * FLOOD_SECONDS and publisher.poll() is None:
                due = min(int((time.monotonic() - begin) * FLOOD_RATE) + 1, FLOOD_RATE * FLOOD_SECONDS)
                publisher.stdin.writelines(f'{{"id":"x{number:06}","n":-1}}\n' for number in range(sent, due))
                publisher.stdin.flush()
                sent = due
                time.sleep(0.01)

        thread = threading.Thread(target=publish, daemon=True)
        thread.start()
        wait(lambda: self.came() >= 1000, "changes come")
        begin = time.monotonic()
        self.browser.click("[data-test=pause]")
        wait(lambda: self.browser.attribute("[data-test=pause]", "aria-pressed") == "true", "the feed is held")
        taken, is_flooded = time.monotonic() - begin, thread.is_alive()
        drawn = self.browser.run("document.querySelectorAll('[data-test=feed-row]').length")
        kept = int(self.browser.attribute("[data-test=rows]", "aria-rowcount"))
        if drawn > 100 or kept > 501:
            raise SystemExit(f"{drawn} rows are drawn and {kept} kept")
        thread.join()
        total = FLOOD_RATE * FLOOD_SECONDS
        last = urllib.parse.quote(f"x{total - 1:06}")
        wait(lambda: self.ask(f"models/{LARGE}/{last}")["model"]["n"] == -1, "all that was sent has come")
        wait(lambda: "paused" in self.browser.text("[data-test=feed-state]"), "what waits is told")
        # Where the page was slow it was told several changes as one.
        came = self.came()
        if came > total:
            raise SystemExit(f"{came} changes came, of {total}")
        when = "while they came" if is_flooded else "when they had ended"
        print(f"  {came:,} of {total:,} changes came to the feed; a click {when} took {taken:.1f} s", flush=True)
        self.browser.click("[data-test=pause]")
        wait(lambda: "wait" not in self.browser.text("[data-test=feed-state]"), "the feed goes on")
