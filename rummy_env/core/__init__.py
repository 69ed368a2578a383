"""The rules, compiled: plain numba functions over structured records. One record is one table.

`rummy_env.core.compiled` prepares numba and must be imported first, which every module here does through
`rummy_env.core.kernel`. With ``NUMBA_DISABLE_JIT=1`` the same functions run as Python.
"""
