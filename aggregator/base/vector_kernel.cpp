// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/vector_kernel.hpp"

namespace sotto::aggregator {

bool is_supported(vector_kernel kernel) {
#if defined(__x86_64__)
    switch (kernel) {
    case vector_kernel::portable:
        return true;
    case vector_kernel::avx2:
        return __builtin_cpu_supports("avx2") != 0;
    case vector_kernel::avx512:
        return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
    }
#endif
    return kernel == vector_kernel::portable;
}

vector_kernel fastest_kernel() {
    return is_supported(vector_kernel::avx512) ? vector_kernel::avx512
           : is_supported(vector_kernel::avx2) ? vector_kernel::avx2
                                               : vector_kernel::portable;
}

} // namespace sotto::aggregator
