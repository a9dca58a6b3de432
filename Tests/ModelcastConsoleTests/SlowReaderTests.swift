import Modelcast
import ModelcastTesting
import TestSupport
import Testing

@testable import ModelcastConsole

/// Clients that ask for much and take nothing.
@Suite(.timeLimit(.minutes(5))) struct SlowReaderTests {
    @Test
    func `what waits for readers is bounded: who has taken nothing for longest is cut, not who is slow, nor others`()
        async throws
    {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let configuration = try configured { $0.answerByteCountMax = 8 << 20 }
            let gateway = ModelGateway(of: .publisher(publisher))
            try await withConsole(of: [.publisher(publisher)], gateway: gateway, configuration: configuration) {
                client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                let filler = String(repeating: "x", count: 10_000)
                for number in 0..<300 {
                    try await publisher.waitingForRoom {
                        try publisher.merge("User", "\(number)", ["filler": .text(filler)])
                    }
                }
                let page = "GET /v1/models/User?limit=1000 HTTP/1.1"
                let whole = try await client.ask([page, "Host: localhost"])
                #expect(whole.status == 200 && whole.body.utf8.count > 3_000_000)
                // Several answers each: of the first, sockets may take all.
                let asked = String(repeating: "\(page)\r\nHost: localhost\r\n\r\n", count: 8)
                // One that takes a part now and then: as much as lets the sockets between take more.
                let slow = try RawConnection(to: "tcp://127.0.0.1:\(client.port)")
                slow.send(Array(asked.utf8))
                let (part, wanted) = (2_000_000, 8 * whole.body.utf8.count)
                var taken = 0
                var stalled: [RawConnection] = []
                var cutCount = 0.0
                while cutCount < 2 {
                    try #require(stalled.count < 40, "40 readers that take nothing, and none is cut")
                    taken += try await onOwnThread { slow.read(byteCount: part).count }
                    stalled.append(try RawConnection(to: "tcp://127.0.0.1:\(client.port)"))
                    stalled.last?.send(Array(asked.utf8))
                    #expect(try await client.get("/v1/models/User/1").status == 200)
                    let metrics = try await client.get("/metrics").body
                    cutCount = try #require(figure("modelcast_cut_readers_total", metrics))
                    // One answer more, where that waits alone.
                    let waiting = try #require(figure("modelcast_answer_bytes", metrics))
                    #expect(waiting < 12_000_000)
                }
                while taken < wanted {
                    #expect(try await client.get("/v1/models/User/1").status == 200)
                    let left = min(part, wanted - taken)
                    let count = try await onOwnThread { slow.read(byteCount: left).count }
                    try #require(count > 0, "a reader that reads was cut after \(taken) bytes of \(wanted)")
                    taken += count
                }
                // The first was cut first.
                let first = stalled.removeFirst()
                let rest = try await onOwnThread { first.readToEnd() }
                #expect(try #require(rest).count < 8 * whole.body.utf8.count)
                let again = try await client.ask([page, "Host: localhost"])
                #expect(again.body == whole.body)
                stalled = []
                #expect(try await client.eventually("/metrics") { figure("modelcast_answer_bytes", $0.body) == 0 })
            }
        }
    }

    /// The value of a metric without labels; nil where it is not told.
    private func figure(_ name: String, _ metrics: String) -> Double? {
        let line = metrics.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) }
    }
}
