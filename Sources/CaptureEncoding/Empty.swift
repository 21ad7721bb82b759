enum EmptyCaptureEncoding {}
