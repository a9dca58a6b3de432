import Foundation

/// Finds and removes everything that a chaos trial has started: processes by a mark in their environment, network
/// namespaces and links by their names.
///
/// The sweep needs no list, so it also finds what a killed trial has left over, and children of children.
struct ChaosSweep: Sendable {
    /// The process identifier of the trial.
    let run: String

    /// The mark in the environment of every process of a trial.
    static let variable = "MODELCAST_CHAOS_RUN"

    var namespacePrefix: String { "mc\(run)-" }
    var bridge: String { "mcb\(run)" }
    /// The beginning of each link's name; the number of the process follows.
    var linkPrefix: String { "mcv\(run)." }

    /// The processes of the trial that exist.
    var processes: [Int32] {
        let mark = Data("\(ChaosSweep.variable)=\(run)".utf8)
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap(Int32.init) ?? []
        return numbers.filter { number in
            guard let environment = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(number)/environ")) else {
                return false
            }
            return environment.split(separator: 0).contains { $0.elementsEqual(mark) }
        }
    }

    /// The network namespaces of the trial that exist.
    var namespaces: [String] { ChaosSweep.names(in: "/run/netns").filter { $0.hasPrefix(namespacePrefix) } }

    /// The links of the trial that exist, with the bridge.
    var links: [String] {
        ChaosSweep.names(in: "/sys/class/net").filter { $0 == bridge || $0.hasPrefix(linkPrefix) }
    }

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// One line for each kind of thing that exists.
    var leftovers: [String] {
        var lines: [String] = []
        let (processes, namespaces, links) = (processes, namespaces, links)
        if !processes.isEmpty { lines.append("processes \(processes.map(String.init).joined(separator: ", "))") }
        if !namespaces.isEmpty { lines.append("network namespaces \(namespaces.joined(separator: ", "))") }
        if !links.isEmpty { lines.append("network links \(links.joined(separator: ", "))") }
        return lines
    }

    /// Removes everything. Waits two seconds at most for killed processes to end.
    func remove() {
        let deadline = MonotonicClock.nanoseconds + 2_000_000_000
        while case let left = processes, !left.isEmpty, MonotonicClock.nanoseconds < deadline {
            for process in left { _ = kill(process, SIGKILL) }
            MonotonicClock.sleep(until: MonotonicClock.nanoseconds + 10_000_000)
        }
        for link in links { try? NetworkTool.ip.run(["link", "delete", link]) }
        for namespace in namespaces { try? NetworkTool.ip.run(["netns", "delete", namespace]) }
    }

    /// Waits until the trial ends, however it ends, because stdin ends with it. Then removes what is left over.
    func guardTrial() async {
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        try? await Blocking.run(named: "guard") {
            while readLine() != nil {}
            remove()
        }
    }
}
