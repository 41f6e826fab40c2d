// SPDX-License-Identifier: Apache-2.0
// Files that people write: tables in CSV, lists of candidates. Each is read to its end or refused
// by one line.
#include "aggregator/base/csv.hpp"
#include "aggregator/estimate/candidates.hpp"
#include "target.hpp"

#include <sys/mman.h>
#include <unistd.h>

using namespace sotto::aggregator;

std::vector<std::string> seeds() {
    return {"name,Damaged\n\"bird, 1\",yes\n\"a \"\"b\"\"\",no\r\n\n,\n",
            "B737\r\n\nA320\n\xc3\xa9\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const int memory = memfd_create("fuzz", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(memory);
    expect(ftruncate(memory, 0) == 0 && pwrite(memory, data, size, 0) == static_cast<ssize_t>(size),
           "there is memory");
    read_or_refuse([] {
        csv_file table(path);
        std::vector<std::string> cells;
        while (table.next(cells)) {
            expect(cells.size() < 1'000'000, "a row is no larger than its file");
        }
    });
    read_or_refuse([] { (void)read_candidates(path); });
    return 0;
}
