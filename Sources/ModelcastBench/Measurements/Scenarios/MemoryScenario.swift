import Modelcast

/// The resident memory of many models, in a process that has done nothing else.
struct MemoryScenario {
    let models: Int
    let kind: MemoryKind

    /// How many bytes a record may take beyond its encoding, all tables included.
    static let overheadMax = 64.0

    func measure() throws -> BenchPart {
        switch kind {
        case .modelcast: try measureCache()
        case .dictionaries: try measure("bytes a model in a dictionary of dictionaries", MemoryScenario.dictionary)
        case .structs: try measure("bytes a model in a dictionary of structs of ten strings", TenTexts.init)
        }
    }

    private func measureCache() throws -> BenchPart {
        var part = BenchPart(.memory)
        var source = NumberedModels(seed: 1)
        var fed = FedCache()
        // One batch makes the cache's tables and this loop's buffers before anything is counted.
        try fed.fill(0..<NumberedModels.batchCount, from: &source)
        let before = ProcessFigures.residentByteCount
        try fed.fill(NumberedModels.batchCount..<models, from: &source)
        let count = Double(models - NumberedModels.batchCount)
        let resident = Double(ProcessFigures.residentByteCount &- before) / count
        let encoded = encodedByteCount(fed.cache)
        for _ in 0..<(2 * models / NumberedModels.batchCount) {
            try fed.take(try source.updates(NumberedModels.batchCount, of: models))
        }
        let after = Double(ProcessFigures.residentByteCount &- before) / count
        let encodedAfter = encodedByteCount(fed.cache)
        guard fed.cache.count(of: Workload.type) == models else { throw BenchError("models are missing") }
        part.figures = [
            BenchFigure("bytes a model, resident", resident, .bytes),
            BenchFigure("bytes a model, encoded", encoded, .bytes),
            BenchFigure(
                "bytes a model beyond its encoding", resident - encoded, .bytes,
                mark: .atMost(MemoryScenario.overheadMax)),
            BenchFigure("the same after two updates a model", after - encodedAfter, .bytes),
        ]
        part.notes = [
            "Memory: \(Figures.grouped(models)) models of ten fields of ten letters, committed in batches of "
                + "\(NumberedModels.batchCount) in a process of their own; the growth of resident memory, all tables "
                + "and what the allocator holds included."
        ]
        return part
    }

    private func encodedByteCount(_ cache: ModelCache) -> Double {
        var sum = 0
        cache.snapshot().forEach(type: Workload.type) { record in
            sum += record.byteCount
            return true
        }
        return Double(sum) / Double(models)
    }

    /// Measures the same ids and texts in values that `make` makes.
    private func measure<Kept>(_ name: String, _ make: (CellRecord) -> Kept) throws -> BenchPart {
        var part = BenchPart(.memory)
        var source = NumberedModels(seed: 1)
        var kept: [String: Kept] = [:]
        let before = ProcessFigures.residentByteCount
        for start in stride(from: 0, to: models, by: NumberedModels.batchCount) {
            // The texts come through a cache that holds one batch only.
            var fed = FedCache()
            try fed.fill(start..<min(start + NumberedModels.batchCount, models), from: &source)
            fed.cache.snapshot().forEach(type: Workload.type) { record in
                kept[record.id] = make(record)
                return true
            }
        }
        let resident = Double(ProcessFigures.residentByteCount &- before) / Double(models)
        guard kept.count == models else { throw BenchError("models are missing") }
        part.figures = [BenchFigure(name, resident, .bytes)]
        return part
    }

    private static func dictionary(_ record: CellRecord) -> [String: String] { NumberedModels.texts(of: record) }
}

/// A model of ten strings as a struct.
private struct TenTexts {
    let texts: (String, String, String, String, String, String, String, String, String, String)

    init(_ record: CellRecord) {
        let values = Workload.fieldNames.map { record[$0]?.textValue ?? "" }
        texts = (
            values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8], values[9]
        )
    }
}
