/// The cost of making fields, which throughput leaves out because its fields are made beforehand.
extension Measurement {
    func measureFields() async throws -> BenchPart {
        var part = BenchPart(.fields)
        tell("\(Figures.grouped(1_000_000)) times two fields")
        let (publisher, _) = try await start("bench publisher", .publisher(plan.with(models: 1)))
        let count = 1_000_000
        guard case .made(let seconds) = try await publisher.ask(.makeFields(count: count), within: .seconds(60)) else {
            throw unexpected(publisher.name)
        }
        part.figures = [BenchFigure("making the fields of an update", seconds * 1e9 / Double(count), .nanoseconds)]
        return part
    }
}
