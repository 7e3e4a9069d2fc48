"""The index of an archive on disk: parts, the manifest that lists them, how they are built and scored."""
