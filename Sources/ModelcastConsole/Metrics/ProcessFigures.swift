import Foundation

/// The figures of the process that all of Prometheus' clients tell, by the names that dashboards look for. Read from
/// `/proc`; empty where there is none.
enum ProcessFigures {
    static func families() -> [MetricFamily] {
        guard let stat = read("/proc/self/stat"), let end = stat.lastIndex(of: ")") else { return [] }
        // The fields behind the name of the program, from the third on: proc(5).
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 21,
            let ticks = Double(fields[11]).flatMap({ user in Double(fields[12]).map { user + $0 } }),
            let pages = Double(fields[21]), let startTicks = Double(fields[19])
        else { return [] }
        let perSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        var families = [
            family("process_cpu_seconds", .counter, "Processor time of this process.", ticks / perSecond),
            family(
                "process_resident_memory_bytes", .gauge, "Memory of this process.",
                pages * Double(sysconf(Int32(_SC_PAGESIZE)))),
        ]
        if let boot = read("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let seconds = Double(boot.dropFirst(6))
        {
            families.append(
                family(
                    "process_start_time_seconds", .gauge, "When this process started, in seconds since 1970.",
                    seconds + startTicks / perSecond))
        }
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            families.append(family("process_open_fds", .gauge, "Open files and sockets.", Double(open)))
        }
        return families
    }

    private static func family(
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
