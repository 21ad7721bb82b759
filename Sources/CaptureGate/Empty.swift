enum EmptyCaptureGate {}
