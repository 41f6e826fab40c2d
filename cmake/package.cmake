# SPDX-License-Identifier: Apache-2.0
# `cpack -G DEB --config BUILD/CPackConfig.cmake`: the aggregator as a Debian package, with its user
# and its units. `cmake --install` takes none of what is here.
set(operate ${PROJECT_SOURCE_DIR}/aggregator/operate)
set(put COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_BINARY_DIR}/aggregator/man/_sotto DESTINATION share/zsh/vendor-completions ${put})
install(FILES ${operate}/sotto-serve.service ${operate}/sotto-watch.service
  ${operate}/sotto-upkeep.service ${operate}/sotto-upkeep.timer DESTINATION lib/systemd/system ${put})
install(FILES ${operate}/sotto-.service.d/hardening.conf
  DESTINATION lib/systemd/system/sotto-.service.d ${put})
install(PROGRAMS ${operate}/upkeep DESTINATION libexec/sotto ${put})
install(FILES ${operate}/debian/sysusers.conf DESTINATION lib/sysusers.d RENAME sotto.conf ${put})
install(FILES ${operate}/debian/tmpfiles.conf DESTINATION lib/tmpfiles.d RENAME sotto.conf ${put})
install(FILES ${operate}/sotto.conf DESTINATION /etc/sotto ${put})
install(FILES ${operate}/dashboard.json DESTINATION share/sotto ${put})
install(FILES ${operate}/debian/copyright docs/OPERATIONS.md DESTINATION share/doc/sotto ${put})
install(FILES CHANGELOG.md DESTINATION share/doc/sotto RENAME changelog ${put})
install(FILES ${operate}/proxy/nginx.conf ${operate}/proxy/Caddyfile
  DESTINATION share/doc/sotto/examples ${put})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sotto)
set(CPACK_PACKAGE_VENDOR Sotto)
set(CPACK_PACKAGE_CONTACT "The contributors to Sotto <sotto@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "aggregator of reports with local differential privacy")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Devices add noise to a value before it leaves them. This program
takes their reports, counts each once, and turns the counts of a fleet into
estimates with honest errors. It has units for systemd, a user of its own,
man pages and completions.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${PROJECT_BINARY_DIR};sotto;program;/;${PROJECT_BINARY_DIR};sotto;debian;/")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/compress_pages.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "systemd-standalone-sysusers | systemd-sysusers | systemd, \
systemd-standalone-tmpfiles | systemd-tmpfiles | systemd")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${operate}/debian/conffiles ${operate}/debian/postinst
  ${operate}/debian/prerm ${operate}/debian/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
