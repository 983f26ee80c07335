# How this project builds its libraries and programs: flags, precompiled MLIR
# headers, generated dialect code.

add_library(vernier_flags INTERFACE)
target_compile_options(vernier_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -fno-exceptions
  $<$<BOOL:${VERNIER_WARNINGS_AS_ERRORS}>:-Werror>)
target_include_directories(vernier_flags INTERFACE
  ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/include)
target_include_directories(vernier_flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# Assertions here, none in LLVM's libraries: cmake/StatisticsOfLLVM.h says why.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
if(NOT LLVM_ENABLE_ASSERTIONS AND
   NOT "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" MATCHES "-DNDEBUG")
  string(APPEND CMAKE_CXX_FLAGS
    " -isystem ${LLVM_INCLUDE_DIRS} -include ${CMAKE_SOURCE_DIR}/cmake/StatisticsOfLLVM.h")
endif()

# One precompiled header for all code that speaks MLIR. Made by hand: CMake's
# own names this folder in every command line, so that ccache would not know
# the same file in another clone. ccache is told the header's contents by a
# checksum beside it.
set(pch ${CMAKE_BINARY_DIR}/pch/Precompiled.h.pch)
if(VERNIER_PRECOMPILED_HEADERS)
  separate_arguments(pch_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  add_custom_command(OUTPUT ${pch}
    COMMAND ${CMAKE_CXX_COMPILER} ${pch_flags} -std=c++17 -fPIC -fno-exceptions
      -Xclang -fno-pch-timestamp -isystem ${MLIR_INCLUDE_DIRS} -x c++-header
      ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h -o ${pch}
    DEPENDS ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h VERBATIM
    COMMENT "Precompiling MLIR's headers")
  add_custom_target(vernier_pch DEPENDS ${pch})
  file(SHA256 ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h pch_hash)
  string(REPLACE "${CMAKE_SOURCE_DIR}/" "" pch_flags "${pch_flags}") # the same in another clone
  file(CONFIGURE OUTPUT ${pch}.sum CONTENT "${pch_hash} ${LLVM_PACKAGE_VERSION} ${pch_flags}")
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
  # Programs too are compiled as -fPIC, not -fPIE: the precompiled header is.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  if(VERNIER_PRECOMPILED_HEADERS)
    target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp -include-pch ${pch})
    get_target_property(sources ${name} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${pch})
    add_dependencies(${name} vernier_pch)
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
