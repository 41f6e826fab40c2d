// SPDX-License-Identifier: Apache-2.0
#include "Arduino.h"

int main() {
    setup();
    loop();
}
