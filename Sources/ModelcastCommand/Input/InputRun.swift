import Foundation
import ModelJSON
import ModelRecord
import Modelcast

/// One pass over one input, which publishes its lines and counts them.
struct InputRun: ~Copyable {
    private let publisher: Publisher
    private let plan: PublishPlan
    private let name: String
    private let stop: StopFlag
    /// The process ends when its input is published, and exit code 0 says that it was.
    private let endsByItself: Bool
    /// The ids of this input, where it is a full data set.
    private var ids: Set<ExactText> = []
    /// The number of the last line, blank ones included.
    private var lineNumber = 0
    private var lineCount = 0
    private var publishedCount = 0
    private var unchangedCount = 0
    private var refusedCount = 0
    private var deletedCount = 0
    /// How many refused lines may be of a model that they did not tell.
    private var unnamedCount = 0
    /// The input breaks off: its last line has no end and is no JSON.
    private var isCut = false
    /// A write has waited for room for longer than the plan allows.
    private var hasWaitedTooLong = false
    /// How many models of the type there were before this input.
    private let formerCount: Int

    /// - Parameter name: the input's name in messages.
    init(publisher: Publisher, plan: PublishPlan, endsByItself: Bool, name: String, stop: StopFlag) {
        self.publisher = publisher
        self.plan = plan
        self.name = name
        self.endsByItself = endsByItself
        self.stop = stop
        formerCount = publisher.cache.count(of: plan.type)
    }

    /// The counts in one line for a person.
    var summary: String {
        "\(name): \(lineCount) lines, \(publishedCount) published, \(unchangedCount) unchanged, "
            + "\(refusedCount) refused, \(deletedCount) deleted"
    }

    /// Publishes all of `input`.
    /// - Returns: false when the command was told to stop before the end.
    /// - Throws: `CommandFailure` when it cannot be read, when there is no room for longer than the plan allows, at the
    ///   first refused line if the plan is strict, when no line could be taken, and when more would go than may.
    mutating func publish(_ input: InputFile) throws -> Bool {
        var reader = LineReader(input)
        while !stop.isSet {
            if hasWaitedTooLong, let limit = plan.timeout {
                throw CommandFailure(
                    "there was no room for line \(lineNumber) for \(limit): relays or the disk do not keep up")
            }
            switch try reader.next() {
            case .line(let range):
                lineNumber += 1
                try take(reader.buffer.span.extracting(range), isUnfinished: reader.isUnfinished)
            case .tooLong:
                lineNumber += 1
                lineCount += 1
                unnamedCount += 1
                isCut = reader.isUnfinished
                try refuse("the line is longer than \(LineReader.lineByteCountMax) bytes")
            case .idle:
                // More input would be refused as well, so an open one is not waited for.
                if endsByItself, let failure = publisher.pushProgress?.failure {
                    throw CommandFailure("a relay refuses what is pushed: \(failure)")
                }
            case .restarted: lineNumber = 0
            case .end:
                try finish()
                return !stop.isSet
            }
        }
        return false
    }

    /// Deletes what is gone from a full data set. What `--delete-at-most` allows may go whatever the input is like;
    /// without it nothing goes where the input may not be the full data set.
    private mutating func finish() throws {
        if plan.deleteLimit == nil {
            try requireLastLine()
            // An input that names models, and of which no line could be taken, deletes no others.
            if !ids.isEmpty { try requireAnyLine() }
        }
        if plan.isWhole { try deleteGone() }
        try requireAnyLine()
    }

    private mutating func take(_ line: Span<UInt8>, isUnfinished: Bool) throws {
        // Some programs begin a file with a byte order mark.
        let hasMark = lineNumber == 1 && line.count >= 3 && line[0] == 0xEF && line[1] == 0xBB && line[2] == 0xBF
        let text = line.extracting((hasMark ? 3 : 0)..<line.count)
        guard !text.isBlank else { return }
        lineCount += 1
        do throws(LineRefusal) {
            let model = try ModelLine(text, idField: plan.idField, idType: plan.idType, forms: plan.forms)
            if plan.isWhole { ids.insert(ExactText(model.id)) }
            try publish(model)
        } catch {
            // The line cannot be taken, but it names its model: that is not gone from the input.
            if let id = error.id { ids.insert(ExactText(id)) }
            if error.mayNameModel { unnamedCount += 1 }
            // A line that is JSON has all its bytes, whatever it is refused for.
            if isUnfinished, (try? JSONReader.object(text)) == nil { isCut = true }
            try refuse(error.reason)
        }
    }

    private mutating func publish(_ model: ModelLine) throws(LineRefusal) {
        let fields = plan.isWhole ? model.fields : model.fields(over: publisher.cache[plan.type, model.id])
        let isSaid =
            plan.expires != .unchanged
            && [FieldName.expires, .lease].contains { model.fields[$0.text] != nil }
        let expires = isSaid ? .unchanged : plan.expires
        do {
            let outcome = try patiently { () throws(ModelcastError) in
                plan.isWhole
                    ? try publisher.assign(plan.type, model.id, fields, expires: expires)
                    : try publisher.merge(plan.type, model.id, fields, expires: expires)
            }
            switch outcome {
            case .published: publishedCount += 1
            case .unchanged: unchangedCount += 1
            }
        } catch {
            // The line is not at fault: the whole command is about to end.
            if error.code == .outboxFull, !stop.isSet {
                hasWaitedTooLong = true
                return
            }
            if [.stopped, .store, .outboxFull].contains(error.code) { return stop.set() }
            throw LineRefusal(reason: error.message, id: model.id)
        }
    }

    /// Refuses a full data set that breaks off in its last line: what is missing from it may be in the part that did
    /// not come.
    private func requireLastLine() throws(CommandFailure) {
        guard plan.isWhole, isCut else { return }
        throw CommandFailure(
            "\(name): nothing was deleted: the input breaks off in line \(lineNumber), which has no end and cannot be "
                + "read. Publish the whole of it; if what is missing is to go all the same, say how much: "
                + "--delete-at-most")
    }

    /// Refuses an input whose lines were all refused: a run that was to publish it has failed, also where
    /// `--delete-at-most` has let it delete something.
    private func requireAnyLine() throws(CommandFailure) {
        guard refusedCount > 0, refusedCount == lineCount, plan.isWhole || endsByItself else { return }
        let deleted = deletedCount == 0 ? "nothing was" : "\(deletedCount) models were"
        throw CommandFailure("\(name): not one line could be taken, and \(deleted) deleted; see the reasons above")
    }

    /// Refuses to delete more than the limit allows. Without a limit it refuses an input that names no model, which
    /// would delete everything.
    private func check(_ gone: [String]) throws(CommandFailure) {
        guard !gone.isEmpty else { return }
        let isAllowed = plan.deleteLimit?.allows(gone.count, of: formerCount) ?? !ids.isEmpty
        guard !isAllowed else { return }
        let examples = gone.sorted().prefix(3).map { $0.shown(byteCountMax: 64) }.joined(separator: ", ")
        let more = gone.count > 3 ? ", …" : ""
        let reason =
            plan.deleteLimit.map { "more than --delete-at-most \($0.text) allows" } ?? "and it names no model at all"
        throw CommandFailure(
            "\(name): nothing was deleted: \(gone.count) of \(formerCount) models of \(plan.type) are not in this input"
                + " (\(examples)\(more)), \(reason). See whether it is whole and --id-field is right; "
                + "if they are to go: --delete-at-most \(gone.count)")
    }

    private mutating func deleteGone() throws {
        var gone: [String] = []
        let ids = ids
        publisher.cache.snapshot().forEach(type: plan.type) { record in
            if !ids.contains(ExactText(record.id)) { gone.append(record.id) }
            return true
        }
        if !gone.isEmpty, !ids.isEmpty, unnamedCount > 0, plan.deleteLimit == nil {
            let lines = unnamedCount == 1 ? "a refused line does" : "\(unnamedCount) refused lines do"
            return StandardError.write(
                line: "\(name): nothing was deleted: \(gone.count) models of \(plan.type) are not in this input, and "
                    + "\(lines) not tell of which model; mend the input, or say --delete-at-most \(gone.count)")
        }
        try check(gone)
        for id in gone where !stop.isSet {
            let outcome = try patiently { () throws(ModelcastError) in try publisher.delete(plan.type, id) }
            if case .published = outcome { deletedCount += 1 }
        }
    }

    /// Repeats a write while the queue is full or the disk refuses it, until the command is told to stop, or there is
    /// no room for as long as the plan allows.
    private func patiently(
        _ write: () throws(ModelcastError) -> PublishOutcome
    ) throws(ModelcastError) -> PublishOutcome {
        let begin = ContinuousClock.now
        while true {
            do {
                return try write()
            } catch  where error.code == .outboxFull && !stop.isSet {
                if let limit = plan.timeout, ContinuousClock.now - begin >= limit { throw error }
                Thread.sleep(forTimeInterval: 0.001)
            } catch  where error.code == .store && !stop.isSet {
                // The disk does not take the write now. No line of the input may be lost for that.
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    private mutating func refuse(_ reason: String) throws(CommandFailure) {
        refusedCount += 1
        StandardError.write(line: "\(name):\(lineNumber): \(reason)")
        if plan.isStrict { throw CommandFailure("\(name): stopped at the first line that cannot be taken (--strict)") }
    }
}

extension Span<UInt8> {
    /// True when there are only spaces, tabs and carriage returns.
    fileprivate var isBlank: Bool {
        for index in indices where self[index] != 0x20 && self[index] != 0x09 && self[index] != 0x0D { return false }
        return true
    }
}
