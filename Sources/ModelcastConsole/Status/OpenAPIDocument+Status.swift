extension OpenAPIDocument {
    /// The description of `/v1/status`.
    static let statusPath = #"""
        {
          "get": {
            "operationId": "readStatus",
            "description": "Where there are tokens, it needs one with the right operate.",
            "summary": "How the process is: what is wrong first, then each service.",
            "responses": {
              "200": {
                "description": "The checks of /readyz, and the services. New members may come.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "required": ["ready", "checks", "services"],
                      "properties": {
                        "ready": {"type": "boolean"},
                        "checks": {
                          "type": "array",
                          "items": {
                            "type": "object",
                            "required": ["check", "problem"],
                            "properties": {
                              "check": {"type": "string"},
                              "problem": {"type": ["string", "null"]}
                            }
                          }
                        },
                        "services": {
                          "type": "array",
                          "items": {
                            "type": "object",
                            "required": ["service", "name", "types", "typesCount"],
                            "properties": {
                              "service": {"enum": ["publisher", "subscriber", "relay"]},
                              "name": {"type": "string"},
                              "types": {"type": "array", "items": {"type": "object"}},
                              "typesCount": {"type": "integer", "minimum": 0},
                              "queues": {"type": "array", "items": {"type": "object"}}
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
              "403": {"$ref": "#/components/responses/Problem"}
            }
          }
        }
        """#
}
