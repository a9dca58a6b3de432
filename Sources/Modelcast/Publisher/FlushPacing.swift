/// When the open batches of a publisher leave: at once while there is little to do, and the later the more there is.
///
/// A flush costs the same whether it carries one write or hundreds: frames, system calls, a wake in each subscriber.
/// With little to do that is all there is to do. With much to do it is taken from the writes, so writes wait for each
/// other: for a time that grows with their rate, up to ``PublisherConfiguration/batchDelay``, which the greatest rates
/// need to fill batches. All times are in microseconds, on the clock of `Moment.uptimeMicroseconds`.
struct FlushPacing {
    /// ``PublisherConfiguration/batchDelay``; 0 where nothing is ever held back.
    private let delay: UInt64
    /// How long an open batch is held back; nil when there is no load.
    private var hold: UInt64?

    /// When batches left last, and how many writes have come since.
    private var lastFlush: UInt64 = 0
    private var writesSinceFlush = 0
    /// The beginning of the count of writes, how many were counted, and how often a writer sent by itself.
    private var countedSince: UInt64 = 0
    private var counted = 0
    private var departures = 0
    /// The number of writes in a delay, as it was counted last under load.
    private var rate = 0
    /// When the last load ended.
    private var loadEnd: UInt64 = 0

    /// The number of writes in a delay from which on there is load, and batches are held back.
    static let loadWriteCount = 64
    /// Fewer writes than this since the last flush do not begin a load, however soon they follow each other.
    static let burstWriteCount = 16
    /// Where writers send by themselves, fewer departures than this in a delay are no load, however large the batches.
    static let loadDepartureCount = 8
    /// The number of writes in a delay from which on batches are held back for all of it. With fewer they are held back
    /// for the square of the share.
    ///
    /// A batch is full with about as many writes, so above that none waits for its time. Below, flushes become rarer
    /// the more is written, by the square. So flushes cost less where the processor is busy, and add little latency
    /// where it is not.
    static let fullWriteCount = 256
    /// The shortest hold under load: some times what it takes to send a batch and to wake its receiver.
    static let holdMicrosecondsMin: UInt64 = 50
    /// A write is sent by its own thread when the last batch left so long ago: about what it takes to wake a thread.
    static let quietMicroseconds: UInt64 = 16
    /// A load that begins so few delays after the last one goes on at its rate. Such a pause is often another process
    /// that had the processor.
    static let pauseDelays: UInt64 = 16

    init(delay: UInt64) { self.delay = delay }

    /// There is load, so batches are held back.
    var isHolding: Bool { hold != nil }

    /// Notes writes.
    mutating func wrote(_ count: Int) { writesSinceFlush += count }

    /// Nothing is held back, and the last batch left at least ``quietMicroseconds`` ago.
    func isQuiet(_ time: UInt64) -> Bool { hold == nil && time >= lastFlush + FlushPacing.quietMicroseconds }

    /// When the open batches have to leave; nil where they need not wait.
    ///
    /// A batch that was opened since the last flush, because the one before it was full, has its time from then on.
    /// - Parameter openSince: when the oldest open batch was opened; nil where none is open.
    func due(openSince: UInt64?) -> UInt64? { hold.map { max(openSince ?? 0, lastFlush) + $0 } }

    /// The open batches have to leave now.
    func isDue(_ time: UInt64, openSince: UInt64?) -> Bool { due(openSince: openSince).map { time >= $0 } ?? true }

    /// Notes that a writer has sent by itself.
    /// - Returns: true where that happens so often that batches are held back from now on, which the socket thread has
    ///   to learn.
    mutating func leftAtOnce(_ time: UInt64) -> Bool {
        departures += 1
        note(time)
        guard let elapsed = elapsed(time) else { return false }
        let isOften = departures * Int(delay) >= FlushPacing.loadDepartureCount * Int(elapsed)
        let counted = beginCounting(time, elapsed)
        if isOften, counted >= FlushPacing.loadWriteCount { begin(rate: counted) }
        return isHolding
    }

    /// Notes that the socket thread has flushed, and decides how long the next writes are held back.
    mutating func flushed(_ time: UInt64) {
        guard delay > 0 else { return note(time) }
        guard hold != nil else {
            if isLoadBeginning(time) {
                let isPause = time < loadEnd + FlushPacing.pauseDelays * delay
                begin(rate: isPause ? rate : FlushPacing.loadWriteCount)
                note(time)
                (countedSince, counted) = (time, 0)
                return
            }
            return note(time)
        }
        // A pause in the writes ends the load, as the next write would wait for others that do not come.
        if writesSinceFlush == 0 { return end(time) }
        note(time)
        if let elapsed = elapsed(time) { rate = beginCounting(time, elapsed) }
        if rate < FlushPacing.loadWriteCount { end(time) } else { begin(rate: rate) }
    }

    private mutating func end(_ time: UInt64) {
        (hold, loadEnd) = (nil, time)
        (lastFlush, writesSinceFlush) = (time, 0)
    }

    private mutating func note(_ time: UInt64) {
        counted += writesSinceFlush
        (lastFlush, writesSinceFlush) = (time, 0)
    }

    /// How long writes have been counted; nil while that is too short to tell a rate.
    private func elapsed(_ time: UInt64) -> UInt64? {
        let elapsed = time - min(countedSince, time)
        return delay > 0 && elapsed >= delay ? elapsed : nil
    }

    /// Begins a new count.
    /// - Returns: the number of writes in a delay, by the count before.
    private mutating func beginCounting(_ time: UInt64, _ elapsed: UInt64) -> Int {
        let count = counted * Int(delay) / Int(elapsed)
        (countedSince, counted, departures) = (time, 0, 0)
        return count
    }

    private mutating func begin(rate: Int) {
        self.rate = max(rate, FlushPacing.loadWriteCount)
        let (count, full) = (UInt64(min(self.rate, FlushPacing.fullWriteCount)), UInt64(FlushPacing.fullWriteCount))
        hold = min(delay, max(delay * count * count / (full * full), FlushPacing.holdMicrosecondsMin))
    }

    /// The writes since the last flush come at the rate of load. The time counts, too: the first writes each wake the
    /// socket thread, which then flushes before a delay has passed.
    private func isLoadBeginning(_ time: UInt64) -> Bool {
        let elapsed = time - min(lastFlush, time)
        return writesSinceFlush >= FlushPacing.burstWriteCount
            && writesSinceFlush * Int(delay) >= FlushPacing.loadWriteCount * Int(min(elapsed, delay))
    }
}
