import ModelCBOR
import ModelRecord

/// What a replica tells its senders once a second (protocol article, section 5).
public struct Report: Sendable, Hashable {
    /// The replica's state towards this sender, as section 6 names it; empty when it was not told.
    public var state: String
    /// What it has applied: per origin the last sequences without a hole before them.
    public var applied: [Heads]
    /// How old the newest applied update was when it was applied.
    public var lagMilliseconds: UInt64?
    /// Counters by name.
    public var counters: [String: UInt64]

    public init(
        state: String, applied: [Heads] = [], lagMilliseconds: UInt64? = nil, counters: [String: UInt64] = [:]
    ) {
        self.state = state
        self.applied = applied
        self.lagMilliseconds = lagMilliseconds
        self.counters = counters
    }
}

extension Report {
    private enum Key {
        static let state = "state"
        static let applied = "applied"
        static let lag = "lag_ms"
        static let all = [state, applied, lag]
    }

    /// The map of a report; a counter with the name of another key is left out.
    func write(to writer: inout CBORWriter) {
        let names = counters.keys.filter { !Key.all.contains($0) }
        let keys = (names + (lagMilliseconds == nil ? [Key.state, Key.applied] : Key.all)).sorted(by: Fields.precedes)
        writer.writeMapHead(keys.count)
        for key in keys {
            writer.write(text: key)
            switch key {
            case Key.state:
                writer.write(text: state)
            case Key.applied:
                writer.writeArrayHead(applied.count)
                for heads in applied { heads.write(to: &writer) }
            case Key.lag:
                writer.write(unsigned: lagMilliseconds ?? 0)
            default:
                writer.write(unsigned: counters[key] ?? 0)
            }
        }
    }

    /// Reads a map with any keys; what is neither known nor a counter is passed over.
    init(reading frame: inout FrameReader) throws(WireError) {
        self.init(state: "")
        var seen: Set<String> = []
        var pairs = try frame.beginMap()
        while frame.next(&pairs) {
            let start = frame.offset
            let key = try frame.text(byteCountMax: 128)
            guard seen.insert(key).inserted else {
                throw WireError(.malformed, CBORError.Code.duplicateKey.description, at: start)
            }
            switch key {
            case Key.state: state = try frame.text(byteCountMax: 64)
            case Key.applied: applied = try Heads.list(reading: &frame)
            case Key.lag: lagMilliseconds = try frame.unsigned()
            default:
                if frame.isAtUnsigned { counters[key] = try frame.unsigned() } else { try frame.skip() }
            }
        }
    }
}

extension Heads {
    /// Reads an array of heads.
    static func list(reading frame: inout FrameReader) throws(WireError) -> [Heads] {
        var elements = try frame.beginArray()
        var list: [Heads] = []
        while frame.next(&elements) { list.append(try Heads(reading: &frame)) }
        return list
    }
}
