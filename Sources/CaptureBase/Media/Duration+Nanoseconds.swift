extension Duration {
    /// Whole nanoseconds, within some seventy years either way: sums of a few of them are numbers still.
    package var nanoseconds: Int64 {
        let most: Int64 = .max / 4
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isTooLong { return seconds < 0 ? -most : most }
        return min(max(whole, -most), most) + attoseconds / 1_000_000_000
    }
}
