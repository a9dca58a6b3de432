/// The description of the gateway for programs (OpenAPI 3.1).
enum OpenAPIDocument {
    /// The document, as JSON.
    static let text = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "Modelcast gateway",
            "version": "1",
            "summary": "The models of a process: pages, single models, every change as it happens, and writes.",
            "description": "The requests that write are served where the process has a publisher for them, else 405.",
            "license": {"name": "as the process that serves"}
          },
          "servers": [{"url": "/"}],
          "security": [{}, {"token": []}],
          "paths": {
            "/v1/status": \#(statusPath),
            "/v1/history": \#(historyPath),
            "/v1/cells/{type}/{id}": \#(cellsPath),
            "/v1/comparison": \#(comparisonPath),
            "/v1/types": {
              "get": {
                "operationId": "listTypes",
                "summary": "The types that have models.",
                "parameters": [{"$ref": "#/components/parameters/after"}],
                "responses": {
                  "200": {
                    "description": "The types, by name.",
                    "content": {
                      "application/json": {
                        "schema": {
                          "type": "object",
                          "required": ["types"],
                          "properties": {
                            "types": {
                              "type": "array",
                              "items": {
                                "type": "object",
                                "required": ["type", "count", "bytes"],
                                "properties": {
                                  "type": {"$ref": "#/components/schemas/TypeName"},
                                  "count": {"type": "integer", "minimum": 1},
                                  "bytes": {"type": "integer", "minimum": 0}
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  },
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/v1/models/{type}": {
              "get": {
                "operationId": "listModels",
                "summary": "A page of the models of a type, in an order that stays while models come and go.",
                "parameters": [
                  {"$ref": "#/components/parameters/after"},
                  {"$ref": "#/components/parameters/type"},
                  {
                    "name": "after",
                    "in": "query",
                    "description": "The id behind which the page begins: the next of the page before.",
                    "schema": {"type": "string"}
                  },
                  {
                    "name": "limit",
                    "in": "query",
                    "description": "How many models the page has at most.",
                    "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
                  },
                  {
                    "name": "prefix",
                    "in": "query",
                    "description": "Only ids that begin so.",
                    "schema": {"type": "string"}
                  },
                  {"$ref": "#/components/parameters/where"},
                  {"$ref": "#/components/parameters/fields"},
                  {"$ref": "#/components/parameters/form"},
                  {"$ref": "#/components/parameters/integers"}
                ],
                "responses": {
                  "200": {
                    "description": "The page; next is null on the last one.",
                    "content": {
                      "application/json": {
                        "schema": {
                          "type": "object",
                          "required": ["models", "next"],
                          "properties": {
                            "models": {"type": "array", "items": {"$ref": "#/components/schemas/Model"}},
                            "next": {"type": ["string", "null"]}
                          }
                        }
                      }
                    }
                  },
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/v1/models/{type}/{id}": {
              "get": {
                "operationId": "getModel",
                "summary": "A model.",
                "parameters": [
                  {"$ref": "#/components/parameters/type"},
                  {"$ref": "#/components/parameters/id"},
                  {
                    "name": "If-None-Match",
                    "in": "header",
                    "description": "The ETag of what is there already.",
                    "schema": {"type": "string"}
                  },
                  {"$ref": "#/components/parameters/after"},
                  {
                    "name": "fetch",
                    "in": "query",
                    "description": "Whether a subscriber that does not hold all brings the model back.",
                    "schema": {"enum": ["false", "true"], "default": "false"}
                  },
                  {"$ref": "#/components/parameters/fields"},
                  {"$ref": "#/components/parameters/form"},
                  {"$ref": "#/components/parameters/integers"}
                ],
                "responses": {
                  "200": {
                    "description": "The model.",
                    "headers": {
                      "ETag": {
                        "description": "Another one whenever the model is.",
                        "schema": {"type": "string"}
                      }
                    },
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Model"}}}
                  },
                  "304": {"description": "It is what the asker has."},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              },
              "patch": {
                "operationId": "mergeModel",
                "summary": "Sets some fields of a model, which comes to exist if it did not.",
                "parameters": [
                  {"$ref": "#/components/parameters/type"},
                  {"$ref": "#/components/parameters/id"},
                  {"$ref": "#/components/parameters/ifMatch"},
                  {"$ref": "#/components/parameters/ifNoneMatch"},
                  {"$ref": "#/components/parameters/after"},
                  {"$ref": "#/components/parameters/fields"},
                  {"$ref": "#/components/parameters/form"},
                  {"$ref": "#/components/parameters/integers"}
                ],
                "requestBody": {
                  "required": true,
                  "content": {
                    "application/merge-patch+json": {"schema": {"type": "object"}},
                    "application/vnd.modelcast.merge+json": {"schema": {"type": "object"}}
                  }
                },
                "responses": {
                  "200": {"$ref": "#/components/responses/Written"},
                  "201": {"$ref": "#/components/responses/Written"},
                  "204": {"$ref": "#/components/responses/Gone"},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "405": {"$ref": "#/components/responses/Problem"},
                  "408": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "412": {"$ref": "#/components/responses/Conflict"},
                  "413": {"$ref": "#/components/responses/Problem"},
                  "415": {"$ref": "#/components/responses/Problem"},
                  "422": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              },
              "put": {
                "operationId": "replaceModel",
                "summary": "Makes these the only fields of a model.",
                "parameters": [
                  {"$ref": "#/components/parameters/type"},
                  {"$ref": "#/components/parameters/id"},
                  {"$ref": "#/components/parameters/ifMatch"},
                  {"$ref": "#/components/parameters/ifNoneMatch"},
                  {"$ref": "#/components/parameters/after"},
                  {"$ref": "#/components/parameters/fields"},
                  {"$ref": "#/components/parameters/form"},
                  {"$ref": "#/components/parameters/integers"}
                ],
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"type": "object"}}}
                },
                "responses": {
                  "200": {"$ref": "#/components/responses/Written"},
                  "201": {"$ref": "#/components/responses/Written"},
                  "204": {"$ref": "#/components/responses/Gone"},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "405": {"$ref": "#/components/responses/Problem"},
                  "408": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "412": {"$ref": "#/components/responses/Conflict"},
                  "413": {"$ref": "#/components/responses/Problem"},
                  "415": {"$ref": "#/components/responses/Problem"},
                  "422": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              },
              "delete": {
                "operationId": "deleteModel",
                "summary": "Deletes a model.",
                "parameters": [
                  {"$ref": "#/components/parameters/type"},
                  {"$ref": "#/components/parameters/id"},
                  {"$ref": "#/components/parameters/ifMatch"},
                  {"$ref": "#/components/parameters/ifNoneMatch"},
                  {"$ref": "#/components/parameters/after"}
                ],
                "responses": {
                  "204": {"$ref": "#/components/responses/Gone"},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "405": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "412": {"$ref": "#/components/responses/Conflict"},
                  "422": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/v1/batch": {
              "post": {
                "operationId": "writeBatch",
                "summary": "Makes several writes as one step, or none of them.",
                "parameters": [{"$ref": "#/components/parameters/after"}],
                "requestBody": {
                  "required": true,
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object",
                        "required": ["writes"],
                        "additionalProperties": false,
                        "properties": {
                          "writes": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": 64,
                            "items": {"$ref": "#/components/schemas/Write"}
                          }
                        }
                      }
                    }
                  }
                },
                "responses": {
                  "200": {
                    "description": "What the models are now: an ETag each, null where it does not exist.",
                    "headers": {"Modelcast-Token": {"$ref": "#/components/headers/Token"}},
                    "content": {
                      "application/json": {
                        "schema": {
                          "type": "object",
                          "required": ["results"],
                          "properties": {
                            "results": {
                              "type": "array",
                              "items": {
                                "type": "object",
                                "required": ["type", "id", "etag"],
                                "properties": {
                                  "type": {"$ref": "#/components/schemas/TypeName"},
                                  "id": {"type": "string"},
                                  "etag": {"type": ["string", "null"]}
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  },
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "405": {"$ref": "#/components/responses/Problem"},
                  "408": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "412": {"$ref": "#/components/responses/Conflict"},
                  "413": {"$ref": "#/components/responses/Problem"},
                  "415": {"$ref": "#/components/responses/Problem"},
                  "422": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/v1/changes": \#(changesPath)
          },
          "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
              "TypeName": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$"},
              "Model": {
                "type": "object",
                "required": ["type", "id", "model", "version"],
                "properties": {
                  "type": {"$ref": "#/components/schemas/TypeName"},
                  "id": {"type": "string"},
                  "model": {"type": "object"},
                  "version": {"type": "string", "description": "The time of the last write, and who wrote."}
                }
              },
              "Event": \#(eventSchema),
              "Write": {
                "type": "object",
                "required": ["type", "id", "op"],
                "additionalProperties": false,
                "properties": {
                  "type": {"$ref": "#/components/schemas/TypeName"},
                  "id": {"type": "string", "minLength": 1},
                  "op": {"enum": ["merge", "patch", "replace", "delete"]},
                  "model": {"type": "object"},
                  "ifMatch": {"type": "string"},
                  "ifNoneMatch": {"enum": ["*"]}
                }
              },
              "Problem": {
                "type": "object",
                "required": ["title", "status", "detail"],
                "properties": {
                  "title": {"type": "string"},
                  "status": {"type": "integer"},
                  "detail": {"type": "string", "description": "What is wrong, and what to do."}
                }
              }
            },
            "headers": {
              "Token": {
                "description": "Names the write: Modelcast-After in a later request waits for it.",
                "schema": {"type": "string"}
              }
            },
            "parameters": {
              "after": {
                "name": "Modelcast-After",
                "in": "header",
                "description": "The Modelcast-Token of a write that is to be read.",
                "schema": {"type": "string"}
              },
              "id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}},
              "ifMatch": {
                "name": "If-Match",
                "in": "header",
                "description": "The ETag of the only state that is to be written over, or * for any.",
                "schema": {"type": "string"}
              },
              "ifNoneMatch": {
                "name": "If-None-Match",
                "in": "header",
                "description": "The model must not exist.",
                "schema": {"enum": ["*"]}
              },
              "type": {
                "name": "type",
                "in": "path",
                "required": true,
                "schema": {"$ref": "#/components/schemas/TypeName"}
              },
              "where": {
                "name": "where",
                "in": "query",
                "description": "Conditions such as age>=18, all of which have to be met.",
                "schema": {"type": "array", "items": {"type": "string"}}
              },
              "fields": {
                "name": "fields",
                "in": "query",
                "explode": false,
                "description": "Only these fields, and what is nested in them.",
                "schema": {"type": "array", "items": {"type": "string", "minLength": 1}}
              },
              "form": {
                "name": "form",
                "in": "query",
                "schema": {"enum": ["nested", "flat"], "default": "nested"}
              },
              "integers": {
                "name": "integers",
                "in": "query",
                "description": "Those beyond 2^53 as numbers or as text.",
                "schema": {"enum": ["number", "text"], "default": "number"}
              }
            },
            "responses": {
              "Written": {
                "description": "The model as it is now.",
                "headers": {
                  "ETag": {"schema": {"type": "string"}},
                  "Modelcast-Token": {"$ref": "#/components/headers/Token"}
                },
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Model"}}}
              },
              "Gone": {
                "description": "The model does not exist any more: it was deleted, or given an end in the past.",
                "headers": {"Modelcast-Token": {"$ref": "#/components/headers/Token"}}
              },
              "Conflict": {
                "description": "The model is not as the request takes it to be. No ETag: it does not exist.",
                "headers": {
                  "ETag": {"schema": {"type": "string"}},
                  "Modelcast-Token": {"$ref": "#/components/headers/Token"}
                },
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
              },
              "Problem": {
                "description": "What is wrong, and what to do.",
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
              }
            }
          }
        }

        """#
}
