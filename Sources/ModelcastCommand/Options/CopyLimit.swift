import ArgumentParser
import ModelRecord
import Modelcast

/// A limit of a copy on the command line: `User=100000,1GiB,1h`, each part of which may be empty; without a type, that
/// of all types together.
struct CopyLimit: ExpressibleByArgument, Sendable, Equatable {
    /// The type; nil for all types together.
    let type: String?
    let limits: ModelLimits

    init?(argument: String) {
        let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let figures = halves.last else { return nil }
        type = halves.count == 2 ? String(halves[0]) : nil
        let parts = figures.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 3, parts.contains(where: { !$0.isEmpty }) else { return nil }
        var limits = ModelLimits()
        for (index, part) in parts.enumerated() where !part.isEmpty {
            switch index {
            case 0:
                guard let count = Int(part) else { return nil }
                limits.count = count
            case 1:
                guard let bytes = ByteCount(argument: String(part)) else { return nil }
                limits.bytes = bytes.count
            default:
                guard let idle = Lifetime(argument: String(part)) else { return nil }
                limits.idle = idle.duration
            }
        }
        self.limits = limits
    }

    /// The limits that several options make.
    /// - Throws: `ValidationError` where two are of one type, or a limit cannot be kept.
    static func joined(_ options: [CopyLimit]) throws -> CacheLimits {
        var limits = CacheLimits()
        for option in options {
            guard let type = option.type else {
                guard limits.all == nil else { throw ValidationError("two --limit are of all types together") }
                limits.all = option.limits
                continue
            }
            do { try Names.check(type: type) } catch { throw ValidationError("--limit \(type)=…: \(error)") }
            guard limits.types.updateValue(option.limits, forKey: type) == nil else {
                throw ValidationError("two --limit are of the type \(type)")
            }
        }
        if let problem = limits.problem { throw ValidationError("--limit: \(problem)") }
        return limits
    }
}
