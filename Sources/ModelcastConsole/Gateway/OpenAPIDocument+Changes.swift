/// The stream of changes in the description of the gateway.
extension OpenAPIDocument {
    /// The description of `/v1/changes`.
    static let changesPath = #"""
        {
          "get": {
            "operationId": "followChanges",
            "summary": "The state, then each change, as events: snapshot, live, change, reset, heartbeat.",
            "parameters": [
              {
                "name": "state",
                "in": "query",
                "description": "none: without the state, only what changes from now on.",
                "schema": {"enum": ["full", "none"]}
              },
              {
                "name": "type",
                "in": "query",
                "description": "Only these types.",
                "schema": {"type": "array", "items": {"$ref": "#/components/schemas/TypeName"}}
              },
              {
                "name": "id",
                "in": "query",
                "description": "Only these ids.",
                "schema": {"type": "array", "items": {"type": "string", "minLength": 1}}
              },
              {"$ref": "#/components/parameters/where"},
              {"$ref": "#/components/parameters/fields"},
              {"$ref": "#/components/parameters/form"},
              {"$ref": "#/components/parameters/integers"},
              {
                "name": "lastEventID",
                "in": "query",
                "description": "As Last-Event-ID, for who cannot set headers.",
                "schema": {"type": "string"}
              },
              {
                "name": "Last-Event-ID",
                "in": "header",
                "description": "The id of the last event: the stream goes on behind it, or begins with reset.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "Events, each of this form; the answer has no end.",
                "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/Event"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "403": {"$ref": "#/components/responses/Problem"},
              "503": {"$ref": "#/components/responses/Problem"}
            }
          }
        }
        """#

    /// The form of one event.
    static let eventSchema = #"""
        {
          "type": "object",
          "description": "An event: its name, its id, and what it says, which is JSON.",
          "required": ["id", "event", "data"],
          "properties": {
            "id": {"type": "string", "description": "For Last-Event-ID."},
            "event": {"enum": ["snapshot", "live", "change", "reset", "heartbeat"]},
            "data": {"type": "string", "contentMediaType": "application/json"}
          }
        }
        """#
}
