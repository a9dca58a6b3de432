import ModelCBOR
import ModelRecord
public import ModelWire

/// Single facts about the store, by name.
///
/// Names that begin with `store.` have a meaning to this module; all others are free for its users.
public struct StoreFacts: Hashable, Sendable {
    /// The values by name. An empty one takes a stored fact away.
    public var values: [String: [UInt8]]

    public init(_ values: [String: [UInt8]] = [:]) { self.values = values }

    /// The value of a fact, if it is known.
    public subscript(name: String) -> [UInt8]? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// The name of the origin or replica that keeps the store.
    public var ownName: String? {
        get { text(Key.ownName) }
        set { values[Key.ownName] = newValue.map { Array($0.utf8) } }
    }

    /// When the process was last known to be alive, in Unix milliseconds.
    ///
    /// A replica that was away for longer than tombstones are kept starts anew (protocol article, section 2).
    public var aliveMilliseconds: UInt64? {
        get { text(Key.alive).flatMap { UInt64($0) } }
        set { values[Key.alive] = newValue.map { Array(String($0).utf8) } }
    }

    /// The file took the place of a damaged or lost one, and not everything has been noted anew: what it says of heads
    /// counts for nothing. Its owner sets this to false with the last of what it notes anew.
    public var isPartial: Bool {
        get { values[Key.partial] == [1] }
        set { values[Key.partial] = [newValue ? 1 : 0] }
    }

    /// The prefixes of the topics whose models the store holds in full; nil when that was never said.
    public var prefixes: [Topic]? {
        get {
            guard let bytes = values[Key.prefixes] else { return nil }
            var reader = CBORReader(bytes.span)
            guard case .array(let items)? = try? Value(reading: &reader, maxDepth: 2) else { return nil }
            return items.compactMap { item in
                if case .bytes(let prefix) = item { Topic(bytes: prefix) } else { nil }
            }
        }
        set {
            values[Key.prefixes] = newValue.map { prefixes in
                var writer = CBORWriter()
                writer.write(Value.array(prefixes.map { .bytes($0.bytes) }))
                return writer.bytes
            }
        }
    }

    /// True when a copy made with the stored ``prefixes`` holds everything that `wanted` asks for.
    ///
    /// A warm start that asks for more must not pass for complete.
    public func covers(_ wanted: [Topic]) -> Bool {
        let held = prefixes ?? []
        return wanted.allSatisfy { topic in held.contains { topic.bytes.starts(with: $0.bytes) } }
    }

    /// How long before `now` (Unix milliseconds) the process was last alive, if that is known; 0 when the clock was set
    /// back since.
    public func absence(until now: UInt64) -> Duration? {
        aliveMilliseconds.map { .milliseconds(now > $0 ? Int64(clamping: now - $0) : 0) }
    }

    /// Takes over what `later` says.
    mutating func set(_ later: StoreFacts) {
        if values.isEmpty { values = later.values } else { values.merge(later.values) { $1 } }
    }

    private func text(_ name: String) -> String? {
        values[name].flatMap { String(validating: $0, as: UTF8.self) }
    }

    enum Key {
        static let ownName = "store.own-name"
        static let alive = "store.alive"
        static let prefixes = "store.prefixes"
        /// `1` after an orderly close, `0` while the file is open.
        static let closed = "store.closed"
        /// Which store it is, and how many transactions it has seen: see ``StoreMark``.
        static let store = "store.id"
        static let commit = "store.commit"
        /// `1` while a file that took the place of another does not hold all that its owner has.
        static let partial = "store.partial"
        /// `0` between the parts of a flush that took several transactions, else `1`.
        static let whole = "store.whole"
    }
}
