enum EmptyCaptureRealtime {}
