extension OpenAPIDocument {
    /// The description of `/v1/history`.
    static let historyPath = #"""
        {
          "get": {
            "operationId": "readHistory",
            "summary": "The last changes, the newest first: who has written what, when, and what it replaced.",
            "parameters": [
              {"$ref": "#/components/parameters/after"},
              {"name": "type", "in": "query", "description": "Only these types.",
                "schema": {"type": "array", "items": {"$ref": "#/components/schemas/TypeName"}}},
              {"name": "id", "in": "query", "description": "Only these ids.",
                "schema": {"type": "array", "items": {"type": "string", "minLength": 1}}},
              {"name": "field", "in": "query",
                "description": "Only changes of that field, and only what it was and is.",
                "schema": {"type": "string"}},
              {"name": "origin", "in": "query", "description": "Only what this publisher has written.",
                "schema": {"type": "string"}},
              {"name": "before", "in": "query", "description": "Only changes before that number.",
                "schema": {"type": "integer", "minimum": 1}},
              {"name": "limit", "in": "query", "description": "How many changes at most.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}},
              {"$ref": "#/components/parameters/integers"}
            ],
            "responses": {
              "200": {
                "description": "The changes; next is the before of the next answer, null at the end of what is kept.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "required": ["changes", "next", "kept"],
                      "properties": {
                        "changes": {
                          "type": "array",
                          "items": {
                            "type": "object",
                            "required": [
                              "number", "type", "id", "reason", "changed", "old", "new", "written", "applied"
                            ],
                            "properties": {
                              "number": {"type": "integer", "minimum": 0},
                              "type": {"$ref": "#/components/schemas/TypeName"},
                              "id": {"type": "string"},
                              "reason": {"type": "string"},
                              "changed": {"type": "array", "items": {"type": "string"}},
                              "old": {"type": ["object", "null"]},
                              "new": {"type": ["object", "null"]},
                              "written": \#(writtenSchema),
                              "applied": {"type": ["string", "null"]}
                            }
                          }
                        },
                        "next": {"type": ["integer", "null"]},
                        "kept": {
                          "type": "object",
                          "required": ["changes", "bytes", "bytesMax", "since"],
                          "properties": {
                            "changes": {"type": ["integer", "null"], "minimum": 0},
                            "bytes": {"type": ["integer", "null"], "minimum": 0},
                            "bytesMax": {"type": "integer", "minimum": 0},
                            "since": {"type": ["string", "null"]}
                          }
                        }
                      }
                    }
                  }
                }
              },
              \#(refusals)
            }
          }
        }
        """#

    /// The description of `/v1/cells/{type}/{id}`.
    static let cellsPath = #"""
        {
          "get": {
            "operationId": "readCells",
            "summary": "A model with what is known of each field: its value, who wrote it, and when.",
            "parameters": [
              {"$ref": "#/components/parameters/after"},
              {"$ref": "#/components/parameters/type"},
              {"$ref": "#/components/parameters/id"},
              {"$ref": "#/components/parameters/fields"},
              {"$ref": "#/components/parameters/integers"}
            ],
            "responses": {
              "200": {
                "description": "The cells; touched is the last merge or replace, floor the last replace or delete.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "required": ["type", "id", "bytes", "cells", "touched", "floor"],
                      "properties": {
                        "type": {"$ref": "#/components/schemas/TypeName"},
                        "id": {"type": "string"},
                        "bytes": {"type": "integer", "minimum": 1},
                        "cells": {
                          "type": "array",
                          "items": {
                            "type": "object",
                            "required": ["field", "value", "written"],
                            "properties": {
                              "field": {"type": "string"}, "value": true, "written": \#(writtenSchema)
                            }
                          }
                        },
                        "touched": {"type": ["object", "null"]},
                        "floor": {"type": ["object", "null"]}
                      }
                    }
                  }
                }
              },
              \#(refusals)
            }
          }
        }
        """#

    /// The description of `/v1/comparison`.
    static let comparisonPath = #"""
        {
          "get": {
            "operationId": "compare",
            "description": "Where there are tokens, it needs one with the right operate. Takes up to ten seconds.",
            "summary": "Whether the copy is that of one of the senders, and what differs.",
            "parameters": [
              {"name": "sender", "in": "query", "description": "The number of the sender in /v1/status.",
                "schema": {"type": "integer", "minimum": 1, "default": 1}},
              {"$ref": "#/components/parameters/integers"}
            ],
            "responses": {
              "200": {
                "description": "The verdict on each type that the sender has; apart where both never stood still.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "required": ["with", "seconds", "types"],
                      "properties": {
                        "with": {"type": "string"},
                        "seconds": {"type": "number", "minimum": 0},
                        "types": {
                          "type": "array",
                          "items": {
                            "type": "object",
                            "required": ["type", "verdict"],
                            "properties": {
                              "type": {"$ref": "#/components/schemas/TypeName"},
                              "verdict": {"enum": ["equal", "equal-where-held", "different", "apart", "uncompared"]},
                              "digest": {"type": "string"},
                              "here": {"type": "string"},
                              "there": {"type": "string"},
                              "differences": {"type": "array", "items": {"type": "object"}},
                              "differencesCount": {"type": "integer", "minimum": 1},
                              "models": {"type": "integer", "minimum": 0},
                              "evicted": {"type": "integer", "minimum": 0}
                            }
                          }
                        }
                      }
                    }
                  }
                }
              },
              \#(refusals)
            }
          }
        }
        """#

    private static let writtenSchema = #"""
        {
          "type": "object",
          "required": ["version", "origin", "time"],
          "properties": {
            "version": {"type": "string"}, "origin": {"type": "string"}, "time": {"type": ["string", "null"]}
          }
        }
        """#

    private static let refusals = ["400", "401", "403", "404", "409", "503"]
        .map { ##""\##($0)": {"$ref": "#/components/responses/Problem"}"## }.joined(separator: ", ")
}
