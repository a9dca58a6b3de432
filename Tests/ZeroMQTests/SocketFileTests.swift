import Foundation
import Synchronization
import TestSupport
import Testing
import ZeroMQ

/// The files of ipc endpoints: what a bind may not destroy, and what is removed.
@Suite struct SocketFileTests {
    private func bind(_ path: String, in context: Context? = nil) throws -> Socket {
        let socket = try Socket(.router, in: context ?? Context())
        try socket.bind("ipc://\(path)")
        return socket
    }

    private func code(binding path: String) -> ZeroMQError.Code? {
        do {
            _ = try bind(path)
            return nil
        } catch {
            return (error as? ZeroMQError)?.code
        }
    }

    /// A socket file whose process has ended without removing it.
    private func leaveSocket(at path: String) throws {
        // The end of its context waits for the end of the socket.
        let helper = try bind("\(path)-moved")
        // A second name outlives the first, which goes with the socket.
        try FileManager.default.linkItem(atPath: "\(path)-moved", toPath: path)
        helper.close()
    }

    private final class Tries: Sendable {
        let outcomes = Mutex<[Bool]>([])
        let over = DispatchSemaphore(value: 0)
    }

    private func exists(_ path: String) -> Bool { (try? FileManager.default.attributesOfItem(atPath: path)) != nil }

    @Test func `what is no socket is refused and left as it is`() throws {
        let folder = try TemporaryDirectory()
        let (file, link, lost) = (folder.path("file"), folder.path("link"), folder.path("lost"))
        try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        try FileManager.default.createSymbolicLink(atPath: lost, withDestinationPath: folder.path("nowhere"))
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: false)
        for path in [file, link, lost, folder.path("folder")] {
            #expect(code(binding: path) == .fileExists, "\(path)")
            #expect(exists(path))
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
    }

    @Test func `an endpoint that is served is refused, and goes on being served`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("s")
        let first = try bind(path)
        do {
            _ = try bind(path)
            Issue.record("two sockets at one path")
        } catch let error as ZeroMQError {
            #expect(error.code == .addressInUse && error.detail == "ipc://\(path)")
            #expect(error.description.contains("another port or path"))
        }
        let client = try Socket(.dealer, in: Context())
        try client.connect("ipc://\(path)")
        try send("hello", on: client)
        #expect(try nextFrames(first).last == Array("hello".utf8))
    }

    @Test func `a socket that nobody serves any more is taken over`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("s")
        try leaveSocket(at: path)
        let bound = try bind(path)
        #expect(try bound.lastEndpoint() == "ipc://\(path)")
        let client = try Socket(.dealer, in: Context())
        try client.connect("ipc://\(path)")
        try send("hello", on: client)
        #expect(try nextFrames(bound).last == Array("hello".utf8))
    }

    @Test func `a file goes with its socket, and no other file does`() throws {
        let folder = try TemporaryDirectory()
        let (path, other) = (folder.path("s"), folder.path("t"))
        let socket = try bind(path)
        #expect(exists(path))
        socket.close()
        #expect(!exists(path))

        let replaced = try bind(path)
        try FileManager.default.removeItem(atPath: path)
        let successor = try bind(path)
        replaced.close()
        #expect(exists(path))
        let client = try Socket(.dealer, in: Context())
        try client.connect("ipc://\(path)")
        try send("hello", on: client)
        #expect(try nextFrames(successor).last == Array("hello".utf8))

        let unbound = try bind(other)
        try unbound.unbind(unbound.lastEndpoint())
        #expect(!exists(other))
    }

    @Test func `of many that start at once one gets the endpoint`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("s")
        try leaveSocket(at: path)
        let tries = Tries()
        for _ in 0..<8 {
            Thread.detachNewThread {
                do {
                    let socket = try self.bind(path)
                    tries.outcomes.withLock { $0.append(true) }
                    // Served until all have tried.
                    tries.over.wait()
                    socket.close()
                } catch {
                    tries.outcomes.withLock { $0.append(false) }
                }
            }
        }
        #expect(await eventually { tries.outcomes.withLock { $0.count } == 8 })
        for _ in 0..<8 { tries.over.signal() }
        #expect(tries.outcomes.withLock { $0.count { $0 } } == 1)
    }

    @Test func `an abstract name has no file`() throws {
        let name = "@modelcast-test-\(UUID().uuidString)"
        let server = try bind(name)
        #expect(try server.lastEndpoint() == "ipc://\(name)")
        #expect(code(binding: name) == .addressInUse)
    }
}
