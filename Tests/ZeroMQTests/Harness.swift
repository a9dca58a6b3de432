import Testing
import ZeroMQ

/// How long anything in these tests may take; reached only when something is broken.
let limit = Duration.seconds(30)

/// Two sockets over one endpoint, the first bound and the second connected.
struct Pair: ~Copyable {
    let bound: Socket
    let connected: Socket

    init(
        _ bound: Socket.Kind, _ connected: Socket.Kind, in context: Context? = nil,
        at endpoint: String = "tcp://127.0.0.1:*", setUp: (borrowing Socket) throws -> Void = { _ in }
    ) throws {
        let context = try context ?? Context()
        let first = try Socket(bound, in: context)
        let second = try Socket(connected, in: context)
        try setUp(first)
        try setUp(second)
        try first.bind(endpoint)
        try second.connect(first.lastEndpoint())
        self.bound = first
        self.connected = second
    }
}

/// Waits until a socket has something to receive.
func awaitReadable(_ socket: borrowing Socket, _ location: SourceLocation = #_sourceLocation) throws {
    var poller = try Poller()
    let token = try poller.add(socket)
    _ = try poller.wait(timeout: limit)
    let isReadable = poller.isReadable(token)
    try #require(isReadable, "nothing to receive within \(limit)", sourceLocation: location)
}

/// The frames of the next message.
func nextFrames(
    _ socket: borrowing Socket, _ location: SourceLocation = #_sourceLocation
) throws -> [[UInt8]] {
    try awaitReadable(socket, location)
    var frames: [[UInt8]] = []
    var message = Message()
    repeat {
        let isHere = try socket.receive(into: &message)
        try #require(isHere, "the frames of a message come together", sourceLocation: location)
        frames.append(message.array)
    } while message.hasMore
    return frames
}

/// The only frame of the next message, as text.
func nextText(_ socket: borrowing Socket, _ location: SourceLocation = #_sourceLocation) throws -> String {
    let frames = try nextFrames(socket, location)
    try #require(frames.count == 1, sourceLocation: location)
    return String(decoding: frames[0], as: UTF8.self)
}

/// Sends all frames of a message, or fails.
func send(
    _ frames: [[UInt8]], on socket: borrowing Socket, _ location: SourceLocation = #_sourceLocation
) throws {
    for (index, frame) in frames.enumerated() {
        let outcome = try socket.send(Message(frame), more: index < frames.count - 1)
        try #require(outcome == .sent, sourceLocation: location)
    }
}

func send(_ text: String, on socket: borrowing Socket, _ location: SourceLocation = #_sourceLocation) throws {
    try send([Array(text.utf8)], on: socket, location)
}

/// The next event of a monitor that `isWanted` accepts.
func nextEvent(
    of monitor: borrowing Monitor, _ location: SourceLocation = #_sourceLocation,
    where isWanted: (SocketEvent.Kind) -> Bool
) throws -> SocketEvent {
    var poller = try Poller()
    let token = try poller.add(monitor)
    let deadline = ContinuousClock.now + limit
    var seen: [SocketEvent.Kind] = []
    while ContinuousClock.now < deadline {
        _ = try poller.wait(timeout: deadline - .now)
        guard poller.isReadable(token) else { continue }
        while let event = try monitor.next() {
            if isWanted(event.kind) { return event }
            seen.append(event.kind)
        }
    }
    Issue.record("no such event within \(limit), only \(seen)", sourceLocation: location)
    throw Missing()
}

struct Missing: Error {}

extension Message {
    init(_ bytes: [UInt8]) {
        self.init(copying: unsafe bytes.span.bytes)
    }

    var array: [UInt8] {
        withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
    }
}
