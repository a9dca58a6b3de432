import Synchronization
import Testing
import ZeroMQ

@Suite struct MessageTests {
    /// Around the size that libzmq keeps inside the message itself (33), and large ones.
    static let sizes = [0, 1, 32, 33, 34, 255, 1_000, 1_000_000]

    static func pattern(_ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
    }

    @Test(arguments: sizes) func `a copy holds the same bytes`(size: Int) {
        let bytes = Self.pattern(size)
        let message = Message(bytes)
        #expect(message.byteCount == size)
        #expect(message.array == bytes)
        #expect(message.hasMore == false)
    }

    @Test(arguments: sizes) func `bytes written in place are the frame`(size: Int) {
        let bytes = Self.pattern(size)
        let message = Message(byteCount: size) { output in
            for byte in bytes { output.append(byte) }
        }
        #expect(message.array == bytes)
    }

    @Test func `an error while writing leaves nothing behind and comes through`() {
        #expect(throws: Missing.self) {
            _ = try Message(byteCount: 100) { output throws(Missing) in
                output.append(1)
                throw Missing()
            }
        }
    }

    @Test func `a frame that was not filled is a bug that traps`() async {
        await #expect(processExitsWith: .failure) {
            _ = Message(byteCount: 2) { output in output.append(1) }
        }
    }

    @Test(arguments: sizes) func `bytes survive every move of the message`(size: Int) {
        func passed(_ message: consuming Message, times: Int) -> Message {
            times == 0 ? message : passed(message, times: times - 1)
        }
        let bytes = Self.pattern(size)
        var slot: Message? = passed(Message(bytes), times: 50)
        if let moved = slot.take() {
            #expect(moved.array == bytes)
        } else {
            Issue.record("the message was lost on its way")
        }
    }

    @Test(arguments: sizes) func `a duplicate has the same bytes and outlives the first`(size: Int) {
        let bytes = Self.pattern(size)
        var first: Message? = Message(bytes)
        let second = first!.duplicate()
        #expect(first!.array == bytes)
        first = nil
        #expect(second.array == bytes)
    }

    @Test func `text becomes UTF-8`() {
        #expect(Message("Größe").array == Array("Größe".utf8))
    }

    @Test(arguments: sizes) func `an adopted array travels without being kept for ever`(size: Int) throws {
        let bytes = Self.pattern(size)
        let pair = try Pair(.pair, .pair)
        let outcome = try pair.connected.send(Message(adopting: bytes))
        #expect(outcome == .sent)
        #expect(try nextFrames(pair.bound) == [bytes])
    }

    @Test func `the owner of adopted bytes is released when the message goes`() {
        let released = Released()
        do {
            let owner = Owner(released)
            let message = unsafe Message(adopting: UnsafeRawBufferPointer(owner.bytes), owner: owner)
            #expect(message.array == Owner.pattern)
        }
        #expect(released.count == 1)
    }

    @Test func `the owner of adopted bytes lives until they are sent, then is released`() throws {
        let released = Released()
        do {
            let pair = try Pair(.pair, .pair)
            for _ in 0..<10 {
                let owner = Owner(released)
                let outcome = try pair.connected.send(
                    unsafe Message(adopting: UnsafeRawBufferPointer(owner.bytes), owner: owner))
                #expect(outcome == .sent)
            }
            for _ in 0..<10 { #expect(try nextFrames(pair.bound) == [Owner.pattern]) }
        }
        // The end of the context has ended its threads, and with them every use of the bytes.
        #expect(released.count == 10)
    }
}

/// Counts owners that have gone.
private final class Released: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .acquiring) }
    func add() { number.add(1, ordering: .acquiringAndReleasing) }
}

/// Memory of its own, poisoned when it is freed, so that a use afterwards would show.
@safe
private final class Owner: Sendable {
    static let pattern = [UInt8](repeating: 0x5A, count: 4096)

    /// Written in init and deinit only.
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    private let released: Released

    init(_ released: Released) {
        self.released = released
        unsafe bytes = .allocate(byteCount: Self.pattern.count, alignment: 1)
        unsafe bytes.copyBytes(from: Self.pattern)
    }

    deinit {
        for index in unsafe bytes.indices { unsafe bytes[index] = 0 }
        unsafe bytes.deallocate()
        released.add()
    }
}
