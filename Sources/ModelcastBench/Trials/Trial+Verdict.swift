extension Trial {
    /// Prints a line for each process: its name, the given columns, its digest, and whether a copy holds what it must.
    /// - Parameters:
    ///   - left: the columns that are aligned to the left.
    ///   - expected: what every copy must hold.
    ///   - more: what single copies must hold beside that, by name.
    ///   - cells: what stands in the given columns for a process and its last report.
    /// - Returns: true when every copy holds that.
    func printVerdict(
        _ columns: [String], left: Set<Int> = [0], expected: [WorkerReport.TypeState],
        more: [String: [WorkerReport.TypeState]] = [:],
        _ cells: (Member, WorkerReport) -> [String]
    ) -> Bool {
        var table = TextTable(["process"] + columns + ["digest", "equal"], left: left)
        var isEqual = true
        for member in publishers + copies {
            guard let report = member.report else {
                if !member.isPublisher { isEqual = false }
                continue
            }
            let types = (expected + more[member.name, default: []]).sorted { $0.type < $1.type }
            let holdsAll = report.types == types
            if !member.isPublisher, !holdsAll { isEqual = false }
            table.add(
                [member.name] + cells(member, report)
                    + [report.digest, member.isPublisher ? "" : holdsAll ? "yes" : "NO"])
        }
        for line in table.lines { print(line) }
        return isEqual
    }
}
