import Foundation

/// Commits that a file held once and that are gone, as far as its mark tells of them.
public struct LostCommits: Hashable, Sendable, CustomStringConvertible {
    /// The number of the first commit that is gone.
    public var first: UInt64
    /// The number of the last commit that is gone.
    public var last: UInt64
    /// The time in Unix milliseconds before which none of them was made; nil where it is not known.
    public var sinceMilliseconds: UInt64?
    /// The time in Unix milliseconds at which the last of them was made; nil where it is not known.
    public var untilMilliseconds: UInt64?

    /// Names the commits from `first` to `last`.
    public init(first: UInt64, last: UInt64, sinceMilliseconds: UInt64? = nil, untilMilliseconds: UInt64? = nil) {
        self.first = first
        self.last = last
        self.sinceMilliseconds = sinceMilliseconds
        self.untilMilliseconds = untilMilliseconds
    }

    /// The commits after commit `number`, up to `last`. People have to know which jobs to run again, so the time begins
    /// with the last thing that is still there.
    init(after number: UInt64, through last: UInt64, sinceMilliseconds: UInt64?, mark path: String) {
        let written = FilePlace(path: path).map { UInt64(clamping: $0.writtenMilliseconds) }
        self.init(first: number + 1, last: last, sinceMilliseconds: sinceMilliseconds, untilMilliseconds: written)
    }

    /// All commits of the store at `path`; nil where no mark can be read beside it.
    static func all(of path: String) -> LostCommits? {
        let mark = path + StoreMark.suffix
        guard let content = StoreMark.read(path: mark) else { return nil }
        let last = content.expected(boot: StoreMark.boot)
        guard last > 0 else { return nil }
        let began = content.beganMilliseconds
        return LostCommits(after: 0, through: last, sinceMilliseconds: began > 0 ? began : nil, mark: mark)
    }

    /// The commits and their time in a sentence, such as `commits 4 to 7 (from … until …) are gone`.
    public var description: String {
        let bounds = [("from", sinceMilliseconds), ("until", untilMilliseconds)]
        let known = bounds.compactMap { word, milliseconds in
            milliseconds.flatMap(LostCommits.text).map { "\(word) \($0)" }
        }
        let time = known.isEmpty ? "" : " (\(known.joined(separator: " ")))"
        return first == last ? "commit \(last)\(time) is gone" : "commits \(first) to \(last)\(time) are gone"
    }

    /// The first millisecond after the year 9999. A damaged file may tell any time, and no calendar reaches that far.
    private static let calendarEnd: UInt64 = 253_402_300_800_000

    /// The time in the form of ISO 8601; nil for one that no clock has told.
    private static func text(_ milliseconds: UInt64) -> String? {
        guard milliseconds < calendarEnd else { return nil }
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
