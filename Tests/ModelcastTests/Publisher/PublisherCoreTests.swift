import ModelRecord
import ModelSync
import ModelWire
import Testing
import ZeroMQ

@testable import Modelcast

/// When batches leave: ``PublisherCore`` with made-up times, no socket and no thread.
@Suite struct PublisherCoreTests {
    private var core: PublisherCore
    /// Microseconds since the test began.
    private var time: UInt64 = 0
    private var written = 0
    /// The last write has asked for the socket thread.
    private var wakes = false

    private static let delay = Duration.milliseconds(1)

    init() throws {
        let configuration = OriginConfiguration(name: "p", streamEndpoint: "memory", batchByteCount: 1_024)
        core = PublisherCore(
            origin: try Origin(
                configuration: configuration, cache: ModelCache(),
                now: Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 10_000_000)),
            batchDelay: PublisherCoreTests.delay)
        core.waker = try Poller().waker
    }

    private var now: Moment {
        Moment(
            wallMilliseconds: 1_800_000_000_000 + time / 1_000, uptimeMicroseconds: 10_000_000 + time)
    }

    /// Writes models that were not there before; each write is counted, as ``Publisher`` does.
    private mutating func write(_ count: Int, text: String = "x") throws {
        for _ in 0..<count {
            written += 1
            let fields = try EncodedFields(["text": .text(text)])
            let (id, now) = ("\(written)", now)
            wakes =
                try core.perform(now: now, count: 1) { origin throws(WireError) in
                    try origin.write(.merge, type: "T", id: id, fields: fields, now: now)
                }.1 != nil
        }
    }

    /// How many updates leave when the thread comes now, in how many batches; and in how many microseconds it wants to
    /// come again.
    private mutating func takeWork() throws -> (updates: Int, batches: Int, pause: UInt64) {
        let work = core.takeWork(now: now)
        var (updates, batches) = (0, 0)
        for case .publish(let topic, let payload) in work.actions where topic.type != nil {
            var decoder = BatchDecoder()
            try decoder.decode(payload.span)
            updates += decoder.batch(in: payload.span).count
            batches += 1
        }
        return (updates, batches, work.wakeAt - now.uptimeMicroseconds)
    }

    @Test mutating func `a publisher that was idle sends a write at once`() throws {
        _ = try takeWork()
        for _ in 0..<5 {
            time += 20_000
            try write(1)
            #expect(wakes)
            let work = try takeWork()
            #expect(work.updates == 1)
            #expect(!core.isHeldBack)
            // The next event is a heartbeat, not a flush.
            #expect(work.pause > 100_000)
        }
    }

    @Test mutating func `few writes are sent at once however soon they follow each other`() throws {
        _ = try takeWork()
        for _ in 0..<10 {
            time += 10
            try write(FlushPacing.burstWriteCount - 1)
            #expect(try takeWork().updates == FlushPacing.burstWriteCount - 1)
            #expect(!core.isHeldBack)
        }
    }

    @Test mutating func `under load what is open leaves when its time has come, and not before`() throws {
        _ = try takeWork()
        time += 250
        try write(FlushPacing.burstWriteCount)
        // What was written by then still leaves; from here on writes are held back.
        #expect(try takeWork().updates == FlushPacing.burstWriteCount)
        // The least load: 64 of 256 writes in a millisecond, and the square of that.
        #expect(core.isHeldBack)

        try write(3)
        #expect(!wakes, "the thread comes by itself soon enough")
        for _ in 0..<6 {
            time += 10
            let work = try takeWork()
            #expect(work.updates == 0)
            #expect(work.pause <= 52)
        }
        time += 2
        #expect(try takeWork().updates == 3)
        // Nothing more comes, so nothing is held back any more.
        time += 62
        #expect(try takeWork().updates == 0)
        #expect(!core.isHeldBack)
        try write(1)
        #expect(wakes)
    }

    @Test mutating func `a rate of less than 64 writes in a millisecond is no load`() throws {
        _ = try takeWork()
        time += 1_000
        try write(FlushPacing.loadWriteCount - 1)
        #expect(try takeWork().updates == FlushPacing.loadWriteCount - 1)
        #expect(!core.isHeldBack)
        time += 1_000
        try write(FlushPacing.loadWriteCount)
        #expect(try takeWork().updates == FlushPacing.loadWriteCount)
        #expect(core.isHeldBack)
    }

    @Test mutating func `a batch that is full leaves though the others are held back`() throws {
        _ = try takeWork()
        time += 100
        try write(FlushPacing.loadWriteCount)
        _ = try takeWork()
        try #require(core.isHeldBack)

        let text = String(repeating: "x", count: 300)
        try write(2, text: text)
        #expect(try takeWork().batches == 0)
        #expect(!wakes)
        try write(2, text: text)
        #expect(wakes, "the thread is woken for a full batch")
        time += 10
        let work = try takeWork()
        #expect(work.batches == 1)
        #expect(work.updates >= 3)
        #expect(core.isHeldBack)
        time += 52
        #expect(try takeWork().updates + work.updates == 4)
    }

    @Test mutating func `what is written after a full batch has its whole time to grow`() throws {
        _ = try takeWork()
        time += 100
        try write(FlushPacing.loadWriteCount)
        _ = try takeWork()
        try #require(core.isHeldBack)

        time += 40
        try write(5, text: String(repeating: "x", count: 300))
        let full = try takeWork()
        try #require(full.batches == 1 && full.updates == 4)
        // The last of them is in a batch that was opened 22 microseconds before the others would have been due.
        #expect(full.pause == 62)
        time += 61
        #expect(try takeWork().updates == 0)
        time += 1
        #expect(try takeWork().updates == 1)
    }
}
