import ModelCache
import ModelWire

/// How far the streams that were forgotten last had been applied, so that one which goes on has no hole by that.
struct ForgottenStreams: Sendable {
    private var stands: [StreamKey: (incarnation: UInt64, applied: UInt64)] = [:]
    private var order = Fifo<StreamKey>()

    static let countMax = 65_536

    mutating func note(_ stream: StreamState) {
        guard !stream.tracker.hasHole else { return }
        if stands.updateValue((stream.incarnation, stream.tracker.applied), forKey: stream.key) == nil {
            order.append(stream.key)
        }
        while order.count > ForgottenStreams.countMax, let oldest = order.removeFirst() { stands[oldest] = nil }
    }

    /// How far this start of the stream had been applied; 0 where it is not known.
    func applied(_ key: StreamKey, _ incarnation: UInt64) -> UInt64 {
        guard let stand = stands[key], stand.incarnation == incarnation else { return 0 }
        return stand.applied
    }
}
