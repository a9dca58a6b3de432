import ModelSync
package import ModelWire

extension Publisher {
    /// How far the streams of this publisher have come, for whoever waits until others are as far. Nothing more is to
    /// be sent where `isAll`.
    package var sent: (isAll: Bool, incarnation: UInt64, heads: [(topic: Topic, sequence: UInt64)]) {
        let isPushed = pushProgress?.isAcknowledged ?? true
        return core.withLock { core in
            let hasMore = core.origin.hasOpenBatch || core.origin.hasActions
            return (isPushed && !hasMore, core.origin.incarnation, core.origin.sentHeads)
        }
    }
}
