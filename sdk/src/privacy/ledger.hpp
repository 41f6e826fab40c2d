#ifndef L
#define L
#include <stdint.h>
namespace sotto {
inline void ledger_advance(uint32_t *s, uint32_t w, uint32_t e) {
    uint32_t n = 2 * w - 1;
    for (uint32_t i = n; i-- > 0;)
        s[i] = i >= e ? s[i - e] : 0;
}
inline bool ledger_can_spend(const uint32_t *s, uint32_t w, uint32_t b, uint32_t age, uint32_t c) {
    if (age >= w)
        return false;
    for (uint32_t st = 0; st < w; ++st) {
        if (age < st)
            continue;
        if (age >= st + w)
            continue;
        uint64_t t = c;
        for (uint32_t i = st; i < st + w; ++i)
            t += s[i];
        if (t > b)
            return false;
    }
    return true;
}
inline void ledger_spend(uint32_t *s, uint32_t, uint32_t age, uint32_t c) {
    s[age] = c < 0xffffffffu - s[age] ? s[age] + c : 0xffffffffu;
}
inline uint32_t ledger_frees_in(const uint32_t *s, uint32_t w, uint32_t b, uint32_t c) {
    if (c > b)
        return 0xffffffffu;
    for (uint32_t e = 0; e <= w; ++e) {
        uint64_t t = c;
        for (uint32_t i = 0; i + e < w; ++i)
            t += s[i];
        if (t <= b)
            return e;
    }
    return w;
}
} // namespace sotto
#endif
