import ModelRecord
import TestSupport
import Testing
import ZeroMQ

/// The question and the answer, without sockets.
@Suite struct ZAPRequestTests {
    private static let key = Curve.PublicKey(bytes: Array(1...32))!

    private static func question(key: [UInt8] = key.bytes) -> [[UInt8]] {
        ["1.0", "7", "modelcast", "10.0.0.5", "", "CURVE"].map { Array($0.utf8) } + [key]
    }

    private static func decide(_ frames: [[UInt8]]) -> (decision: ZAPDecision, reply: [[UInt8]]) {
        ZAPRequest.decide(frames, allowed: ["modelcast": [key]])
    }

    @Test func `a key that is allowed is answered with 200 and becomes the user`() {
        let (decision, reply) = Self.decide(Self.question())
        #expect(decision == .allowed(Self.key))
        #expect(reply == ["1.0", "7", "200", "", Self.key.z85, ""].map { Array($0.utf8) })
    }

    @Test func `every other key is answered with 400 and nothing else`() throws {
        var other = Self.key.bytes
        other[31] ^= 1
        let (decision, reply) = Self.decide(Self.question(key: other))
        #expect(decision == .refused(try #require(Curve.PublicKey(bytes: other))))
        #expect(reply == ["1.0", "7", "400", "", "", ""].map { Array($0.utf8) })
    }

    @Test func `a question without a key is answered with 200 only where no keys are used`() {
        let question = ["1.0", "7", "modelcast", "10.0.0.5", "", "NULL"].map { Array($0.utf8) }
        let (decision, reply) = ZAPRequest.decide(question, allowed: ["modelcast": nil])
        #expect(decision == .allowedWithoutKey)
        #expect(reply == ["1.0", "7", "200", "", "", ""].map { Array($0.utf8) })
        #expect(Self.decide(question).decision == .malformed)
        #expect(ZAPRequest.decide(Self.question(), allowed: ["modelcast": nil]).decision == .malformed)
        #expect(ZAPRequest.decide(question, allowed: ["other": nil]).decision == .malformed)
        #expect(ZAPRequest.decide(question + [[]], allowed: ["modelcast": nil]).decision == .malformed)
    }

    @Test func `another version, domain, mechanism or number of frames is malformed`() {
        var wrong: [[[UInt8]]] = [[], [[]], Self.question() + [[]], Self.question().dropLast()]
        for (index, text) in [(0, "2.0"), (2, "other"), (2, ""), (5, "PLAIN"), (5, "NULL"), (6, "short")] {
            var frames = Self.question()
            frames[index] = Array(text.utf8)
            wrong.append(frames)
        }
        var long = Self.question()
        long[4] = Array(repeating: 0, count: 256)
        wrong.append(long)
        for frames in wrong {
            let (decision, reply) = Self.decide(frames)
            #expect(decision == .malformed, "\(frames)")
            #expect(reply.count == 6 && reply[2] == Array("400".utf8), "\(frames)")
        }
    }

    @Test func `damaged questions let in nobody, and each has an answer`() {
        forEachSeed(20_000) { _, generator in
            var frames = Self.question()
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: frames.remove(at: Int.random(in: frames.indices, using: &generator))
            case 1:
                let bytes = [UInt8].random(lengths: 0...40, using: &generator)
                frames.insert(bytes, at: Int.random(in: 0...7, using: &generator))
            case 2: frames[6][Int.random(in: 0..<32, using: &generator)] ^= .random(in: 1...255, using: &generator)
            default:
                let count = Int.random(in: 0..<12, using: &generator)
                frames = (0..<count).map { _ in .random(lengths: 0...300, using: &generator) }
            }
            let (decision, reply) = Self.decide(frames)
            if case .allowed = decision { throw CaseFailure("came in: \(frames)") }
            guard reply.count == 6, reply[2] == Array("400".utf8) else { throw CaseFailure("answered \(reply)") }
        }
    }
}
