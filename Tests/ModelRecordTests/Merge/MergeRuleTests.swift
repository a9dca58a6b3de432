@_spi(RecordWriting) import ModelRecord
import Testing

/// Section 2 of the protocol article, sentence by sentence.
struct MergeRuleTests {
    @Test func `a merge sets the fields that it carries and says nothing of the others`() {
        var model = Model()
        model.merge(1.by("a"), ["age": 30, "name": "Ada"])
        model.merge(2.by("a"), ["age": 31])
        #expect(model["age"] == 31)
        #expect(model["name"] == "Ada")
        #expect(model.record?.touched == 2.by("a"))
        #expect(model.record?.floor == nil)
    }

    @Test func `an update older than the cell changes nothing`() {
        var model = Model()
        model.merge(5.by("a"), ["age": 30])
        model.merge(4.by("z"), ["age": 20])
        #expect(model.last?.record == nil)
        #expect(model.last?.isVisible == false)
        #expect(model.last?.digestDelta == 0)
        #expect(model["age"] == 30)
    }

    @Test func `an update that comes twice changes nothing the second time`() {
        var model = Model()
        model.replace(5.by("a"), ["age": 30])
        model.replace(5.by("a"), ["age": 30])
        #expect(model.last?.record == nil)
        #expect(model.last?.conflictingCells == 0)
    }

    @Test func `of two origins with one stamp the name that is bytewise greater wins`() {
        var model = Model()
        model.merge(5.by("b"), ["f": "b"])
        model.merge(5.by("a"), ["f": "a"])
        #expect(model["f"] == "b")
        model.merge(5.by("B"), ["f": "B"])
        #expect(model["f"] == "b")
        model.merge(5.by("ba"), ["f": "ba"])
        #expect(model["f"] == "ba")
    }

    @Test func `two publishers that write different fields of one model at once both win`() {
        var (left, right) = (Model(), Model())
        for (first, second) in [(0, 1), (1, 0)] {
            for index in [first, second] {
                if index == 0 { left.merge(7.by("a"), ["x": 1]) } else { left.merge(7.by("b"), ["y": 2]) }
                if index == 1 { right.merge(7.by("a"), ["x": 1]) } else { right.merge(7.by("b"), ["y": 2]) }
            }
        }
        #expect(left.record?.values == ["x": 1, "y": 2])
        #expect(left.record == right.record)
        #expect(left.record?.touched == 7.by("b"))
    }

    @Test func `a replace drops older fields and keeps newer ones`() {
        var model = Model()
        model.merge(1.by("a"), ["old": 1])
        model.merge(9.by("a"), ["new": 9])
        model.replace(5.by("a"), ["f": 5])
        #expect(model.record?.values == ["f": 5, "new": 9])
        #expect(model.record?.floor == 5.by("a"))
        #expect(model.record?.touched == 9.by("a"))
    }

    @Test func `a replace without fields leaves a model that exists and is empty`() {
        var model = Model()
        model.merge(1.by("a"), ["f": 1])
        model.replace(2.by("a"), [:])
        #expect(model.record?.exists == true)
        #expect(model.record?.values == [:])
        #expect(model.last?.isVisible == true)
    }

    @Test func `a delete leaves a tombstone`() throws {
        var model = Model()
        model.merge(1.by("a"), ["f": 1])
        model.delete(2.by("a"))
        let record = try #require(model.record)
        #expect(record.exists == false)
        #expect(record.cellCount == 0)
        #expect(record.digest == 0)
        #expect(record.floor == 2.by("a"))
        #expect(record.touched == 1.by("a"))
        #expect(model["f"] == nil)
    }

    @Test func `a late update older than a delete never brings a model back`() {
        var model = Model()
        model.delete(5.by("a"))
        for stamp in 1...4 {
            model.merge(stamp.by("z"), ["f": 1])
            #expect(model.record?.exists == false)
            #expect(model.last?.isVisible == false)
            #expect(model.last?.digestDelta == 0)
            model.replace(stamp.by("z"), ["f": 1])
            #expect(model.record?.exists == false)
        }
        #expect(model.record?.touched == 4.by("z"))
    }

    @Test func `an update newer than a delete brings the model back with its own fields only`() {
        var model = Model()
        model.merge(1.by("a"), ["old": 1])
        model.delete(5.by("a"))
        model.merge(6.by("a"), ["new": 2])
        #expect(model.record?.values == ["new": 2])
        #expect(model.last?.isVisible == true)
    }

    @Test func `a delete older than the last write drops what is older and the model lives on`() {
        var model = Model()
        model.merge(1.by("a"), ["old": 1])
        model.merge(9.by("a"), ["new": 9])
        model.delete(5.by("b"))
        #expect(model.record?.exists == true)
        #expect(model.record?.values == ["new": 9])
        model.delete(9.by("b"))
        #expect(model.record?.exists == false)
    }

    @Test func `a write at exactly the version of the floor counts`() {
        var model = Model()
        model.delete(5.by("a"))
        model.merge(5.by("a"), ["f": 1])
        #expect(model.record?.exists == true)
        #expect(model["f"] == 1)
    }

    @Test func `a merge without fields makes a model that exists`() {
        var model = Model()
        model.merge(1.by("a"), [:])
        #expect(model.record?.exists == true)
        #expect(model.record?.cellCount == 0)
        #expect(model.last?.isVisible == true)
    }

    @Test func `a field is unknown, null or a value`() {
        var model = Model()
        model.merge(1.by("a"), ["value": 1, "empty": nil])
        #expect(model["value"] == 1)
        #expect(model["empty"] == .null)
        #expect(model["unknown"] == nil)
        model.merge(2.by("a"), ["value": nil])
        #expect(model["value"] == .null)
        #expect(model.last?.isVisible == true)
    }

    @Test func `undefined makes a field unknown and leaves a cell behind`() {
        var model = Model()
        model.merge(1.by("a"), ["f": 1, "g": 2])
        model.merge(3.by("a"), ["f": .undefined])
        #expect(model["f"] == nil)
        #expect(model.last?.isVisible == true)
        #expect(model.record?.values == ["g": 2])
        #expect(model.record?.cellCount == 2)
        #expect(model.record?.version(of: "f") == 3.by("a"))
        model.merge(2.by("z"), ["f": 1])
        #expect(model["f"] == nil)
        #expect(model.last?.record == nil)
    }

    @Test func `undefined for a field that was never known is not visible`() {
        var model = Model()
        model.merge(1.by("a"), ["g": 1])
        model.merge(2.by("a"), ["f": .undefined])
        #expect(model.record?.cellCount == 2)
        #expect(model.last?.isVisible == false)
        #expect(model.last?.digestDelta != 0)
    }

    @Test func `an equal value with a newer version is a change that nobody sees`() {
        var model = Model()
        model.merge(1.by("a"), ["f": 1])
        model.merge(2.by("a"), ["f": 1])
        #expect(model.last?.record != nil)
        #expect(model.last?.isVisible == false)
        #expect(model.record?.version(of: "f") == 2.by("a"))
    }

    @Test func `at equal versions the greater encoding wins in either order and is counted`() {
        for values in [[1, 2], [2, 1]] as [[Value]] {
            var model = Model()
            model.merge(1.by("a"), ["f": values[0]])
            model.merge(1.by("a"), ["f": values[1]])
            #expect(model["f"] == 2)
            #expect(model.last?.conflictingCells == 1)
        }
    }

    @Test func `a join counts the cells that conflict`() throws {
        var (left, right) = (Model(), Model())
        left.merge(1.by("a"), ["f": 1, "g": 1, "h": 3])
        right.merge(1.by("a"), ["f": 2, "g": 1, "h": 1])
        left.join(try #require(right.record))
        #expect(left.last?.conflictingCells == 2)
        #expect(left.record?.values == ["f": 2, "g": 1, "h": 3])
    }

    @Test func `a join with an equal state or with itself changes nothing`() throws {
        var (left, right) = (Model(), Model())
        left.merge(1.by("a"), ["f": 1])
        right.merge(1.by("a"), ["f": 1])
        left.join(try #require(right.record))
        #expect(left.last?.record == nil)
        left.join(try #require(left.record))
        #expect(left.last?.record == nil)
    }

    @Test func `a join with a model never heard of takes it whole`() throws {
        var (left, right) = (Model(), Model())
        right.merge(1.by("a"), ["f": 1])
        let record = try #require(right.record)
        left.join(record)
        #expect(left.record == record)
        #expect(left.last?.isVisible == true)
        #expect(left.last?.digestDelta == record.digest)
    }

    @Test func `forgetting an old tombstone changes no digest`() {
        var model = Model()
        model.merge(1.by("a"), ["f": 1])
        let before = model.last?.digestDelta ?? 0
        #expect(before != 0)
        model.delete(2.by("a"))
        #expect(before &+ (model.last?.digestDelta ?? 0) == 0)
    }

    @Test func `a removed field counts in no digest, and forgetting it shows to nobody`() throws {
        var (model, never) = (Model(), Model())
        model.merge(1.by("a"), ["kept": 1, "gone": 1])
        model.merge(2.by("a"), ["gone": .undefined, "never there": .undefined])
        never.merge(1.by("a"), ["kept": 1])
        never.merge(2.by("a"), [:])
        let record = try #require(model.record)
        #expect(record.cellCount == 3 && record.removedFieldCount == 2)
        #expect(record.digest == never.record?.digest)
        var plan = MergePlan()
        #expect(record.forgettingRemovedFields(olderThan: 2, plan: &plan) == nil)
        let less = try #require(record.forgettingRemovedFields(olderThan: 3, plan: &plan))
        #expect(less == never.record && !less.isVisiblyDifferent(from: record))
        model.merge(3.by("a"), ["gone": 2])
        #expect(model.last?.isVisible == true && model["gone"] == 2)
        never.merge(3.by("a"), ["gone": 2])
        #expect(model.record?.digest == never.record?.digest)
        #expect(model.last?.digestDelta == never.last?.digestDelta)
    }
}
