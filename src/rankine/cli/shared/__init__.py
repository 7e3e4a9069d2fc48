"""What several commands share: options, inputs, printing"""
