# How this project builds its libraries and programs: flags, precompiled MLIR
# headers, generated dialect code.

add_library(vernier_flags INTERFACE)
target_compile_options(vernier_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -fno-exceptions
  $<$<BOOL:${VERNIER_WARNINGS_AS_ERRORS}>:-Werror>)
target_include_directories(vernier_flags INTERFACE
  ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/include)
target_include_directories(vernier_flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# One precompiled header for all code that speaks MLIR. ccache is told its
# contents by a checksum beside it, since the file itself names this folder.
if(VERNIER_PRECOMPILED_HEADERS)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch/empty.cpp CONTENT "")
  add_library(vernier_pch OBJECT ${CMAKE_BINARY_DIR}/pch/empty.cpp)
  target_link_libraries(vernier_pch PRIVATE vernier_flags)
  target_precompile_headers(vernier_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)
  target_compile_options(vernier_pch PRIVATE -Xclang -fno-pch-timestamp)
  file(SHA256 ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h pch_hash)
  file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/vernier_pch.dir/cmake_pch.hxx.pch.sum
    "${pch_hash} ${LLVM_PACKAGE_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS}")
endif()

# vernier_add_library(NAME SOURCES... LINK LIBS...): a library of lib/, with
# MLIR's headers.
function(vernier_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(Vernier::${name} ALIAS ${name})
  vernier_use_mlir(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  add_dependencies(${name} vernier_tablegen ${ARG_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY VERNIER_LIBRARIES ${name})
endfunction()

function(vernier_use_mlir name)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:vernier_flags>)
  get_target_property(type ${name} TYPE)
  # A program is compiled as -fPIE, which the -fPIC header does not fit; mains are short.
  if(VERNIER_PRECOMPILED_HEADERS AND NOT type STREQUAL EXECUTABLE)
    target_precompile_headers(${name} REUSE_FROM vernier_pch)
    target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp)
  endif()
endfunction()

# vernier_add_dialect(ROOM FILE DIALECT): code for include/vernier/ROOM/FILE.td.
function(vernier_add_dialect room file dialect)
  set(LLVM_TARGET_DEFINITIONS ${file}.td)
  mlir_tablegen(${file}.h.inc -gen-op-decls)
  mlir_tablegen(${file}.cpp.inc -gen-op-defs)
  mlir_tablegen(${file}Dialect.h.inc -gen-dialect-decls -dialect=${dialect})
  mlir_tablegen(${file}Dialect.cpp.inc -gen-dialect-defs -dialect=${dialect})
  mlir_tablegen(${file}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${file}Enums.cpp.inc -gen-enum-defs)
  mlir_tablegen(${file}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${dialect})
  mlir_tablegen(${file}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${dialect})
  add_public_tablegen_target(vernier_${room}_tablegen)
  add_dependencies(vernier_tablegen vernier_${room}_tablegen)
endfunction()

# vernier_add_passes(ROOM): code for include/vernier/ROOM/Passes.td.
function(vernier_add_passes room)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${room})
  add_public_tablegen_target(vernier_${room}_passes_tablegen)
  add_dependencies(vernier_tablegen vernier_${room}_passes_tablegen)
endfunction()
add_custom_target(vernier_tablegen)
include_directories(${CMAKE_SOURCE_DIR}/include ${MLIR_INCLUDE_DIRS}) # for tablegen
