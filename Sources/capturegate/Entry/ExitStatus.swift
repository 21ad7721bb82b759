/// Ends the program with a status where everything is said already.
struct ExitStatus: Error {
    let code: Int32
}
