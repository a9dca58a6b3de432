import ModelCache
import ModelWire

/// The positions of the streams that were forgotten last: a stream that goes on has no hole because it was forgotten.
///
/// Streams that were pushed here are marked. What they brought may be nowhere else, and is not taken for a difference.
struct ForgottenStreams: Sendable {
    /// Where a stream stood.
    struct Stand: Sendable {
        let incarnation: UInt64
        /// 0 where something was missing.
        let applied: UInt64
        let isPushed: Bool
    }

    private var stands: [StreamKey: Stand] = [:]
    private var order = Fifo<StreamKey>()

    static let countMax = 65_536

    mutating func note(_ stream: StreamState) {
        let hasHole = stream.tracker.hasHole
        guard stream.isPushed || !hasHole else { return }
        let stand = Stand(
            incarnation: stream.incarnation, applied: hasHole ? 0 : stream.tracker.applied, isPushed: stream.isPushed)
        if stands.updateValue(stand, forKey: stream.key) == nil { order.append(stream.key) }
        while order.count > ForgottenStreams.countMax, let oldest = order.removeFirst() { stands[oldest] = nil }
    }

    subscript(key: StreamKey) -> Stand? { stands[key] }

    /// The streams that were pushed here.
    var pushed: [StreamKey] { stands.lazy.filter(\.value.isPushed).map(\.key) }

    /// How far this start of the stream had been applied; 0 where it is not known.
    func applied(_ key: StreamKey, _ incarnation: UInt64) -> UInt64 {
        guard let stand = stands[key], stand.incarnation == incarnation else { return 0 }
        return stand.applied
    }
}
