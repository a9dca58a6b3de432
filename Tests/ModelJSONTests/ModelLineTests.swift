import Logging
import ModelRecord
import Modelcast
import Testing

@testable import ModelJSON

@Suite struct ModelLineTests {
    @Test(
        arguments: [
            (IDType.integer, "7", "7"), (.integer, "\"007\"", "7"), (.integer, "-1", "-1"), (.integer, "7.0", nil),
            (.integer, "\"a\"", nil), (.integer, "\"99999999999999999999\"", nil), (.text, "7", nil),
            (.uuid, "\"8c7d10ac-0000-4000-8000-00000000abcd\"", "8C7D10AC-0000-4000-8000-00000000ABCD"),
            (.uuid, "\"8c7d\"", nil), (.uuid, "7", nil),
        ] as [(IDType, String, String?)])
    func `ids are taken as what they are said to be, in one form`(type: IDType, value: String, id: String?) {
        let line = Array("{\"id\": \(value), \"a\": 1}".utf8)
        let model = try? ModelLine(line.span, idField: "id", idType: type)
        #expect(model?.id == id)
    }

    @Test func `nested objects become dotted fields, and the id is none of them`() throws {
        let line = #"{"id":"1","name":"Ada","address":{"city":"London","geo":{"lat":51.5}},"tags":["a",{"b":{"c":1}}]}"#
        let model = try read(line)
        #expect(model.id == "1")
        #expect(
            model.fields == [
                "name": "Ada", "address.city": "London", "address.geo.lat": 51.5,
                "tags": ["a", ["b": ["c": 1]]],
            ])
    }

    @Test func `an empty object is a value at every depth`() throws {
        #expect(try read(#"{"id":"1","a":{},"b":{"c":{}}}"#).fields == ["a": .map([:]), "b.c": .map([:])])
    }

    @Test func `null is a value and a model may have no fields`() throws {
        #expect(try read(#"{"id":"1","a":null}"#).fields == ["a": .null])
        #expect(try read(#"{"id":"1"}"#).fields.isEmpty)
    }

    @Test func `the id may stand in an object`() throws {
        let model = try read(#"{"meta":{"id":"7","kind":"x"}}"#, idField: "meta.id")
        #expect(model == ModelLine(id: "7", fields: ["meta.kind": "x"]))
    }

    static let refused: [(String, String)] = [
        (#"{"name":"Ada"}"#, "\"id\" is missing"), (#"{"id":7}"#, "\"id\" is no text"),
        (#"{"id":null}"#, "no text"), (#"{"id":{}}"#, "no text"), (#"{"id":{"x":1}}"#, "no text"),
        (#"{"id":""}"#, "id is empty"), (#"{"id":"a\u0000"}"#, "NUL"),
        (#"{"id":"\#(String(repeating: "x", count: 256))"}"#, "256 bytes"),
        (#"{"id":"1","id":"1"}"#, "\"id\" is given twice"), (#"{"id":"1","a":1,"a":1}"#, "\"a\" is given twice"),
        (#"{"id":"1","a.b":1,"a":{"b":2}}"#, "\"a.b\" is given twice"),
        (#"{"id":"1","a":{"b":2},"a.b":1}"#, "\"a.b\" is given twice"),
        (#"{"id":"1","a":1,"a":{"b":2}}"#, "\"a\" is given twice"),
        (#"{"id":"1","a":{"b":2},"a":1}"#, "\"a\" is given twice"),
        (#"{"id":"1","a":{"b":2},"a":{"c":2}}"#, "\"a\" is given twice"),
        (#"{"id":"1","a":{},"a":{}}"#, "\"a\" is given twice"),
        (#"{"id":"1","":1}"#, "the empty name, which is reserved"), (#"{"id":"1","a":{"":1}}"#, "which is reserved"),
        (#"{"id":"1","a":1,"id":"2"}"#, "the name is reserved for the id"),
        ("7", "expected an object"), ("[]", "expected an object"), (#"{"id":"1"} x"#, "behind the object"),
        (#"{"id":"1""#, "ends too early"), (#"{"id":"1","n":18446744073709551616}"#, "64 bits"),
    ]

    @Test(arguments: refused)
    func `a line that is no model is refused with a reason`(_ line: String, _ reason: String) {
        let refusal = #expect(throws: LineRefusal.self) { try read(line) }
        #expect(refusal?.reason.contains(reason) ?? false, "\(line): \(String(describing: refusal))")
    }

    @Test func `objects count as nesting below the model`() throws {
        let open = String(repeating: #"{"a":"#, count: 16)
        let close = String(repeating: "}", count: 16)
        let model = try read(#"{"id":"1","x":\#(open)1\#(close)}"#)
        #expect(model.fields.count == 1)
        let refusal = #expect(throws: LineRefusal.self) { try read(#"{"id":"1","x":\#(open)[1]\#(close)}"#) }
        #expect(refusal?.reason.contains("nested deeper than 16 levels") ?? false)
    }

    @Test func `a refused line tells its id when the id came before the fault`() {
        #expect(throws: LineRefusal(reason: "the line ends too early", id: "1")) { try read(#"{"id":"1","#) }
        let refusal = #expect(throws: LineRefusal.self) { try read(#"{"a":!,"id":"1"}"#) }
        #expect(refusal?.id == nil)
    }

    private func read(_ line: String, idField: String = "id") throws(LineRefusal) -> ModelLine {
        let bytes = Array(line.utf8)
        return try ModelLine(bytes.span, idField: idField)
    }

    @Test func `null in the place of an object empties its fields, and an object takes the place of null`() throws {
        let publisher = try Publisher(
            PublisherConfiguration(name: "p", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        func publish(_ line: String) throws {
            let model = try read(line)
            try publisher.merge("T", model.id, model.fields(over: publisher.cache["T", model.id]))
        }
        func fields() -> [String: Value] {
            let cells = publisher.cache["T", "1"]?.cells.filter { $0.value != .undefined } ?? []
            return Dictionary(uniqueKeysWithValues: cells.map { ($0.field, $0.value) })
        }
        try publish(#"{"id":"1","a":{"b":1,"c":{"d":2}},"ab":3}"#)
        try publish(#"{"id":"1","a":null}"#)
        #expect(fields() == ["a": .null, "a.b": .null, "a.c.d": .null, "ab": 3])
        try publish(#"{"id":"1","a":{"c":{"d":4}}}"#)
        #expect(fields() == ["a.b": .null, "a.c.d": 4, "ab": 3])
        try publish(#"{"id":"1","a":{"c":null}}"#)
        #expect(fields() == ["a.b": .null, "a.c": .null, "a.c.d": .null, "ab": 3])
        try publish(#"{"id":"1","a":{"c":"x"}}"#)
        #expect(fields() == ["a.b": .null, "a.c": "x", "a.c.d": .null, "ab": 3])
    }
}
