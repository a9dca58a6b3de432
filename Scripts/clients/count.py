#!/usr/bin/env python3
"""Counts something in a model that a Modelcast gateway writes, as many clients may at once.

    count.py http://127.0.0.1:9464 TYPE ID FIELD [--by 1] [--times 1] [--token-file FILE]

The standard library is all it needs. Each write is bound to the state that was read: where another client was faster it
is read again, so that none is lost. Prints the last value.
"""

import argparse
import http.client
import json
import urllib.parse


# example: python-write
def ask(connection, method, path, body=None, **headers):
    """Sends a request, and returns its status, headers and body."""
    headers = {name.replace("_", "-"): value for name, value in headers.items() if value}
    if body is not None:
        headers["Content-Type"] = "application/merge-patch+json" if method == "PATCH" else "application/json"
        body = json.dumps(body)
    connection.request(method, path, body=body, headers=headers)
    answer = connection.getresponse()
    text = answer.read()
    return answer.status, answer.headers, json.loads(text) if text else None


def count(connection, path, field, by=1, token=None):
    """Adds to a number, whoever else does. Returns the new value and what lets a later read find it."""
    authorization = f"Bearer {token}" if token else None
    written = None
    while True:
        # Flat, so that a field may be one of a nested object: a.b
        status, headers, body = ask(
            connection, "GET", path + "?form=flat", Authorization=authorization, Modelcast_After=written)
        if status == 200:
            value, condition = body["model"].get(field, 0) + by, {"If_Match": headers["ETag"]}
        elif status == 404:
            value, condition = by, {"If_None_Match": "*"}
        else:
            raise SystemExit(body["detail"])
        status, headers, body = ask(
            connection, "PATCH", path, {field: value}, Authorization=authorization, **condition)
        if status in (200, 201):
            return value, headers["Modelcast-Token"]
        if status != 412:  # 412: another one was faster
            raise SystemExit(body["detail"])
        # What was faster may be on its way to the copy that is read.
        written = headers["Modelcast-Token"]


# end example


# example: python-own-write
def read_own(connection, path, written, token=None):
    """Reads what was written with that token of an answer: the gateway waits until its copy has it."""
    authorization = f"Bearer {token}" if token else None
    status, _, body = ask(connection, "GET", path, Authorization=authorization, Modelcast_After=written)
    if status != 200:
        raise SystemExit(body["detail"] if body else f"the answer is {status}")
    return body["model"]


# end example


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="where the gateway serves: http://127.0.0.1:9464")
    parser.add_argument("type", help="the type of the model")
    parser.add_argument("id", help="the id of the model")
    parser.add_argument("field", help="the field, a number")
    parser.add_argument("--by", type=int, default=1, help="what is added")
    parser.add_argument("--times", type=int, default=1, help="how often")
    parser.add_argument("--token-file", help="the file of a token, as modelcast keygen --token writes it")
    options = parser.parse_args()
    token = None
    if options.token_file:
        with open(options.token_file, encoding="utf-8") as file:
            token = file.read().strip()
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(options.url).netloc, timeout=30)
    path = "/".join(["/v1/models", urllib.parse.quote(options.type, safe=""), urllib.parse.quote(options.id, safe="")])
    value = None
    for _ in range(options.times):
        value, written = count(connection, path, options.field, options.by, token)
    # The write is read where it can be read by everybody who asks this gateway.
    read_own(connection, path, written, token)
    print(value)


if __name__ == "__main__":
    main()
