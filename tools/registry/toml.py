# SPDX-License-Identifier: Apache-2.0
"""TOML from Python's own library, or, for Python 3.10, from the package tomli that became it."""
try:
    from tomllib import TOMLDecodeError, loads
except ModuleNotFoundError:
    from tomli import TOMLDecodeError, loads

__all__ = ["TOMLDecodeError", "loads"]
