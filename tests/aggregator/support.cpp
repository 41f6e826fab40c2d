// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>
#include <regex>
#include <sstream>
#include <unistd.h>

namespace sotto::aggregator::test {

std::string registry_text() {
    return R"({
  "format": 2,
  "registry": {"name": "bird-strikes", "version": 1, "fingerprint": "8a1b2c3d"},
  "device": {"window_epochs": 30, "epsilon": "16"},
  "budget": "16777216", "max_epoch_jump": 400,
  "metrics": [
    {
      "id": 1, "name": "damage", "type": "boolean", "mechanism": "randomized_response",
      "fingerprint": "01234567", "value_words": 1, "random_bytes": 8,
      "window": {"epochs": 7, "epsilon": "8"}, "budget": "8388608",
      "per_epoch": 1, "request_level": 0, "costs": ["1151979"], "cost_reports": 0,
      "levels": [
        {"nominal": "1.0987", "realised": "1.09861228866810969139524523693", "cost": "1151979",
         "probabilities": {"flip": {"numerator": "4611686018427387904", "denominator_bits": 64}}}
      ],
      "pairs": [],
      "joint": "1.09861228866810969139524523693",
      "open_release": "1.09861228866810969139524523693",
      "forward": [],
      "table": {"bits": 64, "flip": ["4611686018427387904"]}
    },
    {
      "id": 7, "name": "smoke", "type": "boolean", "mechanism": "randomized_response",
      "fingerprint": "89abcdef", "value_words": 1, "random_bytes": 8,
      "window": null, "budget": "0",
      "per_epoch": 1, "request_level": 0, "costs": ["535640", "1151979"], "cost_reports": 0,
      "levels": [
        {"nominal": "0.511", "realised": "0.510825623765990683205514096304", "cost": "535640",
         "probabilities": {"flip": {"numerator": "127605887595351923798765477786913079296",
                                    "denominator_bits": 128}}},
        {"nominal": "1.1", "realised": "1.09861228866810969139524523693", "cost": "1151979",
         "probabilities": {"flip": {"numerator": "4611686018427387904", "denominator_bits": 64}}}
      ],
      "pairs": [{"levels": [0, 1], "joint": "1.09861228866810969139524523693"}],
      "joint": "1.09861228866810969139524523693",
      "open_release": "1.09861228866810969139524523693",
      "forward": [],
      "table": {"bits": 64, "flip": ["4611686018427387904", "4611686018427387904"]}
    }
  ]
}
)";
}

std::string every_type_text() { return read_file(SOTTO_TEST_DATA "/every_type.json"); }

std::string replaced(std::string text, std::string_view from, std::string_view replacement) {
    std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    for (; at != std::string::npos; at = text.find(from, at + replacement.size())) {
        text.replace(at, from.size(), replacement);
    }
    return text;
}

temporary_directory::temporary_directory() {
    // In memory where that can be: fsync on a disk would take most of the tests' time.
    const std::filesystem::path memory = "/dev/shm";
    const bool in_memory = access(memory.c_str(), W_OK) == 0;
    std::string name =
        ((in_memory ? memory : std::filesystem::temp_directory_path()) / "sotto-test-XXXXXX")
            .string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no temporary directory");
    }
    path_ = name;
}

std::string temporary_directory::file(const std::string &name, std::string_view bytes) const {
    const std::filesystem::path path = path_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
}

std::string read_file(const std::filesystem::path &path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

manual_columns columns_in_manual(const std::string &command) {
    const std::string page =
        read_file(SOTTO_TEST_DATA "/../../aggregator/man/" + command + ".roff");
    manual_columns out;
    std::istringstream in(page.substr(page.find(" COLUMNS\n")));
    for (std::string line; std::getline(in, line) && !line.starts_with(".SH");) {
        std::ranges::replace(line, '"', ' ');
        std::istringstream words(line);
        std::string word;
        if (words >> word && word.starts_with(".B")) {
            while (words >> word) {
                if (word != ",") {
                    out.listed.push_back(word);
                }
            }
        }
    }
    static const std::regex emphasis("\\\\f[BI]([a-z_]+)\\\\fR");
    for (std::sregex_iterator at(page.begin(), page.end(), emphasis), end; at != end; ++at) {
        out.emphasised.insert((*at)[1]);
    }
    return out;
}

std::map<std::string, std::string> tree(const std::filesystem::path &root) {
    std::map<std::string, std::string> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
        const bool regular = entry.is_regular_file();
        files[entry.path().string()] = regular ? read_file(entry.path()) : "directory";
    }
    return files;
}

row row_of(const metric &m, const report &r) {
    std::vector<std::uint8_t> bytes;
    row made(row_bytes(m));
    put_row(view_of(r, bytes), made);
    return made;
}

row_list rows_of(const metric &m, const std::vector<row> &rows) {
    row_list list(row_bytes(m));
    for (const row &r : rows) {
        list.add(r);
    }
    return list;
}

std::string varint_field(std::uint32_t tag, std::uint64_t value) {
    std::string out;
    protozero::pbf_writer(out).add_uint64(tag, value);
    return out;
}

std::string fixed32_field(std::uint32_t tag, std::uint32_t value) {
    std::string out;
    protozero::pbf_writer(out).add_fixed32(tag, value);
    return out;
}

std::string bytes_field(std::uint32_t tag, const std::string &bytes) {
    std::string out;
    protozero::pbf_writer(out).add_bytes(tag, bytes);
    return out;
}

namespace {

struct bit_text {
    std::string bytes;
    std::size_t bits = 0;

    void put(std::uint32_t value, unsigned count) {
        for (unsigned i = 0; i < count; ++i, ++bits) {
            bytes.resize(bits / 8 + 1, '\0');
            const auto byte = static_cast<unsigned char>(bytes.back());
            bytes.back() = static_cast<char>(byte | (value >> i & 1) << bits % 8);
        }
    }
    void put(const wire_report &r) {
        if (r.cohort) {
            put(*r.cohort, r.cohort_bits);
        }
        if (r.index) {
            put(*r.index, r.index_bits);
        }
        if (r.number) {
            put(fixed32_field(1, *r.number).substr(1));
        }
        if (r.bits) {
            put(*r.bits);
        }
        if (r.numbers) {
            put(*r.numbers);
        }
    }
    void put(const std::string &whole) {
        bytes += whole;
        bits = 8 * bytes.size();
    }
};

std::string varint(std::uint64_t value) { return varint_field(1, value).substr(1); }

} // namespace

std::string wire_batch::bytes_of(std::vector<wire_report> reports) const {
    std::stable_sort(reports.begin(), reports.end(),
                     [](const auto &a, const auto &b) { return a.metric < b.metric; });
    std::map<std::uint32_t, std::optional<std::string>> fields;
    bit_text values;
    std::uint64_t last = 0;
    for (const wire_report &r : reports) {
        *fields.try_emplace(3, "").first->second +=
            varint(r.metric - std::exchange(last, r.metric));
        *fields.try_emplace(4, "").first->second += varint(r.level);
        *fields.try_emplace(5, "").first->second += varint(r.epoch_age);
        *fields.try_emplace(6, "").first->second += varint(r.flags | 2);
        *fields.try_emplace(7, "").first->second += r.release;
        values.put(r);
    }
    for (const std::uint32_t column : {4U, 5U}) {
        if (!reports.empty() && fields[column]->find_first_not_of('\0') == std::string::npos) {
            fields.erase(column);
        }
    }
    if (!reports.empty()) {
        fields[8] = values.bytes;
    }
    for (const auto &[tag, text] : instead) {
        fields[tag] = text;
    }
    std::string out = epoch == 0 ? "" : varint_field(1, epoch);
    for (const auto &[tag, text] : fields) {
        out += text ? bytes_field(tag, *text) : "";
    }
    return out + bytes_field(9, padding) + more;
}

std::string wire_envelope::bytes() const {
    std::string out;
    out += version ? varint_field(1, *version) : "";
    out += registry ? fixed32_field(2, *registry) : "";
    out += batch ? bytes_field(3, *batch) : "";
    out += key_id ? fixed32_field(4, *key_id) : "";
    out += enc ? bytes_field(5, *enc) : "";
    out += ciphertext ? bytes_field(6, *ciphertext) : "";
    return out + more;
}

std::vector<report> reports_of(std::string_view batch, const value_layouts &layouts) {
    return std::get<std::vector<report>>(decode_batch(batch, layouts));
}

std::string delimited(const std::string &message) {
    // A field of tag 1 is its tag byte, then what we want.
    return bytes_field(1, message).substr(1);
}

} // namespace sotto::aggregator::test
