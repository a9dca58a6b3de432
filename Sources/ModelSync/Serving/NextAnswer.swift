/// The next step for peers that wait for answers.
public enum NextAnswer: Sendable {
    /// A message is to be made and sent.
    case turn(AnswerTurn)
    /// These connections are to be closed: they take nothing and hold memory that others need.
    case cut([[UInt8]])
    /// Nothing, or only what waits until messages have been taken.
    case nothing
}
