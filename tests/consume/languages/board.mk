# SPDX-License-Identifier: Apache-2.0
# A firmware for one board with each of its C libraries, with and without link-time optimisation.
# Sotto is compiled once, by the flags that the firmware has and then its own.
#   make SOTTO_DIR=… MBEDTLS_DIR=… NANOPB_DIR=… FIAT_DIR=… CC=… CXX=… CPU=… START=… LIBRARIES=… LAYOUT=…
include $(SOTTO_DIR)/sdk/sources.mk

FIRMWARE := $(SOTTO_DIR)/examples/firmware
OURS := metrics.c $(SOTTO_DIR)/ports/testing/sotto_testing.c \
  $(SOTTO_CORE_SOURCES) $(SOTTO_SDK_SOURCES_MBEDTLS) $(SOTTO_MBEDTLS_SOURCES) $(SOTTO_NANOPB_SOURCES)
OBJECTS := $(addsuffix .o,$(notdir $(OURS)))
START_OBJECTS := semihosting.o start.o
VPATH := $(sort $(dir $(OURS)))
PROGRAMS := $(foreach library,$(LIBRARIES),$(library).elf $(library)-lto.elf)

FLAGS := $(CPU) -Os -ffunction-sections -fdata-sections -DSOTTO_TESTING_SLOT_BYTES=1400 \
  $(addprefix -I,. $(FIRMWARE) $(SOTTO_DIR)/ports/testing $(SOTTO_INCLUDES) \
  $(SOTTO_NANOPB_INCLUDES) $(SOTTO_MBEDTLS_INCLUDES) $(SOTTO_FIAT_INCLUDES)) \
  $(addprefix -D,$(SOTTO_MBEDTLS_DEFINES) $(SOTTO_NANOPB_DEFINES))
WARNINGS := -std=c11 -Werror -Wall -Wextra -Wpedantic -Wconversion -Wundef
specs_newlib := --specs=nosys.specs
specs_nano := --specs=nano.specs --specs=nosys.specs
specs_picolibc := --specs=picolibc.specs
LINK = $(CC) $(FLAGS) $^ -nostartfiles -T $(FIRMWARE)/memory.ld -Wl,--gc-sections \
  $(addprefix -Wl$(comma)--defsym=,$(LAYOUT)) -o $@
comma := ,

.SECONDARY:
all: $(PROGRAMS)
%-lto.elf: %-lto.o $(START_OBJECTS) $(OBJECTS)
	$(LINK) -flto $(specs_$*)
%.elf: %.o $(START_OBJECTS) $(OBJECTS)
	$(LINK) $(specs_$*)
%-lto.o: $(SOTTO_DIR)/tests/consume/languages/board.c metrics.c
	$(CC) $(FLAGS) $(WARNINGS) $(specs_$*) -flto -c $< -o $@
$(addsuffix .o,$(LIBRARIES)): %.o: $(SOTTO_DIR)/tests/consume/languages/board.c metrics.c
	$(CC) $(FLAGS) $(WARNINGS) $(specs_$*) -c $< -o $@
semihosting.o: $(FIRMWARE)/semihosting.c
	$(CC) $(FLAGS) $(specs_$(lastword $(LIBRARIES))) -std=c11 -c $< -o $@
start.o: $(FIRMWARE)/$(START)
	$(CC) $(FLAGS) $(subst imac,imac_zicsr,$(filter -march=%,$(CPU))) -c $< -o $@
%.c.o: %.c metrics.c
	$(CC) $(FLAGS) -flto $(specs_$(lastword $(LIBRARIES))) $(SOTTO_FLAGS) -std=c99 -c $< -o $@
%.cpp.o: %.cpp metrics.c
	$(CXX) $(FLAGS) -flto $(specs_$(lastword $(LIBRARIES))) $(SOTTO_FLAGS) $(SOTTO_CORE_FLAGS) $(SOTTO_CXX_FLAGS) -std=c++17 -c $< -o $@
metrics.c: $(SOTTO_DIR)/tools/measure/batch.toml
	$(SOTTO_DIR)/tools/sotto-registry compile $< --out . >/dev/null
