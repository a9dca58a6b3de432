import Testing

@testable import Modelcast

@Suite struct ReconnectPauseTests {
    private static func lose(_ pause: inout ReconnectPause, at time: UInt64) -> UInt64 {
        pause.lost(at: time, first: .milliseconds(50), longest: .seconds(2)) - time
    }

    @Test func `the pause doubles up to the longest, also towards a sender that greets each time`() {
        var pause = ReconnectPause()
        var time: UInt64 = 0
        var pauses: [UInt64] = []
        for _ in 0..<8 {
            pause.opened(at: time)
            time += 10_000
            pauses.append(Self.lose(&pause, at: time) / 1000)
            time += pauses[pauses.count - 1] * 1000
        }
        #expect(pauses == [50, 100, 200, 400, 800, 1600, 2000, 2000])
    }

    @Test func `the pause begins anew after a contact that has stood`() {
        var pause = ReconnectPause()
        for _ in 0..<5 { _ = Self.lose(&pause, at: 0) }
        pause.opened(at: 0)
        #expect(Self.lose(&pause, at: 2_000_000) == 50_000)
        #expect(Self.lose(&pause, at: 2_000_000) == 100_000)
    }
}
