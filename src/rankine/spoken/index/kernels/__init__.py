"""Kernels of the index"""
