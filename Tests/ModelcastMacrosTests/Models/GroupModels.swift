import Foundation
public import ModelcastMacros

@Nested
struct Place {
    var latitude: Double
    var longitude: Double
}

@Nested
struct Address {
    var street: String
    @Field("town", validate: .length(1...10)) var city: String
    var country: String = "GB"
    var note: String?
    @Field(convert: .iso8601) let since: Date?
    var place: Place?
}

/// An address and no more.
struct Holder: Decodable {
    let address: Address

    enum CodingKeys: CodingKey { case address }

    init(from decoder: any Decoder) throws {
        var source = try FieldDecoder(decoder)
        address = try source.state("address", as: Address.self).required("address")
    }
}

/// A group that has been `Codable` before it was one.
@Nested
struct Crate: Codable {
    var width: Int
    @Field("inner-label") var label: String?
}

@OneOf
enum Contact {
    case phone(String)
    @Field("mail") case post(Address)
    case card(number: String, month: Int = 1)
    case nobody
}

@Model
struct Customer {
    @ID let id: Int
    var name: String
    var address: Address?
    @Constant let origin: Place
    var home: Place = Place(latitude: 0, longitude: 0)
    var contact: Contact?
    @Field("way", default: Contact.nobody) var other: Contact
}

/// Groups whose names and types are those of generated code.
@Nested
public struct Sink {
    @Nested public struct Words { var `default`: Int, sink: Int }

    public private(set) var source: String
    private var names: Sink.Words
    var sink: Turn?
    var id: Colour = .red
    @Field(default: 3) var `in`: Int?
    @Field("tags", convert: .commaSeparated) var tags: [String]
    var twice: Int { sink == nil ? 2 : 1 }

    @OneOf
    public enum Turn: Sendable {
        case left, right
        indirect case `default`(sink: String, in: Int, `let`: Int)
        case `init`(_ sink: Bool)
        case sink(Sink.Place)
    }

    @Nested public struct Place { public let x: Int }

    public init(source: String, names: Words, sink: Turn?, id: Colour, `in` number: Int?, tags: [String]) {
        self.source = source.lowercased()
        self.names = names
        self.sink = sink
        self.id = id
        self.in = number
        self.tags = tags
    }
}

@Model
struct Sinks {
    @ID let id: String
    var first: Sink?
    var second: Sink.Turn?
}

/// A group of many fields.
@Nested
struct Crowd {
    var a0, a1, a2, a3, a4: Int?
    var b0, b1, b2, b3, b4: String
    var c0, c1, c2, c3, c4: Double?
    var d0, d1, d2, d3, d4: Place
    var e0, e1, e2, e3, e4: [String]?
    var f0, f1, f2, f3, f4: Date?
    var g0, g1, g2, g3, g4: UUID?
    var h0, h1, h2, h3, h4: Place?
}

@OneOf
package enum Step {
    case forward
    case jump(Jump)

    @Nested
    package struct Jump: FieldGroup {
        private var height: Int
    }
}

/// A group that may be nil in all of its parts.
@Nested
struct Links {
    var home: String?
    var blog: String?
}

@Model
struct Site {
    @ID let id: String
    var links: Links = Links()
    var more: Links?
}

@OneOf
private enum Secret { case word(String) }

private struct Vault {
    @Nested
    fileprivate struct Door { private var secret: Secret }

    static var names: [String] { Door.fieldNames }
}

enum Vaults {
    static var names: [String] { Vault.names }
}
