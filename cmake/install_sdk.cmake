# SPDX-License-Identifier: Apache-2.0
# `cmake --install BUILD --component sdk`, for find_package(sotto). A device needs the SDK compiled
# with its own flags, so sources are installed: one installation serves the host and every device.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(sotto_installed ${CMAKE_INSTALL_DATADIR}/sotto)
install(FILES CMakeLists.txt LICENSE DESTINATION ${sotto_installed} COMPONENT sdk)
install(DIRECTORY sdk ports cmake DESTINATION ${sotto_installed} COMPONENT sdk)
install(DIRECTORY tools/registry DESTINATION ${sotto_installed}/tools COMPONENT sdk
  PATTERN __pycache__ EXCLUDE)
install(PROGRAMS tools/sotto-registry tools/private_names.py DESTINATION ${sotto_installed}/tools
  COMPONENT sdk)
install(FILES tools/sources.txt DESTINATION ${sotto_installed}/tools COMPONENT sdk)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sotto-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES cmake/sotto-config.cmake ${PROJECT_BINARY_DIR}/sotto-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/sotto COMPONENT sdk)
