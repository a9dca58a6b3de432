public import Foundation

/// The results of a run of the measurement, with the facts that it takes to judge them.
public struct BenchReport: Codable, Hashable, Sendable {
    /// The machine and the build.
    public var machine: MachineFacts
    /// The commit of the build, as it was given; "unknown" where none was.
    public var commit: String
    /// The command line that repeats the run.
    public var command: String
    /// When the run began.
    public var start: Date
    /// How long the run took.
    public var seconds: Double
    /// The configuration.
    public var plan: BenchPlan
    /// The parts in the order in which they were measured; none where copies differed.
    public var parts: [BenchPart] = []
    /// The copies that differed, in words: a run counts only where there are none.
    public var differences: [String] = []

    /// A report without results.
    public init(
        machine: MachineFacts, commit: String, command: String, start: Date, seconds: Double, plan: BenchPlan
    ) {
        (self.machine, self.commit, self.command) = (machine, commit, command)
        (self.start, self.seconds, self.plan) = (start, seconds, plan)
    }

    /// How many copies were compared and found equal.
    public var equalCopies: Int { parts.reduce(0) { $0 + $1.equalCopies } }

    /// A sentence that says whether the run counts.
    public var verdict: String {
        if !differences.isEmpty {
            return "DIGESTS DIFFER, no figure of this run counts: " + differences.joined(separator: "; ")
        }
        guard equalCopies > 0 else { return "Nothing was copied between processes; there were no digests to compare." }
        return "All digests equal, \(Figures.grouped(equalCopies)) comparisons: the run counts."
    }

    /// How many marks were reached, of how many; nil where none was set.
    public var marks: (reached: Int, count: Int)? {
        let results = parts.flatMap(\.figures).compactMap(\.isReached)
        return results.isEmpty ? nil : (results.count { $0 }, results.count)
    }

    /// The report as JSON, for ``init(json:)`` and for other programs. Dates are ISO 8601.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// Reads what ``json()`` has written.
    public init(json: String) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(BenchReport.self, from: Data(json.utf8))
    }
}
