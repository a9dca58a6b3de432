import Foundation
import ModelRecord
import ModelTypes
import ModelcastMacros
import TestSupport
import Testing

/// Values of any `Codable` type as maps and arrays.
@Suite struct `Structured values` {
    private let layout = Layout(
        kind: .row, width: nil, since: Date(timeIntervalSince1970: 1.5), key: UUID(), bytes: Data([1, 2]),
        parts: [.text("a"), .pair(.nothing, .text("b"))], places: [1: "one"])

    private func fault<T: Codable & Hashable & Sendable>(_ value: Value, as type: T.Type) -> FieldFault? {
        guard case .failure(let fault) = outcome({ () throws(FieldFault) in try Structured<T>(value) }) else {
            return nil
        }
        return fault
    }

    @Test func `what is Codable travels as a map, and its parts in their own forms`() throws {
        let value = try Structured(content: layout).encoded()
        guard case .map(let map) = value else { throw CaseFailure("\(value) is no map") }
        #expect(map["kind"] == "row")
        #expect(map["width"] == nil)
        #expect(map["since"] == .timestamp(1.5))
        #expect(map["key"] == .uuid(layout.key))
        #expect(map["bytes"] == .bytes([1, 2]))
        #expect(
            map["parts"] == [
                ["text": ["_0": "a"]], ["pair": ["_0": ["nothing": [:]], "_1": ["text": ["_0": "b"]]]],
            ])
        #expect(try Structured<Layout>(value).content == layout)
        let note = Memo(id: 1, origin: nil, layout: layout, layouts: [layout])
        #expect(try note.fields["layout"] == value)
        #expect(try note.fields["layouts"] == .array([value]))
    }

    @Test func `a structured property is in JSON what its type makes of it`() throws {
        let note = Memo(id: 1, origin: nil, layout: layout, layouts: [layout])
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let json = try encoder.encode(note)
        #expect(String(decoding: json, as: UTF8.self).contains(#""since":"1970-01-01T00:00:01Z""#))
        #expect(try decoder.decode(Memo.self, from: json).layout?.key == layout.key)
        #expect(try JSONDecoder().decode(Memo.self, from: JSONEncoder().encode(note)) == note)
    }

    @Test func `scalars, arrays and classes of Codable travel, too`() throws {
        #expect(try Structured(content: 7).encoded() == 7)
        #expect(try Structured(content: [1, nil]).encoded() == [1, nil])
        #expect(try Structured(content: [[Layout.Part.nothing]]).encoded() == [[["nothing": [:]]]])
        #expect(try Structured<[Int?]>([1, nil]).content == [1, nil])
        let below = Structured(content: Below(3, 4))
        #expect(try below.encoded() == ["super": ["x": 3], "y": [4, ["z": 4], [4], nil]])
        #expect(try Structured<Below>(below.encoded()) == below)
    }

    @Test func `a fault names the way to it`() throws {
        let places: [(Value, String, FieldFault.Code, String)] = [
            (["parts": [["pair": ["_0": ["nothing": [:]], "_1": 5]]]], "parts.0.pair._1", .kind, "a map"),
            (["parts": [["text": ["_0": 5]]]], "parts.0.text._0", .kind, "text"),
            (["parts": [nil]], "parts.0", .null, "a map"),
            (["parts": 5], "parts", .kind, "an array"),
            (["since": 5], "since", .kind, "a timestamp"),
            (["kind": "heap"], "kind", .form, "what decodes as Layout: "),
            (["key": "x"], "key", .form, "a UUID"),
            (["named": ["a": ["text": [:]]]], "named.a.text._0", .incomplete, "known"),
            (["inner": [[:]]], "inner.0.kind", .incomplete, "known"),
        ]
        guard case .map(let whole) = try Structured(content: layout).encoded() else { throw CaseFailure("no map") }
        for (change, part, code, wanted) in places {
            guard case .map(let change) = change else { continue }
            let fault = fault(.map(whole.merging(change) { $1 }), as: Layout.self)
            #expect(fault?.part == part)
            #expect(fault?.code == code, "\(part)")
            #expect(fault?.wanted.hasPrefix("\(part): \(wanted)") == true, "\(part) \(fault as Any)")
        }
        #expect(fault(5, as: Layout.self) == FieldFault(.kind, wanted: "a map", value: 5))
        let long = outcome { () throws(FieldFault) in try Structured(content: ["a": [UInt64.max]]).encoded() }
        guard case .failure(let fault) = long else { throw CaseFailure("\(long)") }
        #expect(fault.part == "a.0" && fault.code == .range)
        let json = Data(#"{"id": 1, "layouts": [{"kind": "row", "since": 1, "key": 5}]}"#.utf8)
        do {
            _ = try JSONDecoder().decode(Memo.self, from: json)
            Issue.record("the note is read")
        } catch let DecodingError.dataCorrupted(context) {
            #expect(context.codingPath.map(\.stringValue) == ["layouts", "0", "key"])
        }
    }

    @Test func `any value comes back equal`() {
        forEachSeed(2_000) { _, generator in
            let value = Value.random(depth: 3, using: &generator)
            let read = try Structured<Value>(Structured(content: value).encoded()).content
            // One with a NaN in it is equal to nothing, itself included.
            guard read == value || value != value else {
                throw CaseFailure("\(value) became another")
            }
            let layout = Layout.random(depth: 2, using: &generator)
            guard try Structured<Layout>(Structured(content: layout).encoded()).content == layout else {
                throw CaseFailure("\(layout) became another")
            }
        }
    }
}

/// A class whose subclass asks a coder for all that one may ask for. Unchecked, as it has a subclass: it never changes.
private class Above: Codable, @unchecked Sendable {
    let x: Int
    init(_ x: Int) { self.x = x }
}

/// The subclass. Unchecked, as it has a superclass: it never changes.
private final class Below: Above, Hashable, @unchecked Sendable {
    private enum CodingKeys: CodingKey { case y, z }
    let y: Int

    init(_ x: Int, _ y: Int) {
        self.y = y
        super.init(x)
    }

    required init(from decoder: any Decoder) throws {
        var list = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .y)
        y = try list.decode(Int.self)
        guard try list.nestedContainer(keyedBy: CodingKeys.self).decode(Int.self, forKey: .z) == y else {
            throw CaseFailure("another number")
        }
        var inner = try list.nestedUnkeyedContainer()
        guard try inner.decode(Int.self) == y, inner.isAtEnd, list.count == 4, try list.decodeNil(), list.isAtEnd else {
            throw CaseFailure("another list")
        }
        try super.init(from: decoder.container(keyedBy: CodingKeys.self).superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var list = container.nestedUnkeyedContainer(forKey: .y)
        try list.encode(y)
        var object = list.nestedContainer(keyedBy: CodingKeys.self)
        try object.encode(y, forKey: .z)
        var inner = list.nestedUnkeyedContainer()
        try inner.encode(y)
        try list.encodeNil()
        try super.encode(to: container.superEncoder())
    }

    static func == (left: Below, right: Below) -> Bool { (left.x, left.y) == (right.x, right.y) }
    func hash(into hasher: inout Hasher) { hasher.combine(y) }
}

extension Layout.Part {
    fileprivate static func random(using generator: inout SeededGenerator) -> Layout.Part {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .text(.random(lengths: 0...5, using: &generator))
        case 1: .pair(.random(using: &generator), .random(using: &generator))
        default: .nothing
        }
    }
}

extension Layout {
    fileprivate static func random(depth: Int, using generator: inout SeededGenerator) -> Layout {
        var layout = Layout(
            kind: Bool.random(using: &generator) ? .row : .column,
            width: Bool.random(using: &generator) ? .random(in: -9...9, using: &generator) : nil,
            since: Date(timeIntervalSince1970: .random(in: -9...9, using: &generator)), key: UUID(),
            bytes: Data([UInt8].random(lengths: 0...5, using: &generator)), parts: [.random(using: &generator)],
            places: [.random(in: -9...9, using: &generator): "p"])
        layout.named[.random(lengths: 0...5, using: &generator)] = .random(using: &generator)
        if depth > 0, Bool.random(using: &generator) {
            layout.inner = [.random(depth: depth - 1, using: &generator)]
        }
        return layout
    }
}
