#!/usr/bin/env python3
"""Keeps a copy of models that a Modelcast process serves over HTTP, and prints what changes.

    follow.py http://127.0.0.1:9464 [--type User] [--token-file FILE] [--until-live] [--save FILE]

The standard library is all it needs. A connection that is lost is made again, and goes on where it was. With --until-live
it ends when the state is complete, and prints it. With --save it writes the copy to a file, anew after each whole step:
whoever reads the file finds a state that was there.
"""

import argparse
import http.client
import json
import os
import time
import urllib.parse


# example: python-events
def events(address, path, last_id=None, token=None):
    """The events of a stream as (name, id, data), until the connection is lost."""
    headers = {"Accept": "text/event-stream"}
    if last_id:
        headers["Last-Event-ID"] = last_id
    if token:
        headers["Authorization"] = f"Bearer {token}"
    # A heartbeat comes every 15 seconds.
    connection = http.client.HTTPConnection(address, timeout=45)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    if answer.status >= 500:
        raise http.client.HTTPException("not now")  # its models are not there yet, or there is no place for a stream
    if answer.status != 200:
        raise SystemExit(json.load(answer)["detail"])
    name, event_id, data = "message", None, []
    for line in answer:
        line = line.decode("utf-8").rstrip("\n")
        if not line:
            if data:
                yield name, event_id, json.loads("\n".join(data))
            name, event_id, data = "message", None, []
        elif line.startswith("event: "):
            name = line[7:]
        elif line.startswith("id: "):
            event_id = line[4:]
        elif line.startswith("data: "):
            data.append(line[6:])


# end example


# example: python-follow
def follow(address, path, told, token=None):
    """Keeps `copy`, model by (type, id), equal to what the process has, and calls `told(name, data, copy)`."""
    copy, last_id = {}, None
    while True:
        try:
            for name, event_id, data in events(address, path, last_id, token):
                if name == "reset":
                    copy.clear()
                elif name == "snapshot":
                    copy[data["type"], data["id"]] = data["model"]
                elif name == "change" and data["new"] is not None:
                    copy[data["type"], data["id"]] = data["new"]
                elif name == "change":
                    copy.pop((data["type"], data["id"]), None)
                if event_id:
                    last_id = event_id
                told(name, data, copy)
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(1)


# end example


def lines(copy):
    """What is held, a model a line."""
    for (kind, model_id), model in sorted(copy.items()):
        yield json.dumps([kind, model_id, model], ensure_ascii=False)


def save(copy, path):
    """Puts what is held in the place of the file, so that nobody finds half of it."""
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines(copy))
    os.replace(f"{path}.new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="where the process serves: http://127.0.0.1:9464")
    parser.add_argument("--type", action="append", default=[], help="only models of this type; repeat it for several")
    parser.add_argument("--token-file", help="the file of a token, as modelcast keygen --token writes it")
    parser.add_argument("--until-live", action="store_true", help="end when the state is complete, and print it")
    parser.add_argument("--save", metavar="FILE", help="write the copy to this file after each step; for small copies")
    options = parser.parse_args()
    token = None
    if options.token_file:
        with open(options.token_file, encoding="utf-8") as file:
            token = file.read().strip()

    def told(name, data, copy):
        if options.save and (name == "live" or (name == "change" and not data.get("more"))):
            save(copy, options.save)
        if options.until_live and name == "live":
            for line in lines(copy):
                print(line)
            raise SystemExit(0)
        if not options.until_live:
            print(name, json.dumps(data, ensure_ascii=False), flush=True)

    query = urllib.parse.urlencode([("type", kind) for kind in options.type])
    follow(urllib.parse.urlsplit(options.url).netloc, "/v1/changes?" + query, told, token)


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        pass
