"""The rules, compiled: plain numba functions over structured records. One record is one table.

Read `table_game` to understand how a round goes, `state` for what a table holds, `batch` for what Python calls.
With ``NUMBA_DISABLE_JIT=1`` the same functions run as Python.
"""
