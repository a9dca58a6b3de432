import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import Synchronization
import Testing

/// How types are found: without a lock, while others come.
@Suite(.timeLimit(.minutes(15))) struct TypeIndexTests {
    @Test func `each of many types is found, and none that is not there`() {
        let cache = ModelCache()
        for number in 0..<1000 { cache.commit("T\(number)", "1", ["n": .int(Int64(number))], at: 1 << 16) }
        for number in 0..<1000 { #expect(cache["T\(number)", "1"]?["n"] == .int(Int64(number))) }
        #expect(cache["T1000", "1"] == nil && cache.types.count == 1000)
    }

    @Test func `names are found in every spelling that is equal, of any length`() {
        let cache = ModelCache()
        let composed = ["\u{E9}t\u{E9}", "caf\u{E9}-of-many-bytes-in-all", "\u{E9}", "Kund;`", "K", "K\u{E9}"]
        let plain = (0...40).map { String(repeating: "a", count: $0) } + ["a\0", "\0a", "\0\0"]
        for (number, name) in (composed + plain).enumerated() {
            cache.commit(name, "1", ["n": .int(Int64(number))], at: 1 << 16)
        }
        for name in composed { #expect(name == name.decomposed && Array(name.utf8) != Array(name.decomposed.utf8)) }
        for (number, name) in (composed + plain).enumerated() {
            // Made anew: another string object, and of the first ones other bytes.
            let spelled = String(decoding: Array(name.decomposed.utf8), as: UTF8.self)
            #expect(cache[spelled, "1"]?["n"] == .int(Int64(number)), "\(name)")
        }
        #expect(cache.types.count == composed.count + plain.count)
    }

    @Test func `types that come while others are read are found from then on`() {
        final class Progress: Sendable {
            let made = Atomic(0)
            let lost = Atomic(0)
        }
        let (cache, progress) = (ModelCache(), Progress())
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            if thread == 0 {
                for number in 0..<500 {
                    _ = cache.table("T\(number)")
                    cache.commit("T\(number)", "1", at: 1 << 16)
                    progress.made.store(number + 1, ordering: .releasing)
                }
            } else {
                while true {
                    let made = progress.made.load(ordering: .acquiring)
                    for number in 0..<made where cache["T\(number)", "1"] == nil {
                        progress.lost.add(1, ordering: .relaxed)
                    }
                    if made == 500 { break }
                }
            }
        }
        #expect(progress.lost.load(ordering: .relaxed) == 0)
    }
}

extension String {
    /// Equal, of other bytes: the accents of é as characters of their own, and what Unicode has beside ASCII.
    fileprivate var decomposed: String {
        let spellings: [Unicode.Scalar: [Unicode.Scalar]] = [
            "\u{E9}": ["e", "\u{301}"], "K": ["\u{212A}"], ";": ["\u{37E}"], "`": ["\u{1FEF}"],
        ]
        return String(String.UnicodeScalarView(unicodeScalars.flatMap { spellings[$0] ?? [$0] }))
    }
}
