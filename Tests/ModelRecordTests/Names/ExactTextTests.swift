import Testing

@testable import ModelRecord

@Suite struct ExactTextTests {
    private let composed = ExactText("caf\u{E9}")
    private let apart = ExactText("cafe\u{301}")

    @Test func `texts that write one character in two ways are two`() {
        #expect(composed.text == apart.text && composed != apart)
        #expect(Set([composed, apart, composed]).count == 2)
    }

    @Test func `texts are in the order of their bytes`() {
        #expect(apart < composed && !(composed < apart) && !(composed < composed))
        #expect(ExactText("a") < ExactText("ab"))
    }

    @Test func `many ways to write one text do not have one hash`() {
        let texts = (0..<1_000).map { ways in
            ExactText((0..<10).reduce(into: "") { $0 += ways >> $1 & 1 == 1 ? "e\u{301}" : "\u{E9}" })
        }
        #expect(Set(texts.map(\.hashValue)).count > 990)
    }
}
