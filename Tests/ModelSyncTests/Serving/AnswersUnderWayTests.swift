import TestSupport
import Testing

@testable import ModelSync

/// What may be made for whom, of random peers of which some take nothing.
@Suite struct AnswersUnderWayTests {
    @Test func `whatever peers take, the bound is kept, all is counted, and one with nothing under way finds room`() {
        forEachSeed(300) { _, generator in
            let bound = Int.random(in: 4_000_000...20_000_000, using: &generator)
            var underWay = AnswersUnderWay(byteCountMax: bound)
            var held: [[UInt8]: [Int]] = [:]
            var time: UInt64 = 1_000_000
            for _ in 0..<3_000 {
                time += UInt64.random(in: 0...1_000, using: &generator)
                let now = Moment(wallMilliseconds: 0, uptimeMicroseconds: time)
                let peer = [UInt8.random(in: 0...63, using: &generator), UInt8.random(in: 0...1, using: &generator)]
                // Half of them never take anything.
                if peer[1] == 0, Bool.random(using: &generator), let count = held[peer]?.popLast() {
                    if held[peer] == [] { held[peer] = nil }
                    underWay.remove(ReleasedMessage(peer: peer, byteCount: count), now: now)
                }
                guard let room = underWay.room(for: peer, chunkByteCount: 128 << 10) else {
                    #expect(held[peer] != nil)
                    continue
                }
                #expect(room.chunkByteCount <= room.byteCountMax)
                let count = Int.random(in: 1...min(room.byteCountMax, 200_000), using: &generator)
                let isUsual = count <= room.chunkByteCount
                guard isUsual || held[peer] == nil else { continue }
                underWay.add(isUsual ? count : room.chunkByteCount, for: peer, now: now)
                held[peer, default: []].append(isUsual ? count : room.chunkByteCount)
            }
            let all = held.values.joined()
            #expect(underWay.byteCount == all.reduce(0, +) + all.count * ReleasedMessage.overheadByteCount)
            #expect(underWay.byteCount <= bound)
        }
    }

    @Test func `a thousand peers that take nothing leave others room for records of some kilobytes`() throws {
        var underWay = AnswersUnderWay(byteCountMax: 64 << 20)
        let now = Moment(wallMilliseconds: 0, uptimeMicroseconds: 1)
        for round in 0..<20 {
            for number in 0..<1_000 {
                let peer = [UInt8(number >> 8), UInt8(number & 255)]
                guard let room = underWay.room(for: peer, chunkByteCount: 128 << 10) else { continue }
                #expect(round < 10)
                underWay.add(room.chunkByteCount, for: peer, now: now)
            }
        }
        let room = try #require(underWay.room(for: [9, 9], chunkByteCount: 128 << 10))
        #expect(room.byteCountMax > 4_000)
        #expect(underWay.byteCount > 50 << 20)
    }

    @Test func `all connections of a key with a bound stay within it, or have one message under way`() {
        forEachSeed(200) { _, generator in
            var underWay = AnswersUnderWay(byteCountMax: 32 << 20)
            let bound = Int.random(in: 1_000...2_000_000, using: &generator)
            underWay.bound("key", to: bound)
            var held: [[UInt8]: [Int]] = [:]
            func sum(ofKey isOfKey: Bool) -> Int {
                held.filter { ($0.key[0] < 8) == isOfKey }.values.joined().reduce(0) {
                    $0 + $1 + ReleasedMessage.overheadByteCount
                }
            }
            for step in 0..<2_000 {
                let now = Moment(wallMilliseconds: 0, uptimeMicroseconds: UInt64(step))
                let peer = [UInt8.random(in: 0..<16, using: &generator)]
                let key = peer[0] < 8 ? "key" : nil
                if Bool.random(using: &generator), let count = held[peer]?.popLast() {
                    if held[peer] == [] { held[peer] = nil }
                    underWay.remove(ReleasedMessage(peer: peer, byteCount: count), now: now)
                }
                let before = sum(ofKey: true)
                guard let room = underWay.room(for: peer, of: key, chunkByteCount: 128 << 10) else {
                    // The others are kept from nothing by the key.
                    if key == nil { #expect(held[peer] != nil) }
                    continue
                }
                let isLarge = held[peer] == nil && Int.random(in: 0..<4, using: &generator) == 0
                let count = min(isLarge ? 900_000 : room.chunkByteCount, room.byteCountMax)
                underWay.add(count, for: peer, of: key, now: now)
                held[peer, default: []].append(count)
                if key != nil { #expect(sum(ofKey: true) <= bound || before == 0) }
            }
            #expect(underWay.byteCount == sum(ofKey: true) + sum(ofKey: false))
        }
    }
}
