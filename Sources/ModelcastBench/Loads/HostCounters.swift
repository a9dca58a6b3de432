import Foundation
import Modelcast

/// The counters of this host as models.
enum HostCounters {
    static func host() -> [HostModel] {
        var fields: Fields = ["name": .text(ProcessInfo.processInfo.hostName)]
        if let load = ProcFile.words("/proc/loadavg").first, load.count >= 4 {
            for (field, index) in [("load_1", 0), ("load_5", 1), ("load_15", 2)] {
                fields[field] = .double(Double(load[index]) ?? 0)
            }
            fields["threads_running"] = load[3].split(separator: "/").first.flatMap { Int64($0) }.map { .int($0) }
        }
        let memory = ["MemTotal": "memory_kb", "MemAvailable": "memory_available_kb", "Dirty": "memory_dirty_kb"]
        for line in ProcFile.words("/proc/meminfo") {
            guard let name = line.first, let field = memory[String(name)] else { continue }
            fields[field] = ProcFile.number(line, 1)
        }
        let counters = ["ctxt": "context_switches", "intr": "interrupts", "processes": "processes_started"]
        for line in ProcFile.words("/proc/stat") {
            guard let name = line.first, let field = counters[String(name)] else { continue }
            fields[field] = ProcFile.number(line, 1)
        }
        return [HostModel(type: "Host", id: "local", fields: fields)]
    }

    static func processors() -> [HostModel] {
        let names = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"]
        return ProcFile.words("/proc/stat").compactMap { line in
            guard let name = line.first, name.hasPrefix("cpu"), name != "cpu" else { return nil }
            return model("Processor", String(name), line, names, from: 1)
        }
    }

    static func networkInterfaces() -> [HostModel] {
        let names = [
            "rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "rx_fifo", "rx_frame", "rx_compressed", "rx_multicast",
            "tx_bytes", "tx_packets", "tx_errors", "tx_dropped", "tx_fifo", "tx_collisions", "tx_carrier",
            "tx_compressed",
        ]
        return ProcFile.words("/proc/net/dev").dropFirst(2).compactMap { line in
            line.first.map { model("NetworkInterface", String($0), line, names, from: 1) }
        }
    }

    static func disks() -> [HostModel] {
        let names = [
            "reads", "reads_merged", "sectors_read", "read_ms", "writes", "writes_merged", "sectors_written",
            "write_ms",
            "in_progress", "busy_ms",
        ]
        return ProcFile.words("/proc/diskstats").compactMap { line in
            // Devices that have never been used are left out.
            guard line.count > 12, line[3] != "0" || line[7] != "0" else { return nil }
            return model("Disk", String(line[2]), line, names, from: 3)
        }
    }

    private static func model(
        _ type: String, _ id: String, _ words: [Substring], _ names: [String], from first: Int
    ) -> HostModel {
        var fields = Fields()
        for (index, name) in names.enumerated() { fields[name] = ProcFile.number(words, first + index) }
        return HostModel(type: type, id: id, fields: fields)
    }
}

/// The processes of this host, and how much processor time each used since the last look.
struct ProcessTable {
    private struct Seen {
        let started: Substring
        let ticks: Int64
        let time: UInt64
    }

    private var seen: [String: Seen] = [:]

    /// - Returns: a model for each process, and the ids of those that have ended.
    mutating func read() -> (running: [HostModel], gone: [String]) {
        let ids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.filter { Int($0) != nil } ?? []
        var running: [HostModel] = []
        var now: [String: Seen] = [:]
        for id in ids {
            guard let (model, seen) = read(id) else { continue }
            running.append(model)
            now[id] = seen
        }
        let gone = seen.keys.filter { now[$0] == nil }
        seen = now
        return (running, gone)
    }

    /// Reads one process; nil when it has just ended.
    private func read(_ id: String) -> (HostModel, Seen)? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")")
        else { return nil }
        // The name stands in parentheses and may have any characters, so the other words are counted from its end.
        let words = text[text.index(after: close)...].split { $0 == " " || $0 == "\n" }
        guard words.count > 21, let user = Int64(words[11]), let system = Int64(words[12]) else { return nil }
        let time = MonotonicClock.nanoseconds
        let now = Seen(started: words[19], ticks: user + system, time: time)
        var fields: Fields = [
            "name": .text(String(text[text.index(after: open)..<close])), "state": .text(String(words[0])),
            "parent": ProcFile.number(words, 1), "threads": ProcFile.number(words, 17),
            "started_ticks": ProcFile.number(words, 19), "user_ticks": .int(user), "system_ticks": .int(system),
            "page_faults": ProcFile.number(words, 7), "memory_pages": ProcFile.number(words, 21),
        ]
        if let before = seen[id], before.started == now.started, time > before.time {
            // Linux shows ticks of a hundredth of a second to every program.
            let share = Double(now.ticks - before.ticks) * 1e9 / Double(time - before.time)
            fields["cpu_percent"] = .double(share.rounded())
        }
        for line in ProcFile.words("/proc/\(id)/status") where line.first == "voluntary_ctxt_switches" {
            fields["context_switches"] = ProcFile.number(line, 1)
        }
        return (HostModel(type: "Process", id: id, fields: fields), now)
    }
}
