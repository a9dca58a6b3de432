/// The members of a group, each as lines.
public struct GroupMembers {
    /// Those in the type itself: an extension could not see the names of the types around it.
    var inType: [[String]]
    /// Those in the extension.
    var inExtension: [[String]] = []
}
