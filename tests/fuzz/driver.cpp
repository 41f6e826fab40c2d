// SPDX-License-Identifier: Apache-2.0
// NAME ROUNDS: random edits of the target's seeds, the same every time.
#include "target.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <random>

namespace {

void edit(std::string &bytes, const std::vector<std::string> &texts, std::mt19937_64 &random) {
    const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
    const std::size_t some = std::min<std::size_t>(bytes.size() - at, 1 + random() % 12);
    const auto byte = [&] { return static_cast<char>(random()); };
    switch (random() % 8) {
    case 0:
        bytes.insert(at, 1, byte());
        break;
    case 1:
        bytes.erase(at, some);
        break;
    case 2: // a part again, or elsewhere
        bytes.insert(bytes.empty() ? 0 : random() % bytes.size(), bytes.substr(at, some));
        break;
    case 3: { // a part of another seed
        const std::string &other = texts[random() % texts.size()];
        bytes.insert(at, other.substr(random() % (other.size() + 1), 1 + random() % 40));
        break;
    }
    case 4:
        bytes.insert(at, 1 + random() % 11, '\x80');
        break;
    case 5:
        bytes.resize(at);
        break;
    default:
        if (!bytes.empty()) {
            bytes[at] =
                random() % 2 == 0 ? byte() : static_cast<char>(bytes[at] ^ 1 << random() % 8);
        }
    }
}

std::string input;

// A failure can be looked into, and become a test.
void show_input(int) {
    std::fputs("fuzz: the input, in hex: ", stderr);
    for (const char c : input) {
        std::fprintf(stderr, "%02x", static_cast<unsigned char>(c));
    }
    std::fputs("\n", stderr);
}

} // namespace

int main(int argc, char **argv) {
    const long rounds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
    const std::vector<std::string> texts = seeds();
    std::signal(SIGABRT, show_input);
    std::mt19937_64 random(20261121);
    for (long i = 0; i < rounds; ++i) {
        input = texts[random() % texts.size()];
        for (std::size_t edits = i < static_cast<long>(texts.size()) ? 0 : 1 + random() % 4;
             edits > 0; --edits) {
            edit(input, texts, random);
        }
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()), input.size());
    }
    std::printf("fuzz: %ld inputs\n", rounds);
    return rounds > 0 ? 0 : 2;
}
