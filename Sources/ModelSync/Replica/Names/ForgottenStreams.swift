import ModelCache
import ModelWire

/// How far the streams that were forgotten last had been applied, so that one which goes on has no hole by that; and
/// which of them were pushed here, so that what they brought, which may be nowhere else, is not taken for a difference.
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
