// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/bit_kernel.hpp"

namespace sotto::aggregator {

bool is_supported(bit_kernel kernel) {
#if defined(__x86_64__)
    switch (kernel) {
    case bit_kernel::portable:
        return true;
    case bit_kernel::avx2:
        return __builtin_cpu_supports("avx2") != 0;
    case bit_kernel::avx512:
        return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
    }
#endif
    return kernel == bit_kernel::portable;
}

bit_kernel fastest_kernel() {
    return is_supported(bit_kernel::avx512) ? bit_kernel::avx512
           : is_supported(bit_kernel::avx2) ? bit_kernel::avx2
                                            : bit_kernel::portable;
}

} // namespace sotto::aggregator
