/// What makes two questions the same.
enum QuestionKey: Hashable, Sendable {
    /// Authorization of devices: whoever waits for the same shares the answer.
    case devices([Question.Item])
    /// A confirmation is of one operation; no two are the same.
    case confirmation(UInt64)
}
