import ModelCache
public import ModelWire

/// The frames that were sent last, for replicas that have missed some. The ring is bounded by bytes and by age; the
/// oldest frames go first, whatever their topic.
///
/// A frame that is held shares its bytes with the one that was sent. In a relay the frames of a stream may come out of
/// order. One state machine owns one ring, on one thread at a time.
public struct ReplayRing: Sendable {
    /// The batches of one topic by one start of an origin, which sequences count.
    public struct Stream: Hashable, Sendable {
        /// The name of the origin.
        public let origin: String
        /// The start of the origin.
        public let incarnation: UInt64
        /// The data topic.
        public let topic: Topic

        /// The stream with these names.
        public init(origin: String, incarnation: UInt64, topic: Topic) {
            self.origin = origin
            self.incarnation = incarnation
            self.topic = topic
        }
    }

    /// The frames that were found of a range of sequences.
    public enum FoundFrames: Hashable, Sendable {
        /// The frames from the first on, in order: all, or as many as are held without a gap and fit.
        case frames([[UInt8]])
        /// The first is not held. `oldest` is the first sequence of the stream that is held; 0 when there is none.
        case gone(oldest: UInt64)
    }

    /// The most bytes that are held, frames and bookkeeping; 0 switches the ring off.
    public let byteCountMax: Int
    /// How long a frame is held.
    public let ageMax: Duration
    /// The bytes that are held now.
    public private(set) var byteCount = 0
    /// The frames that are held now.
    public var frameCount: Int { arrivals.count }

    /// About how many bytes a frame costs beyond its own.
    static let frameOverhead = 96

    private struct Arrival: Sendable {
        let number: Int
        let sequence: UInt64
        let byteCount: Int
        let time: UInt64
    }

    private let ageMaxMicroseconds: UInt64
    private var numbers: [Stream: Int] = [:]
    private var streams: [HeldFrames] = []
    private var freeNumbers: [Int] = []
    /// The number that was found last: the next frame is mostly of the same stream, and then no key needs to be hashed.
    private var lastNumber: Int?
    private var arrivals = Fifo<Arrival>()

    /// A ring that holds nothing yet.
    public init(byteCountMax: Int = 64 << 20, ageMax: Duration = .seconds(60)) {
        self.byteCountMax = max(byteCountMax, 0)
        self.ageMax = ageMax
        ageMaxMicroseconds = ageMax.wholeMicroseconds
    }

    /// Holds a frame that was sent. A frame that is held already changes nothing.
    /// - Parameters:
    ///   - time: the clock of ``Moment/uptimeMicroseconds``; must not go back.
    ///   - age: how long an earlier run has held the frame; such frames are added first, beginning with the oldest.
    /// - Complexity: O(1) amortised for the next of its stream, else O(*frames of the stream beyond it*).
    public mutating func append(
        _ stream: Stream, sequence: UInt64, payload: [UInt8], at time: UInt64, age: Duration = .zero
    ) {
        guard byteCountMax > 0, age <= ageMax else { return }
        // Checked for zero first, because nearly every frame is new and taking a duration apart means to divide 128
        // bits.
        let age = age == .zero ? 0 : age.wholeMicroseconds
        forget(before: time)
        let number = number(of: stream)
        guard streams[number].insert(sequence, payload) else { return }
        let cost = payload.count + stream.topic.bytes.count + ReplayRing.frameOverhead
        byteCount += cost
        arrivals.append(
            Arrival(
                number: number, sequence: sequence, byteCount: cost, time: time.subtractingOrZero(age)))
        while byteCount > byteCountMax { forgetOldest() }
    }

    /// Looks for the frames from one sequence to another, both included.
    /// - Parameter byteCountMax: the most bytes of all frames; one frame is returned in any case.
    /// - Complexity: O(log *frames of the stream* + *frames found*)
    public func frames(
        of stream: Stream, from first: UInt64, through last: UInt64, byteCountMax: Int = .max
    ) -> FoundFrames {
        guard let number = numbers[stream] else { return .gone(oldest: 0) }
        let found = streams[number].frames(from: first, through: last, byteCountMax: byteCountMax)
        return found.isEmpty ? .gone(oldest: oldest(of: stream) ?? 0) : .frames(found)
    }

    /// The first sequence of the stream that is held; nil when none is.
    public func oldest(of stream: Stream) -> UInt64? { numbers[stream].flatMap { streams[$0].oldest } }

    /// Lets go of the frames that are too old at `time`.
    public mutating func forget(before time: UInt64) {
        while let oldest = arrivals.first, time > oldest.time, time - oldest.time > ageMaxMicroseconds {
            forgetOldest()
        }
    }

    private mutating func number(of stream: Stream) -> Int {
        if let lastNumber, streams[lastNumber].stream == stream { return lastNumber }
        let number = findNumber(of: stream)
        lastNumber = number
        return number
    }

    private mutating func findNumber(of stream: Stream) -> Int {
        if let number = numbers[stream] { return number }
        let number: Int
        if let free = freeNumbers.popLast() {
            number = free
            streams[number] = HeldFrames(stream)
        } else {
            number = streams.count
            streams.append(HeldFrames(stream))
        }
        numbers[stream] = number
        return number
    }

    private mutating func forgetOldest() {
        guard let arrival = arrivals.removeFirst() else { return }
        byteCount -= arrival.byteCount
        streams[arrival.number].remove(arrival.sequence)
        guard streams[arrival.number].isEmpty else { return }
        lastNumber = nil
        numbers[streams[arrival.number].stream] = nil
        freeNumbers.append(arrival.number)
    }
}

/// The frames that are held of one stream, by sequence.
private struct HeldFrames: Sendable {
    private struct Slot: Sendable {
        let sequence: UInt64
        /// Nil for a frame that was let go before those in front of it.
        var payload: [UInt8]?
    }

    let stream: ReplayRing.Stream
    private var slots = Fifo<Slot>()
    private var heldCount = 0

    init(_ stream: ReplayRing.Stream) { self.stream = stream }

    var isEmpty: Bool { heldCount == 0 }

    /// How many frames are held; looks at every slot.
    var frameCount: Int { (0..<slots.count).count { slots[$0].payload != nil } }

    /// The first sequence that is held: the slot in front always holds a frame.
    var oldest: UInt64? { slots.first?.sequence }

    /// - Returns: false when the sequence is held already.
    mutating func insert(_ sequence: UInt64, _ payload: [UInt8]) -> Bool {
        let slot = Slot(sequence: sequence, payload: payload)
        if slots.last.map({ $0.sequence < sequence }) ?? true {
            slots.append(slot)
        } else {
            let index = index(of: sequence)
            if slots[index].sequence == sequence {
                guard slots[index].payload == nil else { return false }
                slots[index].payload = payload
            } else {
                slots.insert(slot, at: index)
            }
        }
        heldCount += 1
        return true
    }

    mutating func remove(_ sequence: UInt64) {
        let index = index(of: sequence)
        guard index < slots.count, slots[index].sequence == sequence, slots[index].payload != nil else { return }
        slots[index].payload = nil
        heldCount -= 1
        while let first = slots.first, first.payload == nil { _ = slots.removeFirst() }
    }

    func frames(from first: UInt64, through last: UInt64, byteCountMax: Int) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var byteCount = 0
        var next = first
        var index = index(of: first)
        while index < slots.count, next <= last, slots[index].sequence == next, let payload = slots[index].payload {
            byteCount += payload.count
            if !found.isEmpty, byteCount > byteCountMax { break }
            found.append(payload)
            index += 1
            next &+= 1
        }
        return found
    }

    /// The first slot that is not before `sequence`.
    private func index(of sequence: UInt64) -> Int {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ReplayRing {
    /// The first bound or sum that does not hold; for tests.
    func brokenInvariant() -> String? {
        if byteCount > byteCountMax { return "the ring holds \(byteCount) bytes, past its \(byteCountMax)" }
        var (count, held) = (0, 0)
        for index in 0..<arrivals.count {
            count += arrivals[index].byteCount
        }
        for index in streams.indices { held += streams[index].isEmpty ? 0 : streams[index].frameCount }
        if count != byteCount { return "the ring counts \(byteCount) bytes and holds \(count)" }
        if held != arrivals.count { return "the ring counts \(arrivals.count) frames and holds \(held)" }
        return numbers.count > arrivals.count ? "the ring remembers streams of which it holds nothing" : nil
    }
}
