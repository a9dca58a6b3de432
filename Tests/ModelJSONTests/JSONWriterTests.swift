import Foundation
import Logging
@_spi(CacheWriting) import ModelCache
import ModelRecord
import Modelcast
import Testing

@testable import ModelJSON

@Suite struct JSONWriterTests {
    static let forms: [(Value, String)] = [
        (.null, "null"), (.bool(true), "true"), (.int(.min), "-9223372036854775808"),
        (.double(1), "1.0"), (.double(-0.1), "-0.1"), (.double(1e300), "1e+300"),
        (.double(.nan), #"{"$double":"nan"}"#), (.double(-.infinity), #"{"$double":"-inf"}"#),
        (.text("a\"\\\n\t\r\u{1}é😀"), #""a\"\\\n\t\r\u0001é😀""#), (.text(""), #""""#),
        (.text("\u{7F}\u{9B}\u{2028}\u{202E}\u{E0041}é\""), #""\u007f\u009b\u2028\u202e\udb40\udc41é\"""#),
        (.bytes([0, 255, 16]), #"{"$bytes":"AP8Q"}"#), (.uri("https://a.b/"), #""https://a.b/""#),
        (.timestamp(1.5), "1.5"), (.tagged(999, encoded: [1]), #"{"$tag":999,"$cbor":"AQ=="}"#),
        (.array([.int(1), .array([])]), "[1,[]]"), (.map(["b": .int(1), "aa": .null]), #"{"b":1,"aa":null}"#),
    ]

    @Test(arguments: forms)
    func `each kind of value has its form`(_ value: Value, _ expected: String) {
        #expect(written { $0.write(value) } == expected)
    }

    @Test func `a UUID is written in lower case`() throws {
        let uuid = try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
        #expect(written { $0.write(.uuid(uuid)) } == #""01234567-89ab-cdef-0123-456789abcdef""#)
    }

    @Test func `a change tells type, id, fields, both states, origin and version`() throws {
        let cache = ModelCache()
        let publisher = try Publisher(
            PublisherConfiguration(name: "p", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try publisher.merge("T", "1", ["a": 1, "b.c": "x"])
        let record = try #require(publisher.cache["T", "1"])
        let queue = cache.changeQueue(.everything, evictions: false, includingState: false) {}
        _ = cache.commit { $0.join(record, type: "T") }
        let change = try #require(queue.next()?.first)
        let line = written { $0.writeLine(change) }
        let version = try #require(record.touched)
        #expect(
            line == """
                {"type":"T","id":"1","changed":["a","b.c"],"old":null,"new":{"a":1,"b":{"c":"x"}},\
                "origin":"p","version":"\(version)"}

                """)
        let model = written { $0.writeLine(type: "T", model: record) }
        #expect(model == #"{"type":"T","id":"1","model":{"a":1,"b":{"c":"x"}}}"# + "\n")
    }

    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
