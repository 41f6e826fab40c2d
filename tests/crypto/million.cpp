// SPDX-License-Identifier: Apache-2.0
// RFC 7748's million iterations: a minute or two, so tools/test.sh --long runs them.
#include "crypto_vectors.h"
#include "iterated.hpp"

#include <cstdio>

int main() {
    for (const iterated_long_vector &v : iterated_long_vectors) {
        if (!iterated(v.times, v.out)) {
            std::fprintf(stderr, "X25519, %s times: not what RFC 7748 has\n", v.times);
            return 1;
        }
    }
    return 0;
}
