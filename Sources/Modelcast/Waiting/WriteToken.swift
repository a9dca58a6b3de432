import ModelRecord
import ModelSync
import ModelWire

/// The name of everything that a publisher has written up to a moment, for whoever wants to read it elsewhere.
///
/// ```swift
/// try publisher.merge("User", "42", ["age": 30])
/// let token = publisher.writeToken                   // in one process
/// try await subscriber.waitUntilApplied(token)       // in another one
/// ```
/// A token travels as text: ``description`` and ``init(_:)``. It says nothing of what was written, and names types.
public struct WriteToken: Hashable, Sendable, LosslessStringConvertible {
    /// The name of the publisher.
    public let origin: String
    let incarnation: UInt64
    let positions: [StreamPoint]

    /// Everything of a topic up to a batch.
    struct StreamPoint: Hashable, Sendable {
        let topic: Topic
        let sequence: UInt64
    }

    /// The most topics of a token that is read.
    private static let topicCountMax = 1024

    init(origin: String, incarnation: UInt64, _ points: [(topic: Topic, sequence: UInt64)]) {
        (self.origin, self.incarnation) = (origin, incarnation)
        positions = points.map { StreamPoint(topic: $0.topic, sequence: $0.sequence) }
    }

    /// The token of a text; nil for one that is none.
    public init?(_ description: String) {
        let parts = description.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts.count <= WriteToken.topicCountMax + 2,
            let incarnation = UInt64(parts[1], radix: 36)
        else { return nil }
        origin = String(parts[0])
        do { try Names.check(origin: origin) } catch { return nil }
        self.incarnation = incarnation
        var positions: [StreamPoint] = []
        for part in parts.dropFirst(2) {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            let topic = Topic(bytes: Array(pair[0].utf8))
            guard pair.count == 2, topic.isValid, topic.type != nil, let sequence = UInt64(pair[1], radix: 36) else {
                return nil
            }
            positions.append(StreamPoint(topic: topic, sequence: sequence))
        }
        self.positions = positions
    }

    /// The types of what was written.
    package var types: Set<String> { Set(positions.compactMap(\.topic.type)) }

    /// The token as text: letters, digits and `_.-;=/`.
    public var description: String {
        let points = positions.map { "\($0.topic)=\(String($0.sequence, radix: 36))" }
        return ([origin, String(incarnation, radix: 36)] + points).joined(separator: ";")
    }

    /// How far a copy has come with what a token names.
    enum Progress {
        case applied
        case missing
        /// The publisher has started anew since. What the earlier start had not handed on is lost.
        case startedAnew
    }

    /// How far the streams of a copy have come.
    func progress(of streams: [StreamStatus]) -> Progress {
        var applied: [Topic: StreamStatus] = [:]
        for stream in streams where stream.origin == origin { applied[stream.topic] = stream }
        var isMissing = false
        for position in positions {
            guard let stream = applied[position.topic] else {
                isMissing = true
                continue
            }
            if stream.incarnation > incarnation { return .startedAnew }
            if stream.incarnation < incarnation || stream.applied < position.sequence { isMissing = true }
        }
        return isMissing ? .missing : .applied
    }

    /// The error where that has not been applied in time.
    func lateness(_ limit: Duration, _ reader: String) -> ModelcastError {
        ModelcastError(
            .timeout,
            "\(reader) has not applied after \(limit) what \(origin) had written: ask again; if it stays so, look "
                + "whether it hears of \(origin)")
    }

    func lost(_ reader: String) -> ModelcastError {
        ModelcastError(
            .conflict,
            "\(origin) has started anew since this was written, and nobody can tell whether all of it came to "
                + "\(reader): read, and see")
    }

    /// The end of a wait of a service; nil while it goes on.
    func outcome(
        _ streams: [StreamStatus], _ isStopped: Bool, _ reader: String
    ) -> Result<Void, any Error>? {
        switch progress(of: streams) {
        case .applied: return .success(())
        case .startedAnew: return .failure(lost(reader))
        case .missing:
            guard isStopped else { return nil }
            return .failure(
                ModelcastError(.stopped, "\(reader) stopped before it had applied what \(origin) had written"))
        }
    }
}
