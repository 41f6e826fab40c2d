// SPDX-License-Identifier: Apache-2.0
// Sealed envelopes and key files from anyone. An envelope that opens is, byte for byte, one that
// the device sealed.
#include "metrics.h"
#include "sotto_testing.h"
#include "target.hpp"

#include "aggregator/seal/open.hpp"

#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

SOTTO_TEST_PROGRAM();

namespace {

using namespace sotto::aggregator;

std::string file_text(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

// Batches of one, two and three reports, without the length in front.
const std::vector<std::string> &sealed() {
    static const std::vector<std::string> sealed_envelopes = [] {
        std::vector<std::string> envelopes;
        sotto_testing storage;
        sotto_testing_init(&storage, reinterpret_cast<const std::uint8_t *>("fuzz"), 4, 0);
        const sotto_port port = sotto_testing_port(&storage);
        sealed_fleet_client device = {};
        expect(sealed_fleet_init(&device, &port) == SOTTO_OK, "a device starts");
        for (std::uint32_t epoch = 11; epoch < 14; ++epoch) {
            std::string buffer(4096, '\0');
            std::size_t length = 0;
            const std::string aircraft = "B-737";
            sotto_client *client = &device.client;
            expect((epoch == 11 ? sotto_advance_far(client, epoch)
                                : sotto_advance(client, epoch)) == SOTTO_OK &&
                       sotto_report_boolean(client, SEALED_FLEET_DOOR_OPEN, true) == SOTTO_OK &&
                       (epoch < 12 ||
                        sotto_report_boolean(client, SEALED_FLEET_SMOKE, false) == SOTTO_OK) &&
                       (epoch < 13 ||
                        sotto_report_string(client, SEALED_FLEET_AIRCRAFT, aircraft.data(),
                                            aircraft.size()) == SOTTO_OK) &&
                       sotto_flush(client, reinterpret_cast<std::uint8_t *>(buffer.data()),
                                   buffer.size(), &length) == SOTTO_OK,
                   "a device seals");
            const std::size_t prefix = static_cast<unsigned char>(buffer[0]) < 0x80 ? 1 : 2;
            envelopes.push_back(buffer.substr(prefix, length - prefix));
        }
        return envelopes;
    }();
    return sealed_envelopes;
}

bool opens(const std::string &bytes) {
    static const keyring keys(read_private_keys(SOTTO_KEYS "new.key"));
    static opener open(keys);
    const auto read = decode_envelope(bytes);
    const auto *e = std::get_if<envelope>(&read);
    return e != nullptr && e->sealed && std::holds_alternative<std::string_view>(open.open(*e));
}

} // namespace

std::vector<std::string> seeds() {
    std::vector<std::string> texts = sealed();
    for (const std::string &envelope : texts) {
        expect(opens(envelope), "what a device sealed opens");
    }
    texts.push_back(file_text(SOTTO_KEYS "new.key"));
    texts.push_back(file_text(SOTTO_KEYS "new.pub"));
    expect(!texts.back().empty(), "the keys are there");
    return texts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char *>(data), size);
    if (opens(bytes)) {
        bool was_sealed = false;
        for (const std::string &envelope : sealed()) {
            was_sealed = was_sealed || envelope == bytes;
        }
        expect(was_sealed, "what opens was sealed");
    }
    static const int memory = memfd_create("fuzz", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(memory);
    expect(ftruncate(memory, 0) == 0 && pwrite(memory, data, size, 0) == static_cast<ssize_t>(size),
           "there is memory");
    read_or_refuse([] { (void)read_private_keys(path); });
    read_or_refuse([] { (void)read_public_key(path); });
    return 0;
}
