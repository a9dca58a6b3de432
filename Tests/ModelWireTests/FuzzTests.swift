import Foundation
import ModelCBOR
@_spi(RecordWriting) import ModelRecord
import ModelWire
import TestSupport
import Testing

/// Damaged frames of every kind: each is refused, or means something that can be encoded, read and applied again.
@Suite(.timeLimit(.minutes(15))) struct FuzzTests {
    /// One million in a release build; `MODELCAST_FUZZ_COUNT` overrides it.
    private static let count: Int = {
        if let text = ProcessInfo.processInfo.environment["MODELCAST_FUZZ_COUNT"], let count = Int(text) {
            return count
        }
        #if DEBUG
            return 50_000
        #else
            return 1_000_000
        #endif
    }()
    private static let firstSeed =
        ProcessInfo.processInfo.environment["MODELCAST_SEED"].flatMap { UInt64($0) } ?? 1
    /// How many inputs are made of one pair of frames.
    private static let inputsPerSeed = 50
    /// How much the process may grow once the first tenth of the inputs has warmed it up. A million inputs that each
    /// leave a hundred bytes behind take 95 MiB; other suites may run beside this one where it is not run by
    /// `Scripts/test`, and need room.
    private static let grownByteCountMax = 64 << 20

    @Test func `damaged frames are refused or stay what they were taken for`() throws {
        var target = FuzzTarget()
        var memory = MemoryWatch()
        var accepted = 0
        let seeds = max(1, Self.count / Self.inputsPerSeed)
        for index in 0..<seeds {
            let seed = Self.firstSeed &+ UInt64(index)
            // Should the process die, the seed lies in the last range printed.
            if index % 1000 == 0 { print("FuzzTests: MODELCAST_SEED=\(seed) and the next 999") }
            if index >= seeds / 10, index % 100 == 0 { memory.look() }
            var generator = SeededGenerator(seed: seed)
            let kind = Int(seed % UInt64(FrameSample.kindCount))
            let sample = try FrameSample.random(kind: kind, using: &generator)
            let other = try FrameSample.random(
                kind: .random(in: 0..<FrameSample.kindCount, using: &generator), using: &generator)
            var frame = sample.encode()
            if seed % 3 == 0 {
                var sloppy = SloppyEncoder(seed: seed)
                frame = sloppy.rewrite(frame)
            }
            var mutator = Mutator(generator: generator)
            let donor = other.encode()
            for _ in 0..<Self.inputsPerSeed {
                let input = mutator.mutate(frame, with: donor)
                do {
                    if try target.isAccepted(input, like: sample) { accepted += 1 }
                } catch {
                    Issue.record(
                        """
                        \(error)
                        input: \(input.hex)
                        run it again with: MODELCAST_SEED=\(seed) MODELCAST_FUZZ_COUNT=\(Self.inputsPerSeed) \
                        swift test --filter FuzzTests
                        """)
                    return
                }
            }
        }
        memory.look()
        print(
            "FuzzTests: \(seeds * Self.inputsPerSeed) inputs, \(accepted) accepted, "
                + "memory grown by \(memory.grownByteCount >> 10) KiB")
        #expect(memory.grownByteCount < Self.grownByteCountMax)
        // Most of the damage is fatal, but not all: values, stamps and ids may become others.
        #expect(accepted > seeds)
    }

    @Test func `random bytes are refused or stay what they were taken for`() throws {
        var target = FuzzTarget()
        var generator = SeededGenerator(seed: Self.firstSeed)
        let samples = try (0..<FrameSample.kindCount).map { try FrameSample.random(kind: $0, using: &generator) }
        var memory = MemoryWatch()
        let inputs = max(1, Self.count / 20)
        for index in 0..<inputs {
            if index >= inputs / 10, index % 1000 == 0 { memory.look() }
            let input = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            for sample in [samples[0], samples[2], samples[4], samples[FrameSample.kindCount - 3]] {
                #expect(throws: Never.self, "\(input.hex)") { _ = try target.isAccepted(input, like: sample) }
            }
        }
        memory.look()
        #expect(memory.grownByteCount < Self.grownByteCountMax)
    }
}

/// Reads inputs and checks what comes of them.
private struct FuzzTarget {
    private var records = Records()
    private var applied = 0

    /// - Returns: false when the input was refused.
    /// - Throws: when what was accepted does not stay what it is.
    mutating func isAccepted(_ input: [UInt8], like sample: FrameSample) throws -> Bool {
        var decoder = BatchDecoder()
        let decoded: FrameSample
        do throws(WireError) {
            switch sample {
            case .batch: decoded = .batch(try BatchSample(decoding: input, with: &decoder))
            default:
                guard let frame = try sample.decoding(input) else { return true }
                decoded = frame
            }
        } catch {
            guard (error.offset ?? 0) >= 0 else { throw CaseFailure("an offset before the frame: \(error)") }
            return false
        }
        if case .batch(let batch) = decoded {
            try check(batch)
            try apply(input, with: decoder)
            // All were refused: there is nothing to write.
            if batch.updates.isEmpty { return true }
        }
        let again = decoded.encode()
        guard let second = try decoded.decoding(again, limits: .ceiling) else {
            throw CaseFailure("the kind has changed")
        }
        guard second == decoded else { throw CaseFailure("read again, it is another: \(again.hex)") }
        guard second.encode() == again else { throw CaseFailure("written again, it is another: \(again.hex)") }
        return true
    }

    /// What the rest of the program relies on.
    private func check(_ batch: BatchSample) throws {
        var last: Stamp?
        for update in batch.updates {
            try Names.check(id: update.id)
            if let last, update.stamp <= last { throw CaseFailure("stamps do not rise") }
            last = update.stamp
            try check(update.fields)
        }
    }

    /// Fields are deterministic, in order, and every value can be told.
    private func check(_ fields: EncodedFields) throws {
        var reader = CBORReader(fields.bytes.span)
        var previous: [UInt8] = []
        for _ in 0..<fields.count {
            let start = reader.offset
            let name = reader.string(try reader.readText())
            try Names.check(field: name)
            let key = Array(fields.bytes[start..<reader.offset])
            guard previous.lexicographicallyPrecedes(key) else { throw CaseFailure("fields are not in order") }
            previous = key
            _ = try Value(reading: &reader, maxDepth: 16)
        }
        var whole = CBORReader(fields.bytes.span)
        for _ in 0..<(2 * fields.count) { try whole.skipItem(maxDepth: 16) }
        guard whole.isDeterministic, whole.isAtEnd, reader.isAtEnd else {
            throw CaseFailure("fields are not deterministic")
        }
    }

    private mutating func apply(_ input: [UInt8], with decoder: borrowing BatchDecoder) throws {
        applied += 1
        // So that records grow, and not without end.
        if applied % 64 == 0 { records = Records() }
        records.apply(input, with: decoder)
        guard applied % 8 == 0 else { return }
        for record in records.byID.values {
            let bytes = record.bytes.copy
            var reader = CBORReader(bytes.span)
            guard try CellRecord(reading: &reader) == record else { throw CaseFailure("a record is not what it says") }
        }
    }
}
