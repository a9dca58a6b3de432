/// When the open batches of a publisher leave: at once while there is little to do, and the later the more there is.
///
/// A flush costs the same whether it carries one write or hundreds: frames, system calls, a wake in each subscriber.
/// With little to do that is all there is to do. With much to do it is taken from the writes, so writes wait for each
/// other: for a time that grows with their rate, up to ``PublisherConfiguration/batchDelay``, which the greatest rates
/// need to fill batches. All times are in microseconds, on the clock of `Moment.uptimeMicroseconds`.
struct FlushPacing {
    /// ``PublisherConfiguration/batchDelay``; 0 where nothing is ever held back.
    private let delay: UInt64
    /// For how long an open batch is held back; nil when there is no load.
    private var hold: UInt64?

    /// When batches left last, and how many writes came since.
    private var lastFlush: UInt64 = 0
    private var writesSinceFlush = 0
    /// Since when writes are counted to tell their rate, how many there were, and how often some left at once.
    private var countedSince: UInt64 = 0
    private var counted = 0
    private var departures = 0
    /// Writes in a delay, as they were counted last under load.
    private var rate = 0
    /// When there was load last.
    private var loadEnd: UInt64 = 0

    /// So many writes in a delay are load, and batches are held back.
    static let loadWriteCount = 64
    /// Fewer writes since the last flush do not begin a load, however soon they came one after the other.
    static let burstWriteCount = 16
    /// Where writers send by themselves, batches that leave more rarely in a delay are no load, however large.
    static let loadDepartureCount = 8
    /// With so many writes in a delay batches are held back for all of it; with fewer for the square of the share.
    ///
    /// A batch is full with about as many, so above that none waits for its time. Below, the square makes
    /// flushes rarer the more is written: what they take is taken where time is short, and not where latency counts.
    static let fullWriteCount = 256
    /// Under load batches are held back so long at least: some times what it takes to send one and to wake who gets it.
    static let holdMicrosecondsMin: UInt64 = 50
    /// A write sends by itself when the last batch left so long ago: about what it takes to wake a thread.
    static let quietMicroseconds: UInt64 = 16
    /// A load that begins so few delays after another begins with the rate of that: it was a pause, maybe as somebody
    /// else had the processor.
    static let pauseDelays: UInt64 = 16

    init(delay: UInt64) { self.delay = delay }

    /// There is load: batches are held back.
    var isHolding: Bool { hold != nil }

    /// Takes note of writes.
    mutating func wrote(_ count: Int) { writesSinceFlush += count }

    /// Nothing is held back, and the last batch left a little while ago.
    func isQuiet(_ time: UInt64) -> Bool { hold == nil && time >= lastFlush + FlushPacing.quietMicroseconds }

    /// When the open batches are to leave; nil where they need not wait.
    ///
    /// A batch that was opened since the last flush, as the one before it was full, has its time from then on.
    /// - Parameter openSince: when the oldest of them was opened; nil where none is open.
    func due(openSince: UInt64?) -> UInt64? { hold.map { max(openSince ?? 0, lastFlush) + $0 } }

    /// Open batches are to leave now.
    func isDue(_ time: UInt64, openSince: UInt64?) -> Bool { due(openSince: openSince).map { time >= $0 } ?? true }

    /// A writer has sent by itself what there was.
    /// - Returns: whether that happens so often that from now on batches are held back, and the socket thread has to
    ///   know.
    mutating func leftAtOnce(_ time: UInt64) -> Bool {
        departures += 1
        note(time)
        guard let elapsed = elapsed(time) else { return false }
        let isOften = departures * Int(delay) >= FlushPacing.loadDepartureCount * Int(elapsed)
        let counted = beginCounting(time, elapsed)
        if isOften, counted >= FlushPacing.loadWriteCount { begin(rate: counted) }
        return isHolding
    }

    /// The socket thread has flushed what there was: decides for how long the next writes are held back.
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
        // A pause ends it: what comes next is not to wait for what does not come.
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

    /// How long has been counted; nil while that tells nothing.
    private func elapsed(_ time: UInt64) -> UInt64? {
        let elapsed = time - min(countedSince, time)
        return delay > 0 && elapsed >= delay ? elapsed : nil
    }

    /// - Returns: how many writes came in a delay.
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

    /// The writes since the last flush come at the rate of load. A thread that is woken by each of the first writes
    /// comes sooner than a delay has passed, so their number alone does not tell.
    private func isLoadBeginning(_ time: UInt64) -> Bool {
        let elapsed = time - min(lastFlush, time)
        return writesSinceFlush >= FlushPacing.burstWriteCount
            && writesSinceFlush * Int(delay) >= FlushPacing.loadWriteCount * Int(min(elapsed, delay))
    }
}
