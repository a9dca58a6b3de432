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
    /// Streams that are not live, no more than ``streamCountMax``.
    public var streams: [Stream]
    /// Counters by name.
    public var counters: [String: UInt64]

    /// The quality of one topic of one origin that is not live.
    public struct Stream: Sendable, Hashable {
        public var origin: String
        public var topic: Topic
        /// As section 6 names states.
        public var state: String
        /// How long the state has lasted.
        public var milliseconds: UInt64
        /// Why, for a person; empty where nothing is known.
        public var reason: String

        public init(origin: String, topic: Topic, state: String, milliseconds: UInt64, reason: String) {
            self.origin = origin
            self.topic = topic
            self.state = state
            self.milliseconds = milliseconds
            self.reason = reason
        }
    }

    /// A report tells of no more streams than that; a reader passes over the rest.
    public static let streamCountMax = 32
    /// A reason is no longer than that.
    public static let reasonByteCountMax = 256

    public init(
        state: String, applied: [Heads] = [], lagMilliseconds: UInt64? = nil, streams: [Stream] = [],
        counters: [String: UInt64] = [:]
    ) {
        self.state = state
        self.applied = applied
        self.lagMilliseconds = lagMilliseconds
        self.streams = streams
        self.counters = counters
    }
}

extension Report {
    private enum Key {
        static let state = "state"
        static let applied = "applied"
        static let lag = "lag_ms"
        static let streams = "streams"
        static let all = [state, applied, lag, streams]
    }

    /// The map of a report; a counter with the name of another key is left out.
    func write(to writer: inout CBORWriter) {
        let names = counters.keys.filter { !Key.all.contains($0) }
        let absent = (lagMilliseconds == nil ? [Key.lag] : []) + (streams.isEmpty ? [Key.streams] : [])
        let keys = (names + Key.all.filter { !absent.contains($0) }).sorted(by: Fields.precedes)
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
            case Key.streams:
                writer.writeArrayHead(min(streams.count, Report.streamCountMax))
                for stream in streams.prefix(Report.streamCountMax) { stream.write(to: &writer) }
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
            case Key.state: state = try frame.text(byteCountMax: 64).shown()
            case Key.applied: applied = try Heads.list(reading: &frame)
            case Key.lag: lagMilliseconds = try frame.unsigned()
            case Key.streams:
                var list = try frame.beginArray()
                while frame.next(&list) {
                    let stream = try Stream(reading: &frame)
                    if streams.count < Report.streamCountMax { streams.append(stream) }
                }
            default:
                if frame.isAtUnsigned { counters[key.shown()] = try frame.unsigned() } else { try frame.skip() }
            }
        }
    }
}

extension Report.Stream {
    /// The array `[origin, topic, state, milliseconds, reason]`.
    fileprivate func write(to writer: inout CBORWriter) {
        writer.writeArrayHead(5)
        writer.write(text: origin)
        writer.write(byteString: topic.bytes)
        writer.write(text: state)
        writer.write(unsigned: milliseconds)
        writer.write(text: reason)
    }

    fileprivate init(reading frame: inout FrameReader) throws(WireError) {
        var elements = try frame.beginArray()
        origin = try frame.origin(&elements)
        topic = try frame.topic(&elements)
        state = try frame.shownText(&elements, byteCountMax: 64)
        milliseconds = try frame.unsigned(&elements)
        reason = try frame.shownText(&elements, byteCountMax: Report.reasonByteCountMax)
        try frame.finish(&elements)
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
