// SPDX-License-Identifier: Apache-2.0
#include "fleet.hpp"

#include "sotto/registry.h"

#include <fstream>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <random>

namespace sotto::bench {
namespace {

namespace fs = std::filesystem;

aggregator::registry make_registry() {
    aggregator::rappor_table table;
    table.bits = bits;
    table.cohorts = cohorts;
    table.hashes = 2;
    aggregator::metric m;
    m.id = 1;
    m.type = SOTTO_TYPE_STRING;
    m.mechanism = SOTTO_MECHANISM_RAPPOR;
    m.fingerprint = 0x00c0ffee;
    m.name = "string";
    m.table = table;
    m.levels.resize(1);
    aggregator::registry r;
    r.name = "bench";
    r.fingerprint = 0x0badcafe;
    r.metrics.push_back(m);
    return r;
}

std::string random_bytes(std::mt19937_64 &random, std::size_t count) {
    std::string out(count, '\0');
    for (char &c : out) {
        c = static_cast<char>(random());
    }
    return out;
}

// New releases of one metric, as a device packs them.
std::string encode_batch(std::mt19937_64 &random) {
    std::string out, values;
    std::vector<std::uint32_t> steps(reports_per_batch, 0);
    steps.front() = 1;
    for (std::size_t i = 0; i < reports_per_batch; ++i) {
        values += static_cast<char>(random() % cohorts);
        values += random_bytes(random, bits / 8);
    }
    protozero::pbf_writer batch(out);
    batch.add_uint32(1, 7);
    batch.add_fixed64(2, random());
    batch.add_packed_uint32(3, steps.begin(), steps.end());
    batch.add_bytes(8, values);
    return out;
}

} // namespace

const aggregator::registry &fleet_registry() {
    static const aggregator::registry made = make_registry();
    return made;
}

const std::vector<std::string> &some_batches() {
    static const std::vector<std::string> made = [] {
        std::vector<std::string> out;
        std::mt19937_64 random(1);
        for (std::size_t i = 0; i < 1'000'000; i += reports_per_batch) {
            out.push_back(encode_batch(random));
        }
        return out;
    }();
    return made;
}

std::string report_file(std::size_t reports) {
    static std::map<std::size_t, std::string> made;
    std::string &path = made[reports];
    if (!path.empty()) {
        return path;
    }
    path = (scratch("files") / (std::to_string(reports) + ".bin")).string();
    std::ofstream file(path, std::ios::binary);
    std::mt19937_64 random(2);
    for (std::size_t i = 0; i < reports; i += reports_per_batch) {
        std::string batch = encode_batch(random), envelope, element;
        protozero::pbf_writer(batch).add_bytes(9, std::string(32 - (batch.size() + 2) % 32, '\0'));
        protozero::pbf_writer head(envelope);
        head.add_uint32(1, 2);
        head.add_fixed32(2, fleet_registry().fingerprint);
        head.add_message(3, batch);
        protozero::pbf_writer(element).add_message(1, envelope);
        file << element.substr(1); // after its tag, a field is what a file is made of
    }
    return path;
}

fs::path scratch(const std::string &name) {
    static const fs::path root = [] {
        std::string made = (fs::temp_directory_path() / "sotto-bench-XXXXXX").string();
        if (mkdtemp(made.data()) == nullptr) {
            throw std::runtime_error("no temporary directory");
        }
        static const struct remover {
            fs::path path;
            ~remover() { fs::remove_all(path); }
        } remove_at_end{made};
        return fs::path(made);
    }();
    fs::remove_all(root / name);
    fs::create_directories(root / name);
    return root / name;
}

} // namespace sotto::bench
