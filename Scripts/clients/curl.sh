#!/usr/bin/env bash
# Writes and reads models of a gateway with curl alone, and prints what it reads: the model, a page of those whose ids
# begin so, and the names of the events that come.
#
#   curl.sh URL TYPE ID        for example  curl.sh http://127.0.0.1:9464 User 1
#
# The gateway has to be one that writes, without tokens.
set -euo pipefail
url=$1 type=$2 id=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# example: curl
# Makes the model, and keeps the head of the answer.
curl -sf -o /dev/null -D head -X PUT -H 'Content-Type: application/json' \
    -d '{"name":"Ada","age":36}' "$url/v1/models/$type/$id"
tag=$(sed -n 's/^etag: //ip' head | tr -d '\r')

# Changes it only if nobody else has meanwhile: else the answer is 412.
curl -sf -o /dev/null -D head -X PATCH -H 'Content-Type: application/merge-patch+json' \
    -H "If-Match: $tag" -d '{"age":37}' "$url/v1/models/$type/$id"
token=$(sed -n 's/^modelcast-token: //ip' head | tr -d '\r')

# Reads what it has written itself: the answer waits until the copy has it.
curl -sf -H "Modelcast-After: $token" "$url/v1/models/$type/$id"

# Reads a page of the models whose ids begin so.
curl -sf "$url/v1/models/$type?prefix=$id&limit=10"

# Follows for two seconds: the state, then each change.
curl -sN --max-time 2 "$url/v1/changes?type=$type" | grep '^event:' || true
# end example
