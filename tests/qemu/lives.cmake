# SPDX-License-Identifier: Apache-2.0
# life(REGISTRY NAME EPOCHS): a device of tests/REGISTRY.toml, whose code is called NAME_…, on a board
# or on the host. Its reports must be tests/vectors/lives/REGISTRY.txt.
set(sotto_lives counters totals points quantiles sorted_points policy)
function(life registry name epochs)
  add_executable(life_${registry} ${PROJECT_SOURCE_DIR}/tests/qemu/lives.cpp)
  target_compile_features(life_${registry} PRIVATE cxx_std_20)
  target_compile_definitions(life_${registry} PRIVATE LIFE=${name} EPOCHS=${epochs})
  sotto_registry(life_${registry} ${PROJECT_SOURCE_DIR}/tests/${registry}.toml)
  target_link_libraries(life_${registry} PRIVATE sotto::sdk sotto_warnings)
endfunction()
life(counters counters 32)
life(totals counters 32)
life(points points 8)
life(quantiles quantiles 8)
life(sorted_points sorted_points 4)
life(policy paced 48)
