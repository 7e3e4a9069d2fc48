"""Care of archives: checked, repaired, packed and unpacked"""
