"""Kernels of lattices"""
