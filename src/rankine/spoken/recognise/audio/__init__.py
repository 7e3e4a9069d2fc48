"""Audio files: read, cut into segments of speech, and what their tags say"""
