import Foundation
import TestSupport
import Testing

@testable import Modelcast

/// Services at ipc endpoints: what a start may not destroy.
@Suite(.timeLimit(.minutes(15))) struct EndpointFileTests {
    @Test(arguments: ["s", "s-stream"])
    func `a publisher does not start where a file stands, and leaves nothing behind`(_ name: String) async throws {
        let folder = try TemporaryDirectory()
        try Data("precious".utf8).write(to: URL(fileURLWithPath: folder.path(name)))
        let publisher = try makePublisher(nil, control: "ipc://\(folder.path("s"))")
        let error = await #expect(throws: ModelcastError.self) { try await publisher.run() }
        #expect(error?.code == .endpoint)
        #expect(error?.message.contains("no socket") == true, "\(String(describing: error))")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == [name])
        #expect(try String(contentsOfFile: folder.path(name), encoding: .utf8) == "precious")
    }

    @Test func `a second publisher at the same path is refused, and the first goes on`() async throws {
        let folder = try TemporaryDirectory()
        let control = "ipc://\(folder.path("s"))"
        let first = try makePublisher(nil, control: control)
        try await running(first) { endpoints in
            try await subscribing(to: [endpoints.control]) { subscriber in
                try await subscriber.waitUntilLive()
                let second = try makePublisher(nil, name: "q", control: control)
                let error = await #expect(throws: ModelcastError.self) { try await second.run() }
                #expect(error?.code == .endpoint && error?.message.contains("Address already in use") == true)
                try first.merge("User", "1", ["age": 1])
                #expect(await eventually { subscriber["User", "1"] != nil })
                try await subscribing(to: [endpoints.control]) { try await $0.waitUntilLive() }
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
    }
}
