import ModelCBOR
@_spi(RecordWriting) import ModelRecord
public import ModelWire

/// Facts about the store: small values by name.
///
/// Names that begin with `store.` belong to this module. All others are free for its users.
public struct StoreFacts: Hashable, Sendable {
    /// The values by name. An empty value removes a stored fact.
    public var values: [String: [UInt8]]

    /// Makes facts of the given values.
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

    /// The file has taken the place of a damaged or lost one, and not everything has been noted anew. Its heads count
    /// for nothing until then. The owner sets this to false together with the last of what it notes anew.
    public var isPartial: Bool {
        get { values[Key.partial] == [1] }
        set { values[Key.partial] = [newValue ? 1 : 0] }
    }

    /// The prefixes of the topics whose models the store holds in full; nil when that was never set.
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

    /// Sets the facts of `later`; the others stay.
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
        /// The number of the store, and that of its last transaction: see ``StoreMark``.
        static let store = "store.id"
        static let commit = "store.commit"
        /// `1` while a file that took the place of another one does not hold everything that its owner has.
        static let partial = "store.partial"
        /// `0` between the parts of a flush that takes several transactions, otherwise `1`.
        static let whole = "store.whole"
    }
}
