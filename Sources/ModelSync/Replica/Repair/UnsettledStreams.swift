/// The streams that need attention, in a queue for each sender. A tick looks at so many streams of each queue, so the
/// streams of one sender, however many, take no time from those of the others.
///
/// A stream of which several senders speak stands in the shortest of their queues.
struct UnsettledStreams {
    private struct Queue {
        var streams: [StreamState] = []
        /// How many of them have a repair.
        var repairCount = 0
        /// Where the next turn begins.
        var position = 0
        /// For each sender, whether it speaks of a stream that was being mended in the last round through the queue, or
        /// came since.
        var mending: [Bool] = []
        /// As `mending`, for the round that is under way.
        var coming: [Bool] = []

        mutating func mark(_ stream: StreamState) {
            for teller in stream.tellers {
                let index = teller.sender.index
                if index >= coming.count {
                    coming += Array(repeating: false, count: index + 1 - coming.count)
                }
                coming[index] = true
            }
        }
    }

    /// The queues; the first is for streams that no sender speaks of.
    private var queues: [Queue] = [Queue()]
    private(set) var count = 0
    /// The stream whose repair has last asked for a snapshot of all prefixes.
    var wholeRepair: StreamState?

    /// How many streams are looked at in one tick because of one sender.
    static let turnCountMax = 1024
    /// Up to this many streams are all looked at wherever a caller asks.
    static let smallCount = 64

    var isEmpty: Bool { count == 0 }

    /// There are too many streams to be looked through after each message.
    var areMany: Bool { count > UnsettledStreams.smallCount }

    /// All streams that need attention, queue by queue.
    var all: some Sequence<StreamState> { queues.lazy.flatMap(\.streams) }

    /// All streams that need attention where they are few; else none.
    var few: [StreamState] { isEmpty || areMany ? [] : Array(all) }

    var queueIndices: Range<Int> { queues.indices }

    /// Puts a stream into a queue. It must not stand in one yet.
    mutating func insert(_ stream: StreamState) {
        var best = 0
        for teller in stream.tellers {
            let index = teller.sender.index + 1
            while queues.count <= index { queues.append(Queue()) }
            if best == 0 || queues[index].streams.count < queues[best].streams.count { best = index }
        }
        stream.queue = best
        queues[best].streams.append(stream)
        queues[best].mark(stream)
        count += 1
    }

    /// How many streams of the same queue have a repair.
    func repairCount(beside stream: StreamState) -> Int { queues[stream.queue].repairCount }

    mutating func noteRepair(of stream: StreamState) { queues[stream.queue].repairCount += 1 }

    mutating func noteRepairEnd(of stream: StreamState) { queues[stream.queue].repairCount -= 1 }

    /// The streams of a queue that are looked at next; a copy, because the queue may grow meanwhile.
    func turn(of index: Int) -> [StreamState] {
        Array(queues[index].streams[queues[index].position...].prefix(UnsettledStreams.turnCountMax))
    }

    /// Looks at all streams: those that are settled leave their queues.
    mutating func settle() {
        for index in queues.indices {
            let all = queues[index].streams
            (queues[index].position, queues[index].streams) = (0, [])
            (queues[index].mending, queues[index].coming) = ([], [])
            for stream in all {
                stream.isListed = stream.isUnsettled
                guard stream.isListed else { continue }
                queues[index].streams.append(stream)
                if stream.isMending { queues[index].mark(stream) }
            }
            count -= all.count - queues[index].streams.count
        }
    }

    /// Ends a turn, whose streams have been looked at: those that are settled leave the queue.
    mutating func end(_ turn: [StreamState], of index: Int) {
        let start = queues[index].position
        var left: [StreamState] = []
        for stream in turn {
            stream.isListed = stream.isUnsettled
            guard stream.isListed else { continue }
            left.append(stream)
            if stream.isMending { queues[index].mark(stream) }
        }
        count -= turn.count - left.count
        if left.count < turn.count {
            queues[index].streams.replaceSubrange(start..<(start + turn.count), with: left)
        }
        queues[index].position = start + left.count
        guard queues[index].position >= queues[index].streams.count else { return }
        queues[index].position = 0
        queues[index].mending = queues[index].coming
        queues[index].coming = []
    }

    /// Whether the queues count what stands in them; for tests.
    var isWellCounted: Bool {
        count == queues.reduce(0) { $0 + $1.streams.count }
            && queues.enumerated().allSatisfy { index, queue in
                queue.streams.allSatisfy { $0.isListed && $0.queue == index }
                    && queue.streams.count(where: { $0.repair != nil }) == queue.repairCount
            }
    }

    /// Something that this sender speaks of is being mended. Where the streams are many, this is as the last round
    /// found it.
    func areMending(of sender: SenderID) -> Bool {
        guard !isEmpty else { return false }
        guard areMany else {
            return all.contains { stream in stream.isMending && stream.tellers.contains { $0.sender == sender } }
        }
        return queues.contains { queue in
            [queue.mending, queue.coming].contains { sender.index < $0.count && $0[sender.index] }
        }
    }
}
