import Foundation

/// The figures of this process that all of Prometheus' clients tell. Read from `/proc`.
struct ProcessFigures {
    let processorSeconds: Double
    let memoryByteCount: Double
    /// In seconds since 1970.
    var startTime: Double?
    var openFileCount: Int?

    /// The figures of this moment; nil where there is no `/proc`.
    static var now: ProcessFigures? {
        guard let stat = read("/proc/self/stat"), let end = stat.lastIndex(of: ")") else { return nil }
        // The fields behind the name of the program, from the third on: proc(5).
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 21,
            let ticks = Double(fields[11]).flatMap({ user in Double(fields[12]).map { user + $0 } }),
            let pages = Double(fields[21]), let startTicks = Double(fields[19])
        else { return nil }
        let perSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        var figures = ProcessFigures(
            processorSeconds: ticks / perSecond, memoryByteCount: pages * Double(sysconf(Int32(_SC_PAGESIZE))))
        if let boot = read("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let seconds = Double(boot.dropFirst(6))
        {
            figures.startTime = seconds + startTicks / perSecond
        }
        figures.openFileCount = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        return figures
    }

    /// The figures as a scrape shows them, by the names that dashboards look for.
    var families: [MetricFamily] {
        var families = [
            family("process_cpu_seconds", .counter, "Processor time of this process.", processorSeconds),
            family("process_resident_memory_bytes", .gauge, "Memory of this process.", memoryByteCount),
        ]
        if let startTime {
            let help = "When this process started, in seconds since 1970."
            families.append(family("process_start_time_seconds", .gauge, help, startTime))
        }
        if let openFileCount {
            families.append(family("process_open_fds", .gauge, "Open files and sockets.", Double(openFileCount)))
        }
        return families
    }

    private func family(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Double
    ) -> MetricFamily {
        var family = MetricFamily(name: name, kind: kind, help: help)
        family.add(value)
        return family
    }

    private static func read(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
