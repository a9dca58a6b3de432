import Foundation
import TestSupport

/// An event of a stream.
struct ServerSentEvent: Equatable {
    let name: String
    let id: String?
    let data: String

    /// The data as an object.
    var object: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(data.utf8))) as? [String: Any] ?? [:]
    }

    func text(_ key: String) -> String { object[key] as? String ?? "" }
    func flag(_ key: String) -> Bool { object[key] as? Bool ?? false }
}

/// Reads an event stream over TCP, as far as it is asked to. One task at a time.
// Unchecked: the connection blocks, so each read is done on a thread of its own, while the task waits for it.
final class EventReader: @unchecked Sendable {
    private let connection: RawConnection
    /// What has come and was not looked at.
    private var raw: [UInt8] = []
    /// The content of chunks, from the last event on.
    private var content: [UInt8] = []
    private var hasHead = false
    /// The first line of the answer.
    private(set) var statusLine = ""

    /// Asks for a stream.
    init(_ port: Int, _ path: String, _ headers: [String] = []) throws {
        connection = try RawConnection(to: "tcp://127.0.0.1:\(port)")
        let lines = ["GET \(path) HTTP/1.1", "Host: localhost:\(port)"] + headers + ["", ""]
        connection.send(Array(lines.joined(separator: "\r\n").utf8))
    }

    /// Reads events until one is the last that is wanted.
    /// - Returns: the events; the last of them is not the wanted one where the stream has ended, or nothing has come
    ///   for ten seconds.
    func events(until isLast: @escaping @Sendable (ServerSentEvent) -> Bool) async -> [ServerSentEvent] {
        await onThread { reader in
            var events: [ServerSentEvent] = []
            while let event = reader.next() {
                events.append(event)
                if isLast(event) { break }
            }
            return events
        }
    }

    /// Reads so many events.
    func events(_ count: Int) async -> [ServerSentEvent] {
        await onThread { reader in
            var events: [ServerSentEvent] = []
            while events.count < count, let event = reader.next() { events.append(event) }
            return events
        }
    }

    private func onThread<R: Sendable>(_ body: @escaping @Sendable (EventReader) -> R) async -> R {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body(self)) }
        }
    }

    private func next() -> ServerSentEvent? {
        while true {
            if let event = takeEvent() { return event }
            let bytes = connection.readSome()
            guard !bytes.isEmpty else { return nil }
            raw += bytes
            takeChunks()
        }
    }

    /// Takes the head, and the content of all chunks that are whole.
    private func takeChunks() {
        if !hasHead {
            guard let end = raw.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            statusLine = text(raw[..<end.lowerBound]).components(separatedBy: "\r\n")[0]
            raw.removeSubrange(..<end.upperBound)
            hasHead = true
        }
        var start = 0
        while let end = raw[start...].firstRange(of: [13, 10]),
            let count = Int(text(raw[start..<end.lowerBound]), radix: 16), end.upperBound + count + 2 <= raw.count
        {
            content += raw[end.upperBound..<(end.upperBound + count)]
            start = end.upperBound + count + 2
        }
        raw.removeSubrange(..<start)
    }

    /// Takes the next event that has data.
    private func takeEvent() -> ServerSentEvent? {
        while let end = content.firstRange(of: [10, 10]) {
            let block = text(content[..<end.lowerBound])
            content.removeSubrange(..<end.upperBound)
            var (name, id, data) = ("message", String?.none, [String]())
            for line in block.split(separator: "\n") {
                if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                if line.hasPrefix("data: ") { data.append(String(line.dropFirst(6))) }
            }
            if !data.isEmpty { return ServerSentEvent(name: name, id: id, data: data.joined(separator: "\n")) }
        }
        return nil
    }

    private func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
