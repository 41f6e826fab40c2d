# SPDX-License-Identifier: Apache-2.0
# As Debian's policy has man pages and changelogs.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9n ${pages} ${share}/doc/sotto/changelog COMMAND_ERROR_IS_FATAL ANY)
