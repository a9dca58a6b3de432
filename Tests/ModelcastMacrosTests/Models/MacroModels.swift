public import Foundation
public import ModelcastMacros

public enum Colour: String, FieldValue { case red, green }

@Model
struct User {
    @ID let id: UUID
    @Field("nick_name") var nickName: String
    var age: Int?
    @Constant @Field(convert: .iso8601) let createdAt: Date
    @Field("home", convert: .urlText) var homepage: URL?
    var colour: Colour = .red
    @Field(validate: .length(1...80)) var title: String?
    @Local var isSelected: Bool = false
}

/// Another view of users.
@Model("User")
struct UserCard {
    @ID let number: UUID
    @Field("nick_name") var name: String
}

/// One of a folder of its own.
@Model
public struct Person: Codable {
    @ID public let id: Int
    /// How they are called.
    public private(set) var name: String
    @Constant package let born: Date?
    @Constant private let secret: String
    private var note: String = "-"
    internal var rank: Int?

    public init(id: Int, name: String, born: Date?, secret: String, note: String, rank: Int?) {
        self.id = id
        self.name = name.lowercased()
        self.born = born
        self.secret = secret
        self.note = note
        self.rank = rank
    }
}

enum Shop {
    enum Size: Int, FieldValue { case small, large }

    @Model
    struct Item {
        @ID let id: String
        var size: Size = .small
        @Field(default: Size.large) var other: Size?

        /// One within one within another.
        @Model
        fileprivate struct Label {
            @ID let id: String
            private var text: String?
        }
    }

    fileprivate static let label = Item.Label(id: "l", text: "cheap")
    static var labelText: String { "\(label)" }
}

extension Shop {
    @Model("Shop.Shelf")
    struct Shelf {
        @ID let id: Int32
        var sizes: [Size]
    }
}

/// Names that generated code has as well.
@Model
struct Message {
    @ID let id: Int
    var text: String
    var unknown: Int?
    var unread: Bool?
    var source: String
    var sink: String
    var hasher: String
    var hash: String
    var write: String?
    var record: String
    var reader: Int
    var encoder: String
    var decoder: Int?
    var left: String
    var right: String
    var field: Int
    var fields: [String]
    var complete: Bool?
    var properties: [String: Int]
    var description: String
    var `default`: Int
    var `let`: Int?
    var `init`: Int?
    var `inout`: Int?
    var old: Int?
    var oldUnknown: Int?
    var diff: Int?
}

/// All that `@Field` can be given.
@Model
struct Form {
    enum Kind: String, FieldValue { case plain }

    @ID let id: Int64
    @Field var bare: Int
    @Field() var empty: Int
    @Field("ä\"\\") var named: String
    @Field(default: 3) var number: Int
    @Field(default: Kind.plain) let kind: Kind
    @Field("list", default: [1, 2]) var list: [Int]
    @Field(default: URL(string: "a:b")) var link: URL?
    @Field(convert: .iso8601.elements) var times: [Date]
    @Field(convert: .commaSeparated, validate: .check("few") { @Sendable (texts: [String]) in texts.count < 3 })
    var texts: [String]
    @Field("j", default: ["a"], convert: JSONTextConversion<Set<String>>()) var set: Set<String>
    @Field(default: 0.5, validate: .range(0...1)) var share: Double
    @Field("all", default: 7, convert: .intOrText, validate: RangeValidation<Int64>(1...9)) var all: Int64?
    var any: Value?
    var open: Open<Kind>?
    var own: Self.Kind = Self.standard
    var first: Int, second: Int?
    @Local var action: @Sendable () -> Void = {}
    @Local var cache: (any Sendable)?
    var seen: Int = 0 { didSet { changes += 1 } }
    @Local var changes: Int = 0
    static var standard: Kind { .plain }
    var twice: Int { number * 2 }
}

@Model
struct Mark {
    @ID let id: String
}

@Model
package struct Parcel {
    @ID package let id: UUID
    package var weight: Double? = .none
}

@Model
private struct Note {
    @ID let id: Int
    private var text: String?
    @Constant fileprivate let by: String
}

enum Notes {
    static var text: String { "\(Note(id: 1, text: nil, by: "Ada").constants.by)" }
}
