import ModelCBOR
import ModelRecord

/// The report of a replica to its senders, once a second (protocol article, section 5).
public struct ReplicaReport: Sendable, Hashable {
    /// The replica's state towards this sender, by its name in section 6; empty when none was told.
    public var state: String
    /// The heads of what the replica has applied: for each origin and topic, the last sequence with no hole before it.
    public var applied: [Heads]
    /// The age of the newest applied update at the time when it was applied; nil if unknown.
    public var lagMilliseconds: UInt64?
    /// The streams that are not live, at most ``streamCountMax``.
    public var streams: [Stream]
    /// Counters by name.
    public var counters: [String: UInt64]

    /// The quality of one topic of one origin that is not live.
    public struct Stream: Sendable, Hashable {
        /// The name of the origin.
        public var origin: String
        /// The topic.
        public var topic: Topic
        /// The state, by its name in section 6.
        public var state: String
        /// How long the state has lasted.
        public var milliseconds: UInt64
        /// The reason, as text for people; empty where none is known.
        public var reason: String

        /// The quality of one stream.
        public init(origin: String, topic: Topic, state: String, milliseconds: UInt64, reason: String) {
            self.origin = origin
            self.topic = topic
            self.state = state
            self.milliseconds = milliseconds
            self.reason = reason
        }
    }

    /// The most streams in a report; a reader passes over the rest.
    public static let streamCountMax = 32
    /// The longest reason, in bytes of UTF-8.
    public static let reasonByteCountMax = 256

    /// A report.
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

extension ReplicaReport {
    private enum Key {
        static let state = "state"
        static let applied = "applied"
        static let lag = "lag_ms"
        static let streams = "streams"
        static let all = [state, applied, lag, streams]
    }

    /// Writes the map of a report. A counter with the name of another key is left out.
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
                writer.writeArrayHead(min(streams.count, ReplicaReport.streamCountMax))
                for stream in streams.prefix(ReplicaReport.streamCountMax) { stream.write(to: &writer) }
            default:
                writer.write(unsigned: counters[key] ?? 0)
            }
        }
    }

    /// Reads a map with any keys. A value that is neither known nor a counter is passed over.
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
            case Key.state: state = try frame.shownText(byteCountMax: 64)
            case Key.applied: applied = try Heads.list(reading: &frame)
            case Key.lag: lagMilliseconds = try frame.unsigned()
            case Key.streams:
                var list = try frame.beginArray()
                while frame.next(&list) {
                    let stream = try Stream(reading: &frame)
                    if streams.count < ReplicaReport.streamCountMax { streams.append(stream) }
                }
            default:
                guard frame.isAtUnsigned else {
                    try frame.skip()
                    continue
                }
                counters[key.shown(byteCountMax: 128)] = try frame.unsigned()
            }
        }
    }
}

extension ReplicaReport.Stream {
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
        reason = try frame.shownText(&elements, byteCountMax: ReplicaReport.reasonByteCountMax)
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
