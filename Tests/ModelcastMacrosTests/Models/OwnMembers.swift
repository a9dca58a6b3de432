public import ModelcastMacros

/// An enum that other modules do not see, as the type of a property of a public model.
enum Glow: String, FieldValue { case light, dark }

@Model
public struct Lamp {
    @ID public let id: String
    public var place: String
    var glow: Glow = .light
    @Local var isOn: Bool = false
}

/// A model with members of its own, as code has that was there before.
@Model
public struct Part: Hashable {
    public static let modelType = "Spare"

    @ID public let id: Int
    public var name: String
    public var count: Int?

    public static func == (left: Part, right: Part) -> Bool { left.id == right.id && left.name == right.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    public init(from decoder: any Decoder) throws {
        self = try Partial(from: decoder).complete()
        name = name.uppercased()
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(id) \(name)")
    }
}

/// An enum with an equality of its own: how loud it is does not matter.
@OneOf
enum Signal: Hashable {
    case bell(Int)
    case none

    static func == (left: Signal, right: Signal) -> Bool {
        switch (left, right) {
        case (.bell, .bell), (.none, .none): true
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        if case .bell = self { hasher.combine(1) }
    }
}

/// Types with descriptions of their own, in extensions.
@Nested struct Spot {
    var row: Int
    var note: String?
}

extension Spot: CustomStringConvertible { var description: String { "row \(row)" } }

@Model struct Seat {
    @ID let id: Int
    var spot: Spot?
}

extension Seat: CustomStringConvertible { var description: String { "seat \(id)" } }

enum Theatre {
    @Model struct Box {
        @ID let id: Int
        var note: String?
    }
}

extension Theatre.Box: CustomStringConvertible { var description: String { "box \(id)" } }

/// A wrapper that holds a value under another name.
@propertyWrapper
struct Clamped: Hashable, Sendable {
    private var number: Int

    init(wrappedValue: Int) { number = min(wrappedValue, 3) }

    var wrappedValue: Int {
        get { number }
        set { number = min(newValue, 3) }
    }
}

@Model
struct Dial {
    @ID let id: Int
    @Clamped var level: Int = 2
    var limit: Int? = 4
    @Field(validate: .range(1...9)) var step: Int = 0
    var knob: Knob?

    @Nested
    struct Knob {
        @Clamped var turn: Int
        var note: String?
    }
}

/// An optional by another name.
typealias Maybe = Int?

@Model
struct Guess {
    @ID let id: Int
    var number: Maybe
    var text: String?
    var row: Row = Row(number: nil)

    @FieldValue struct Row { var number: Maybe }
}

/// A payload with the name of the tag.
@Nested struct Bank {
    var iban: String
    var kind: String?
}

@OneOf(.tagged(by: "kind"))
enum Payment {
    case bank(Bank)
    case cash
}

@Model
struct Bill {
    @ID let id: Int
    var payment: Payment?
    var rows: [Row] = []

    @FieldValue struct Row { var payment: Payment }
}
