# SPDX-License-Identifier: Apache-2.0
"""The registry compiler: metrics.toml in, exact integer tables out."""
