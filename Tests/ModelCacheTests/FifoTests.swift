import ModelRecord
import TestSupport
import Testing

@testable import ModelCache

@Suite struct FifoTests {
    @Test func `a queue gives what an array would, through gaps that grow and close`() {
        forEachSeed(200) { _, random in
            var (queue, expected) = (Fifo<[Int]>(), [[Int]]())
            // Now it grows, now it shrinks, to some thousand elements: long gaps are closed on the way.
            var growth = 3
            for number in 0..<12_000 {
                if number.isMultiple(of: 1_500) { growth = Int.random(in: 1...5, using: &random) }
                switch Int.random(in: 0..<6_000, using: &random) {
                case 0:
                    try #require(queue.takeAll() == expected)
                    expected = []
                case 1:
                    queue.prepend([[-number], [number]])
                    expected.insert(contentsOf: [[-number], [number]], at: 0)
                case 2..<1_000:
                    if !queue.isEmpty { queue[0].append(number) }
                    if !queue.isEmpty { queue[queue.count - 1].append(-number) }
                    if !expected.isEmpty {
                        expected[0].append(number)
                        expected[expected.count - 1].append(-number)
                    }
                case 1_000..<(1_000 * growth):
                    queue.append([number])
                    expected.append([number])
                default:
                    try #require(queue.removeFirst() == (expected.isEmpty ? nil : expected.removeFirst()))
                }
                try #require(queue.count == expected.count && queue.isEmpty == expected.isEmpty)
                try #require(queue.first == expected.first && queue.last == expected.last)
            }
            try #require(queue.takeAll() == expected)
        }
    }

    @Test func `what was taken is released`() {
        var queue = Fifo<Guest>()
        weak var first: Guest?
        do {
            let guest = Guest()
            first = guest
            queue.append(guest)
            queue.append(Guest())
        }
        #expect(first != nil)
        _ = queue.removeFirst()
        #expect(first == nil, "the queue still has the second, and nothing of the first")
        #expect(queue.count == 1)
    }
}

private final class Guest: Sendable {}
