import Foundation
import ModelRecord
import ModelTypes
import ModelcastMacros
import TestSupport
import Testing

/// Structs that are the value of one field.
@Suite struct `Structs that are one value` {
    private func read<T: Decodable>(_ json: String, as type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(T.self, from: Data(json.utf8))
    }

    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The path and the words of an error of decoding.
    private func refusal(_ body: () throws -> Void) -> (path: String, words: String, cause: (any Error)?)? {
        do {
            try body()
            return nil
        } catch let DecodingError.dataCorrupted(context) {
            let path = context.codingPath.map(\.stringValue).joined(separator: "/")
            return (path, context.debugDescription, context.underlyingError)
        } catch {
            return ("", "\(error)", nil)
        }
    }

    private let label = Label(text: "a", weight: 1, since: Date(timeIntervalSince1970: 0))
    private let labelMap: Value = [
        "text": "a", "w": 1, "since": "1970-01-01T00:00:00Z", "colour": "red", "key": nil,
    ]

    // MARK: What travels

    @Test func `a struct is a map in what travels, with the names and forms that its fields say`() throws {
        #expect(try label.encoded() == labelMap)
        #expect(try Label(labelMap) == label)
        let note = Memo(id: 1, label: label, labels: [label], byName: ["b": label], origin: nil)
        let fields = try note.fields
        #expect(fields["label"] == labelMap)
        #expect(fields["all"] == .array([labelMap]))
        #expect(fields["byName"] == ["b": labelMap])
        #expect(fields["label.text"] == nil)
    }

    @Test func `a struct is one field: any change of it is all of it`() throws {
        let old = Memo(id: 1, label: label, labels: [label, label], origin: nil)
        let new = old.with {
            $0.label?.weight = nil
            $0.labels[1].text = "z"
        }
        let changes = try new.diff(from: old)
        #expect(Set(changes.pairs.map(\.field)) == ["label", "all"])
        #expect(changes["all"] == .array([labelMap, try new.labels[1].encoded()]))
        #expect(try old.diff(from: old) == [:])
        #expect(Memo.field(of: \.label).text == "label")
    }

    @Test func `keys that are missing or null take the default or nil, and others are passed over`() throws {
        #expect(try Label(["text": "a"]) == Label(text: "a"))
        #expect(try Label(["text": "a", "colour": nil, "w": nil, "more": 1]) == Label(text: "a"))
        #expect(try Nothing([:]).encoded() == [:])
    }

    @Test func `groups within have the form of JSON in what travels, too`() throws {
        let node = Node(
            name: "n", children: [Node(name: "c")], title: "T", place: Place(latitude: 1, longitude: 2),
            contact: .phone("+1"), shape: .point)
        let map = try node.encoded()
        guard case .map(let members) = map else { throw CaseFailure("\(map) is no map") }
        #expect(members["meta"] == ["title": "T", "place": ["latitude": 1.0, "longitude": 2.0]])
        #expect(members["contact"] == ["phone": "+1"])
        #expect(members["shape"] == ["kind": "point"])
        #expect(try Node(map) == node)
    }

    // MARK: JSON

    @Test func `a struct is an object in JSON, alone and in arrays and maps`() throws {
        let json =
            #"{"id": 1, "label": {"text": "a"}, "all": [{"text": "b", "w": 2}], "byName": {"x": {"text": "c"}}, "#
            + #""grid": [[null, {"text": "d"}]], "#
            + #""root": {"name": "r", "children": [{"name": "s"}], "meta": {"title": "T"}}}"#
        let note: Memo = try read(json)
        #expect(note.label == Label(text: "a"))
        #expect(note.labels == [Label(text: "b", weight: 2)])
        #expect(note.byName == ["x": Label(text: "c")])
        #expect(note.grid == [[nil, Label(text: "d")]])
        #expect(note.root == Node(name: "r", children: [Node(name: "s")], title: "T"))
        #expect(try read(text(note)) == note)
        #expect(try text(Label(text: "a")) == #"{"colour":"red","key":null,"since":null,"text":"a","w":null}"#)
    }

    @Test func `an error has the path into the struct, in JSON and on the wire`() throws {
        let places = [
            (#"{"id": 1, "origin": {"text": 5}}"#, "origin/text", "Memo 1: origin.text: 5 is not text"),
            (#"{"id": 1, "origin": {}}"#, "origin/text", "Memo 1: origin.text: unknown"),
            (
                #"{"id": 1, "all": [{"text": "a"}, {"text": ""}]}"#, "all/1/text",
                "Memo 1: all.1.text: \"\" is not text of 1 to 10 characters"
            ),
            (#"{"id": 1, "all": [{"text": "a"}, 5]}"#, "all/1", "Memo 1: all.1: 5 is not a map"),
            (#"{"id": 1, "all": [{"text": "a"}, null]}"#, "all/1", "Memo 1: all.1: null is not a map"),
            (
                #"{"id": 1, "byName": {"x": {"text": "a", "since": "now"}}}"#, "byName/x/since",
                "Memo 1: byName.x.since: \"now\" is not a date in the form of ISO 8601, as 2026-11-22T16:07:02Z"
            ),
            (
                #"{"id": 1, "root": {"name": "a", "children": [{"name": "b", "named": {"c": {"name": 1}}}]}}"#,
                "root/children/0/named/c/name", "Memo 1: root.children.0.named.c.name: 1 is not text"
            ),
            (
                #"{"id": 1, "root": {"name": "a", "meta": {"place": {"latitude": 1}}}}"#, "root/meta/place/longitude",
                "Memo 1: root.meta.place.longitude: unknown"
            ),
            (#"{"id": 1, "label": []}"#, "label", "Memo 1: label: an array of 0 values is not a map"),
        ]
        for (json, path, words) in places {
            let refusal = refusal { _ = try read(json, as: Memo.self) }
            #expect(refusal?.path == path, "\(json)")
            #expect(refusal?.words == words, "\(json)")
            #expect(
                (refusal?.cause as? ModelProblem)?.problems.first?.fault?.part
                    == path.split(separator: "/").dropFirst()
                    .joined(separator: "."), "\(json)")
            // The same in what travels, which is the same but for the forms of scalars.
            let document: [String: Value] = try read(json)
            let field = try #require(path.split(separator: "/").first.map(String.init))
            let value = try #require(document[field])
            let fault = outcome { () throws(FieldFault) in
                switch field {
                case "all": _ = try [Label](value)
                case "byName": _ = try [String: Label](value)
                case "root": _ = try Node(value)
                default: _ = try Label(value)
                }
            }
            guard case .failure(let fault) = fault else { throw CaseFailure("\(value) is read") }
            #expect("Memo 1: \(FieldProblem(field, fault))" == words, "\(json)")
        }
        let alone = refusal { _ = try read(#"[{"name": "a", "children": [{"name": 1}]}]"#, as: [Node].self) }
        #expect(alone?.path == "Index 0/children/0/name")
        #expect(
            alone?.cause as? FieldProblem
                == FieldProblem(
                    "children", FieldFault(.kind, wanted: "0.name: text", value: 1, part: "0.name")))
    }

    @Test func `what cannot be written is an error with its path`() throws {
        let note = Memo(id: 1, labels: [label, Label(text: "")], origin: nil)
        #expect(
            outcome { () throws(FieldProblem) in try note.fields }
                == .failure(
                    FieldProblem(
                        "all",
                        FieldFault(
                            .invalid, wanted: "1.text: text of 1 to 10 characters", value: "", part: "1.text"))))
        do {
            _ = try text(note)
            Issue.record("the note has JSON")
        } catch let EncodingError.invalidValue(_, context) {
            #expect(context.codingPath.map(\.stringValue) == ["all", "1", "text"])
            #expect((context.underlyingError as? FieldProblem)?.fault?.part == "1.text")
        }
    }

    @Test func `elements are counted, also those of a struct's own type`() throws {
        let two: Value = ["name": "n", "labels": .array([labelMap, labelMap])]
        let fault = FieldFault(
            .invalid, wanted: "labels: 0 to 1 element", value: .array([labelMap, labelMap]), part: "labels")
        #expect(outcome { () throws(FieldFault) in try Node(two) } == .failure(fault))
        let many = Node(name: "n", others: Array(repeating: Node(name: "o"), count: 4))
        guard case .failure(let fault) = outcome({ () throws(FieldFault) in try many.encoded() }) else {
            throw CaseFailure("four others are written")
        }
        #expect(fault.code == .invalid && fault.wanted == "others: 0 to 3 elements" && fault.part == "others")
        #expect(CountValidation(1...).wanted == "at least 1 element")
        #expect(CountValidation(2...2).wanted == "2 elements")
        #expect(CountValidation(1...).accepts([1]) && !CountValidation(2...3).accepts([1]))
    }

    // MARK: Own members

    @Test func `an equality and a JSON form of one's own are kept, and do not change what travels`() throws {
        let old = Memo(id: 1, tag: Tag(text: "Swift"), origin: nil)
        #expect(Tag(text: "SWIFT") == Tag(text: "Swift"))
        let changes = try old.with { $0.tag = Tag(text: "SWIFT") }.diff(from: old)
        #expect(changes == [:])
        #expect(try old.fields["tag"] == ["text": "Swift"])
        #expect(try text(old).contains(#""tag":"Swift""#))
        #expect(try read(text(old)) == old)
        let pair = Pair(source: "A", names: Pair.Words(default: 1, sink: 2, source: nil), sink: nil, in: 4, id: .red)
        #expect(try Pair(pair.encoded()) == pair)
        #expect(try read(text(pair)) == pair)
        #expect(pair.source == "a")
    }

    @Test func `a payload of a tagged enum stands beside the tag`() throws {
        let note = Memo(id: 1, mark: .label(Label(text: "a")), origin: nil)
        #expect(try note.fields["mark"] == "label")
        #expect(try note.fields["mark.label"] == Label(text: "a").encoded())
        #expect(
            try text(note).contains(
                #""mark":{"colour":"red","key":null,"kind":"label","since":null,"text":"a","w":null}"#))
        #expect(try read(text(note)) == note)
        #expect(throws: DecodingError.self) { try read(#"{"id": 1, "mark": {"text": "a"}}"#, as: Memo.self) }
    }

    @Test func `any struct comes back equal from JSON and from the wire`() {
        forEachSeed(2_000) { _, generator in
            let note = Memo.random(using: &generator)
            let copy: Memo = try read(text(note))
            guard copy == note else { throw CaseFailure("\(note) became \(copy)") }
            var values: [String: Value] = [:]
            for pair in try note.fields.pairs { values[pair.field] = pair.value }
            for (field, value) in values where field == "root" && !value.isNull {
                guard try Node(value) == note.root else { throw CaseFailure("\(value) is another node") }
            }
            guard try [Label](values["all"] ?? []) == note.labels else { throw CaseFailure("other labels") }
        }
    }
}

extension Label {
    fileprivate static func random(using generator: inout SeededGenerator) -> Label {
        Label(
            text: .random(lengths: 1...10, using: &generator),
            weight: Bool.random(using: &generator) ? .random(in: .min ... .max, using: &generator) : nil,
            since: Bool.random(using: &generator)
                ? Date(timeIntervalSince1970: Double(Int.random(in: 0...4_000_000_000, using: &generator))) : nil,
            colour: Bool.random(using: &generator) ? .red : .green, key: Bool.random(using: &generator) ? UUID() : nil)
    }
}

extension Node {
    fileprivate static func random(depth: Int, using generator: inout SeededGenerator) -> Node {
        var node = Node(name: .random(lengths: 0...5, using: &generator))
        if depth > 0 {
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                node.children.append(.random(depth: depth - 1, using: &generator))
                node.named[.random(lengths: 0...5, using: &generator)] = .random(depth: depth - 1, using: &generator)
            }
        }
        if Bool.random(using: &generator) { node.title = .random(lengths: 0...5, using: &generator) }
        if Bool.random(using: &generator) {
            node.place = Place(latitude: .random(in: -9...9, using: &generator), longitude: 3)
        }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: node.contact = .phone(.random(lengths: 0...5, using: &generator))
        case 1: node.contact = .card(number: "7", month: .random(in: 1...12, using: &generator))
        case 2: (node.contact, node.shape) = (.nobody, .hidden)
        default: node.shape = .box(width: 1, height: 2)
        }
        if Bool.random(using: &generator) { node.labels = [.random(using: &generator)] }
        return node
    }
}

extension Memo {
    fileprivate static func random(using generator: inout SeededGenerator) -> Memo {
        let labels = (0..<Int.random(in: 0...3, using: &generator)).map { _ in Label.random(using: &generator) }
        let marks: [Emblem?] = [.label(.random(using: &generator)), .tag(name: Tag(text: "t")), Emblem.none, nil]
        return Memo(
            id: .random(in: 0...9, using: &generator), label: labels.first, labels: labels,
            byName: labels.last.map { [String.random(lengths: 0...5, using: &generator): $0] },
            grid: Bool.random(using: &generator) ? [labels, [nil], []] : nil,
            root: Bool.random(using: &generator) ? .random(depth: 3, using: &generator) : nil,
            mark: marks.randomElement(using: &generator) ?? nil, origin: labels.first)
    }
}

/// The result of `body`, whose error has a type.
func outcome<R, E>(_ body: () throws(E) -> R) -> Result<R, E> {
    do { return .success(try body()) } catch { return .failure(error) }
}
