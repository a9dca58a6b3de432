import Foundation
import ModelCache
public import ModelRecord
public import ModelWire
import ZeroMQ

/// A sender with real sockets on free ports of this host, whose answers a test decides. It sends any bytes on its
/// stream and on its control socket.
///
/// Barriers are answered as an honest sender answers them. The heartbeat is a minute, so that no replica finds the
/// sender silent.
public final class FakeSender: Sendable {
    /// The replies to a request; nil for those of an honest sender that has published nothing.
    public typealias Answer = @Sendable (ControlRequest) -> [ControlReply]?

    /// The endpoint that subscribers are given.
    public let control: String
    private let mailbox: Mailbox

    /// Binds the sockets, and serves on a thread of its own until the last reference goes.
    /// - Throws: the error of the socket that cannot be bound.
    public init(answer: @escaping Answer = { _ in nil }) throws {
        let mailbox = Mailbox()
        self.mailbox = mailbox
        let started = DispatchSemaphore(value: 0)
        let thread = Thread {
            do {
                let sockets = try FakeSenderSockets(answer: answer)
                mailbox.contents.withLock { $0.start = .success((sockets.controlEndpoint, sockets.waker)) }
                started.signal()
                try sockets.run(mailbox)
            } catch {
                mailbox.contents.withLock { if $0.start == nil { $0.start = .failure(error) } }
                started.signal()
            }
        }
        thread.name = "fake-sender"
        thread.start()
        started.wait()
        guard let start = mailbox.contents.withLock({ $0.start }) else { throw CaseFailure("no sender has started") }
        control = try start.get().control
    }

    deinit { mailbox.change { $0.isStopped = true } }

    /// Sends a message of any frames to every subscriber of its first frame.
    public func send(_ frames: [[UInt8]]) { mailbox.change { $0.stream.append(frames) } }

    /// Sends a message of any frames to every peer that has made a request.
    public func reply(_ frames: [[UInt8]]) { mailbox.change { $0.replies.append(frames) } }

    /// A message of the stream: a batch with one update, the first batch of its type.
    public static func batch(type: String, id: String, _ fields: Fields) throws -> [[UInt8]] {
        var writer = BatchWriter()
        try writer.append(.merge, stamp: 1 << 16, id: id, fields: fields)
        return [Topic.data(type: type).bytes, writer.finish(origin: name, incarnation: incarnation, sequence: 1)]
    }

    /// A greeting without a stream, for who only asks: the answer to a `hello` with these numbers.
    public static func greeting(_ rid: UInt64, _ version: UInt64, _ heads: Heads) -> ControlReply {
        .welcome(
            rid: rid, version: version, name: name, streamEndpoint: "", heartbeatMilliseconds: 500,
            frameLimit: 1 << 20, heads: [heads])
    }

    /// The sender's name, which is also the name of its origin.
    static let name = "fake"
    static let incarnation: UInt64 = 1
    static let heads = Heads(origin: name, incarnation: incarnation, stamp: 1 << 16, heads: [])
}

/// The messages of the tests to the sockets' thread, and the result of that thread's start.
private final class Mailbox: Sendable {
    struct Contents {
        /// The endpoint and the waker once both sockets are bound, or why they are not; nil before that.
        var start: Result<(control: String, waker: Waker), any Error>?
        var isStopped = false
        var stream: [[[UInt8]]] = []
        var replies: [[[UInt8]]] = []
    }

    let contents = Guarded(Contents())

    func change(_ body: (inout Contents) -> Void) {
        let waker = contents.withLock { contents in
            body(&contents)
            return try? contents.start?.get().waker
        }
        waker?.wake()
    }

    /// Takes the messages that wait.
    func take() -> Contents {
        contents.withLock { contents in
            defer { (contents.stream, contents.replies) = ([], []) }
            return contents
        }
    }
}

/// The sockets of a ``FakeSender``; they live on its thread.
private struct FakeSenderSockets: ~Copyable {
    let controlEndpoint: String
    let streamEndpoint: String
    var waker: Waker { poller.waker }
    private let control: Socket
    private let stream: Socket
    private var poller: Poller
    private let answer: FakeSender.Answer
    private var peers: Set<[UInt8]> = []

    init(answer: @escaping FakeSender.Answer) throws {
        let context = try Context()
        let control = try FakeSenderSockets.bound(.router, in: context)
        let stream = try FakeSenderSockets.bound(.xpub, in: context)
        let endpoints = (try control.lastEndpoint(), try stream.lastEndpoint())
        var poller = try Poller()
        _ = try poller.add(control)
        _ = try poller.add(stream)
        (controlEndpoint, streamEndpoint) = endpoints
        self.poller = poller
        self.control = control
        self.stream = stream
        self.answer = answer
    }

    private static func bound(_ kind: Socket.Kind, in context: Context) throws -> Socket {
        let socket = try Socket(kind, in: context)
        try socket.bind("tcp://127.0.0.1:*")
        return socket
    }

    consuming func run(_ mailbox: Mailbox) throws {
        while true {
            let mail = mailbox.take()
            if mail.isStopped { return }
            for frames in mail.stream { try FakeSenderSockets.send(frames, on: stream) }
            for frames in mail.replies {
                for peer in peers { try FakeSenderSockets.send([peer] + frames, on: control) }
            }
            _ = try poller.wait(timeout: .seconds(60))
            while let frames = try FakeSenderSockets.receive(from: stream) {
                guard let frame = frames.first, frame.first == 1, frame.dropFirst().first == 0xFF else { continue }
                try FakeSenderSockets.send([Array(frame.dropFirst()), FakeSender.heads.encode()], on: stream)
            }
            while let frames = try FakeSenderSockets.receive(from: control) {
                guard let peer = frames.first, let payload = frames.last, frames.count == 2 else { continue }
                peers.insert(peer)
                let request = try ControlRequest(decoding: payload.span)
                for reply in answer(request) ?? honest(request) {
                    try FakeSenderSockets.send([peer, reply.encode()], on: control)
                }
            }
        }
    }

    private func honest(_ request: ControlRequest) -> [ControlReply] {
        switch request {
        case .hello(let rid, _, _, _):
            [
                .welcome(
                    rid: rid, version: 1, name: FakeSender.name, streamEndpoint: streamEndpoint,
                    heartbeatMilliseconds: 60_000, frameLimit: 1 << 20, heads: [FakeSender.heads])
            ]
        case .snapshot(let rid, _, _): [.complete(rid: rid, heads: [FakeSender.heads])]
        default: []
        }
    }

    private static func send(_ frames: [[UInt8]], on socket: borrowing Socket) throws {
        for (index, frame) in frames.enumerated() {
            // The span is borrowed for this call only, which copies the bytes.
            let message = unsafe Message(copying: frame.span.bytes)
            guard try socket.send(message, more: index < frames.count - 1) == .sent else { return }
        }
    }

    /// The frames of the next message; nil when none has come.
    private static func receive(from socket: borrowing Socket) throws -> [[UInt8]]? {
        var message = Message()
        var frames: [[UInt8]] = []
        repeat {
            guard try socket.receive(into: &message) else { return nil }
            frames.append(message.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } })
        } while message.hasMore
        return frames
    }
}
