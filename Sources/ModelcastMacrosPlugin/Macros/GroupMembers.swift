/// The members of a group, each as lines.
public struct GroupMembers {
    /// Members in the type itself: an extension could not see the names of the types around it.
    var inType: [[String]]
    /// Members in the extension that has the conformance.
    var inExtension: [[String]] = []
    /// The description in that extension; empty where the type has one of its own, or the compiler's will do.
    var description: [[String]] = []
}
