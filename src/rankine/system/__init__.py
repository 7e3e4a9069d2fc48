"""What every room may use of the machine: files, output, signals, processes, progress, and how much is allowed"""
