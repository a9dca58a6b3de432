import Foundation
public import ModelcastMacros

@FieldValue
struct Label {
    @Field(validate: .length(1...10)) var text: String
    @Field("w") var weight: Int?
    @Field(convert: .iso8601) var since: Date?
    var colour: Colour = .red
    var key: UUID?
}

/// A struct within itself, and with groups within.
@FieldValue
struct Node {
    var name: String
    var children: [Node] = []
    var named: [String: Node] = [:]
    @Field("meta.title") var title: String?
    @Field("meta.place") var place: Place?
    var contact: Contact?
    var shape: Shape?
    @Field(validate: .count(0...1)) var labels: [Label]?
    @Field(validate: .count(0...3)) var others: [Node] = []
}

/// A struct with its own equality, and its own form in JSON: a text.
@FieldValue
struct Tag: Hashable, Codable {
    var text: String

    static func == (left: Tag, right: Tag) -> Bool { left.text.lowercased() == right.text.lowercased() }
    func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// A payload that is one value.
@OneOf(.tagged(by: "kind"))
enum Emblem {
    case label(Label)
    case tag(name: Tag)
    case none
}

@Model
struct Memo {
    @ID let id: Int
    var label: Label?
    var main: Label = Label(text: "main")
    @Field("all", validate: .check("at most 9 labels") { @Sendable (labels: [Label]) in labels.count < 10 })
    var labels: [Label] = []
    var byName: [String: Label]?
    var grid: [[Label?]]?
    var root: Node?
    var tag: Tag?
    var mark: Emblem?
    @Constant let origin: Label?
    @Field(convert: .structured(Layout.self)) var layout: Layout?
    @Field(convert: .structured(Layout.self).elements) var layouts: [Layout]?
}

/// A type of another library, as far as this one knows: `Codable` and no more.
struct Layout: Codable, Hashable, Sendable {
    enum Kind: String, Codable, Sendable { case row, column }
    enum Part: Codable, Hashable, Sendable {
        case text(String)
        indirect case pair(Part, Part)
        case nothing
    }

    var kind: Kind
    var width: Double?
    var since: Date
    var key: UUID
    var bytes: Data
    var parts: [Part] = []
    var named: [String: Part] = [:]
    var places: [Int: String] = [:]
    var inner: [Layout] = []
}

/// Names and types of generated code, and access.
@FieldValue
public struct Pair {
    @FieldValue public struct Words { var `default`: Int, sink: Int, source: [Words]? }

    public private(set) var source: String
    private var names: Pair.Words
    var sink: [Self]?
    fileprivate(set) var `in`: Int = Pair.standard
    var id: Colour?

    static let standard = 3

    public init(source: String, names: Words, sink: [Pair]?, `in` number: Int, id: Colour?) {
        self.source = source.lowercased()
        self.names = names
        self.sink = sink
        self.in = number
        self.id = id
    }
}

@FieldValue struct Nothing {}

@Model
struct Pairs {
    @ID let id: String
    var first: Pair?
    var nothing: Nothing?
    var hidden: Hidden?

    @FieldValue struct Hidden { private var word: String = "-" }
}

private struct Cellar {
    @FieldValue fileprivate struct Box { private var lid: Lid? }
    @FieldValue fileprivate struct Lid { var width: Int = 1 }

    static var size: Int { Box(lid: nil) == Box(lid: Lid()) ? 0 : 1 }
}
