import ModelWire
import Testing

@testable import Modelcast

/// Where two copies stand, as far as their holders tell.
@Suite struct VerificationPositionTests {
    private func position(_ heads: [(origin: String, incarnation: UInt64, sequence: UInt64)]) -> Verification.Position {
        Verification.Position(
            heads.map { told in
                let head = TopicHead(topic: .data(type: "User"), sequence: told.sequence)
                return Heads(origin: told.origin, incarnation: told.incarnation, stamp: 1, heads: [head])
            }, type: "User")
    }

    @Test func `holders agree where both tell the same of whatever both tell`() {
        let all = position([("a", 1, 5), ("b", 1, 7)])
        #expect(all.agrees(with: position([("b", 1, 7), ("c", 1, 1)])))
        #expect(all.agrees(with: position([])))
        #expect(!all.agrees(with: position([("a", 1, 6)])))
        #expect(!all.agrees(with: position([("b", 2, 7)])))
    }

    @Test func `thousands of origins are told by some, and how many there are`() {
        let many = position((0..<5_000).map { ("job-\($0)", 1, 1) })
        #expect(many.text.count < 1_000)
        #expect(many.text.contains("4984 origins more"))
    }
}
