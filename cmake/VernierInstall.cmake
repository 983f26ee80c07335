# `cmake --install` and find_package(Vernier): libraries, headers (under
# include/Vernier), programs, the plugin.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY VERNIER_LIBRARIES)
foreach(library ${libraries} VernierRuntime)
  target_include_directories(${library} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/Vernier>)
endforeach()
install(TARGETS ${libraries} VernierRuntime EXPORT VernierTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS vernier vernier-opt vernier-lsp-server VernierPlugin
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(tree ${CMAKE_SOURCE_DIR}/include/vernier ${CMAKE_BINARY_DIR}/include/vernier)
  install(DIRECTORY ${tree} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/Vernier
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/Vernier
  FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Vernier)
install(EXPORT VernierTargets NAMESPACE Vernier:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/VernierConfig.cmake.in
  ${CMAKE_BINARY_DIR}/VernierConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/VernierConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/VernierConfig.cmake ${CMAKE_BINARY_DIR}/VernierConfigVersion.cmake
  DESTINATION ${package_dir})
