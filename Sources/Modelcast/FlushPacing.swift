/// When the open batches of a publisher leave: at once while there is little to do, and the later the more there is.
///
/// A flush costs the same whether it carries one write or hundreds: frames, system calls, a wake in each subscriber.
/// With little to do that is all there is to do. With much to do it is taken from the writes, so writes wait for each
/// other: for a time that grows with their rate, up to ``PublisherConfiguration/batchDelay``, which the greatest rates
/// need to fill batches. All times are in microseconds, on the clock of `Moment.uptimeMicroseconds`.
struct FlushPacing {
    /// Until when batches are held back to grow; nil when there is no load.
    private(set) var holdUntil: UInt64?

    /// When batches were last flushed, and how many writes came since.
    private var lastFlush: UInt64 = 0
    private var writesSinceFlush = 0
    /// While there is load: since when writes are counted to tell their rate, and how many there were.
    private var countedSince: UInt64 = 0
    private var counted = 0
    /// Writes in a delay, as they were counted last.
    private var rate = 0

    /// So many writes in a delay are load, and batches are held back.
    static let loadWriteCount = 64
    /// Fewer writes since the last flush do not begin a load, however soon they came one after the other.
    static let burstWriteCount = 16
    /// With so many writes in a delay batches are held back for all of it; with fewer for as much less.
    static let fullWriteCount = 1_024
    /// Under load batches are held back so long at least: some times what it takes to send one and to wake who gets it.
    static let holdMicrosecondsMin: UInt64 = 50
    /// A write sends by itself when the last batch left so long ago: about what it takes to wake a thread.
    static let quietMicroseconds: UInt64 = 16

    /// Takes note of writes.
    mutating func wrote(_ count: Int) { writesSinceFlush += count }

    /// Nothing is held back, and the last batch left a little while ago.
    func isQuiet(_ time: UInt64) -> Bool { holdUntil == nil && time >= lastFlush + FlushPacing.quietMicroseconds }

    /// Open batches are to leave now.
    func isDue(_ time: UInt64) -> Bool { holdUntil.map { time >= $0 } ?? true }

    /// A writer has sent by itself what there was.
    mutating func leftAtOnce(_ time: UInt64) { (lastFlush, writesSinceFlush) = (time, 0) }

    /// The socket thread has flushed what there was: decides for how long the next writes are held back.
    mutating func flushed(_ time: UInt64, delay: UInt64) {
        if delay == 0 {
            holdUntil = nil
        } else if holdUntil == nil {
            if isLoadBeginning(time, delay: delay) {
                (rate, countedSince, counted) = (FlushPacing.loadWriteCount, time, 0)
                holdUntil = time + hold(delay)
            }
        } else {
            counted += writesSinceFlush
            let elapsed = time - min(countedSince, time)
            if elapsed >= delay {
                rate = counted * Int(delay) / max(Int(elapsed), 1)
                (countedSince, counted) = (time, 0)
            }
            // A pause ends it, too: what comes next is not to wait for what does not come.
            let isLoaded = rate >= FlushPacing.loadWriteCount && writesSinceFlush > 0
            holdUntil = isLoaded ? time + hold(delay) : nil
        }
        (lastFlush, writesSinceFlush) = (time, 0)
    }

    /// The writes since the last flush come at the rate of load. A thread that is woken by each of the first writes
    /// comes sooner than a delay has passed, so their number alone does not tell.
    private func isLoadBeginning(_ time: UInt64, delay: UInt64) -> Bool {
        let elapsed = time - min(lastFlush, time)
        return writesSinceFlush >= FlushPacing.burstWriteCount
            && writesSinceFlush * Int(delay) >= FlushPacing.loadWriteCount * Int(min(elapsed, delay))
    }

    private func hold(_ delay: UInt64) -> UInt64 {
        let share = delay * UInt64(min(rate, FlushPacing.fullWriteCount)) / UInt64(FlushPacing.fullWriteCount)
        return min(delay, max(share, FlushPacing.holdMicrosecondsMin))
    }
}
