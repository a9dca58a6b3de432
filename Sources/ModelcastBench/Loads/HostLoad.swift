import Foundation
import Modelcast

/// Publishes the counters of this host from `/proc`, ten times a second: types `Host`, `Processor`, `NetworkInterface`,
/// `Disk` and `Process`. Each model is assigned whole; fields that have not changed are not sent.
struct HostLoad: Load {
    func run(_ publisher: Publisher, gauge: LoadGauge) throws {
        var processes = ProcessTable()
        var deadline = MonotonicClock.nanoseconds
        while !gauge.isStopping {
            var models = HostCounters.host() + HostCounters.processors()
            models += HostCounters.networkInterfaces() + HostCounters.disks()
            let (running, gone) = processes.read()
            for model in models + running {
                try gauge.write { () throws(ModelcastError) in
                    try publisher.assign(model.type, model.id, model.fields)
                }
            }
            for id in gone {
                try gauge.write { () throws(ModelcastError) in try publisher.delete("Process", id) }
            }
            deadline += 100_000_000
            MonotonicClock.sleep(until: deadline)
        }
    }
}

/// A model to be published.
struct HostModel {
    let type: String
    let id: String
    let fields: Fields
}

/// A file of `/proc`.
enum ProcFile {
    /// The lines of a file, cut into words; none when the file is not there, or not any more.
    static func words(_ path: String) -> [[Substring]] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map { $0.split { $0 == " " || $0 == ":" || $0 == "\t" } }
    }

    /// The word at an index as a number; null where there is none.
    static func number(_ words: [Substring], _ index: Int) -> Value {
        index < words.count ? Int64(words[index]).map { .int($0) } ?? .null : .null
    }
}
