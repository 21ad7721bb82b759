@_exported import Gate
