// SPDX-License-Identifier: Apache-2.0
// Hand-made bytes, one defect at a time: each has its reason, and what is good beside it stays.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/store/ingest.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace sotto::aggregator::test {
namespace {

struct outcome {
    std::uint64_t reports = 0, rejected = 0;
    std::string reasons;
    bool readable = false;
};

outcome ingest_bytes(const std::string &bytes) {
    const temporary_directory directory;
    store target = store::to_write(directory / "store");
    target.keep({parse_registry(registry_text(), "M.json"), registry_text()});
    ingest run(target);
    envelope_file file(directory.file("in.bin", bytes));
    const bool readable = run.add(file).readable;
    run.finish();
    return {run.reports(), run.rejected().total(), run.rejected().text(), readable};
}

std::string plain(const std::string &batch) {
    wire_envelope e;
    e.batch = batch;
    return delimited(e.bytes());
}

wire_report with(auto change) {
    wire_report r;
    r.release = "changed!";
    change(r);
    return r;
}

TEST(Reports, AGoodOneIsTaken) {
    const outcome found = ingest_bytes(file_of(wire_report{}));
    EXPECT_EQ(found.reports, 1u);
    EXPECT_EQ(found.reasons, "");
    EXPECT_TRUE(found.readable);
}

// Its width is right, so those behind it can be read.
TEST(Reports, ABadOneIsLeftOutOfAGoodBatch) {
    const struct {
        const char *reason;
        wire_report bad;
    } cases[] = {
        {"level outside the ladder", with([](auto &r) { r.level = 1; })},
        {"level outside the ladder", with([](auto &r) { r.level = 256; })},
        {"marked as selected by a request, which no request can",
         with([](auto &r) { r.flags = 1; })},
    };
    wire_report good, other;
    other.release = "release2";
    for (const auto &c : cases) {
        const outcome found = ingest_bytes(file_of(good, c.bad, other));
        EXPECT_EQ(found.reasons, std::string("1 ") + c.reason);
        EXPECT_EQ(found.reports, 2u) << c.reason;
    }
}

TEST(Reports, ABadBatchIsLeftOutOfAGoodFile) {
    wire_report report;
    report.release = "lost too";
    const auto batch = [&](auto change) {
        wire_batch b;
        change(b);
        return plain(b.bytes(report));
    };
    const auto column = [&](std::uint32_t tag, const std::string &text) {
        return batch([&](auto &b) { b.instead[tag] = text; });
    };
    const auto all_new = [&](const std::string &seed) { // it stands before the columns
        wire_batch b;
        b.epoch = 0;
        b.instead[6] = b.instead[7] = std::nullopt;
        return plain(seed + b.bytes(report));
    };
    const auto altered = [&](auto change) {
        wire_report r = report;
        change(r);
        return plain(wire_batch{}.bytes(r));
    };
    const auto envelope = [&](auto change) {
        wire_envelope e;
        e.batch = wire_batch{}.bytes(report);
        change(e);
        return delimited(e.bytes());
    };
    const std::string zero(1, '\0');
    const std::string seed = "\x11release3";
    ASSERT_EQ(ingest_bytes(all_new(seed)).reports, 1u) << "the control";
    const struct {
        std::string reason;
        std::string bytes;
    } cases[] = {
        {"unknown metric", altered([](auto &r) { r.metric = 2; })},
        {"unknown metric", altered([](auto &r) { r.metric = 65537; })},
        {"unknown metric", column(3, zero)},
        {"unknown metric", column(3, "\xff\xff\xff\xff\x0f\x02")},
        {"epoch out of range", altered([](auto &r) { r.epoch_age = 6; })},
        {"epoch out of range", batch([](auto &b) { b.epoch = 0xffffffff; })},
        {"malformed", altered([](auto &r) { r.level = std::uint64_t{1} << 32; })},
        {"malformed", altered([](auto &r) { r.release = "seven.."; })},
        {"malformed", altered([](auto &r) { r.release = "nine bytes"; })},
        {"malformed", altered([](auto &r) { r.index_bits = 9; })},
        {"malformed", column(3, "\x01\x06")},
        {"malformed", column(3, "\xff")},
        {"malformed", column(4, "\x01\x01")},
        {"malformed", column(6, "\x02\x02")},
        {"missing field", batch([](auto &b) { b.instead[7] = std::nullopt; })},
        {"missing field", batch([](auto &b) { b.instead[8] = std::nullopt; })},
        {"missing field", all_new("")},
        {"not canonical", all_new(seed + seed)},
        {"not canonical", column(4, zero)},
        {"not canonical", column(5, zero)},
        {"not canonical", column(3, std::string("\x81\0", 2))},
        {"not canonical", column(4, std::string("\x81\0", 2))},
        {"not canonical", batch([](auto &b) { b.more = std::string("\x4a\x81\0\0", 4); })},
        {"not canonical",
         envelope([](auto &e) { e.version = {}, e.more = std::string("\x08\x82\0", 3); })},
        {"not canonical", column(7, "")},
        {"not canonical", column(6, "\x04")},
        {"not canonical", column(6, "\x06")},
        {"not canonical", column(8, "\x03")},
        {"not canonical", batch([](auto &b) { b.instead[6] = std::nullopt; })},
        {"not canonical", batch([](auto &b) { b.padding = std::string("\0\0\1", 3); })},
        {"not canonical", batch([](auto &b) { b.more = varint_field(1, 5); })},
        {"not canonical", batch([](auto &b) { b.more = bytes_field(9, ""); })},
        {"not canonical", batch([](auto &b) { b.more = bytes_field(8, ""); })},
        {"not canonical", batch([](auto &b) { b.more = varint_field(10, 1); })},
        {"not canonical", batch([](auto &b) { b.more = bytes_field(1000, "x"); })},
        {"malformed", batch([](auto &b) { b.more = varint_field(3, 1); })},
        {"malformed", batch([](auto &b) { b.more = "\x4a\x09x"; })},
        {"malformed", batch([](auto &b) { b.more = std::string(1, '\0'); })},
        {"malformed", batch([](auto &b) { b.epoch = std::uint64_t{1} << 32; })},
        {"unknown version", envelope([](auto &e) { e.version = {}; })},
        {"unknown version", envelope([](auto &e) { e.version = 1; })},
        {"unknown version", envelope([](auto &e) { e.version = 3, e.more = varint_field(9, 1); })},
        {"unknown registry (" + fingerprint_text(fleet + 1) +
             "; give --registry the metrics.json with this fingerprint)",
         envelope([](auto &e) { e.registry = fleet + 1; })},
        {"missing field", envelope([](auto &e) { e.registry = {}; })},
        {"missing field", envelope([](auto &e) { e.batch = {}; })},
        {"sealed, and no --key was given", envelope([](auto &e) {
             e.batch = {}, e.key_id = 1, e.enc = std::string(32, 'e'), e.ciphertext = "c";
         })},
        {"missing field", envelope([](auto &e) { e.batch = {}, e.enc = "e", e.ciphertext = "c"; })},
        {"not canonical",
         envelope([](auto &e) { e.batch = {}, e.key_id = 1, e.enc = "e", e.ciphertext = "c"; })},
        {"not canonical", envelope([](auto &e) { e.key_id = 1; })},
        {"not canonical", envelope([](auto &e) { e.ciphertext = "c"; })},
        {"malformed", envelope([](auto &e) { e.more = varint_field(4, 1); })},
        {"not canonical", envelope([](auto &e) { e.more = varint_field(7, 1); })},
        {"not canonical", envelope([](auto &e) { e.more = fixed32_field(2, fleet); })},
        {"malformed", envelope([](auto &e) { e.registry = {}, e.more = varint_field(2, 1); })},
        {"malformed", envelope([](auto &e) { e.batch = {}, e.more = varint_field(3, 1); })},
    };
    wire_report good, other;
    other.release = "release2";
    for (const auto &c : cases) {
        const outcome found = ingest_bytes(file_of(good) + c.bytes + file_of(other));
        EXPECT_EQ(found.reasons, std::string("1 ") + c.reason) << &c - cases;
        EXPECT_EQ(found.reports, 2u) << c.reason << &c - cases;
        EXPECT_TRUE(found.readable);
    }
}

TEST(Reports, ABatchHasThem) {
    const outcome found = ingest_bytes(plain(wire_batch{}.bytes()));
    EXPECT_FALSE(found.readable);
    EXPECT_EQ(found.reasons, "1 missing field");
}

// As many as a device may have wait; a forged batch with more is none.
TEST(Reports, ABatchHasAtMostSixteenThousand) {
    const auto with = [](std::size_t count) {
        wire_batch b;
        b.instead[3] = "\1" + std::string(count - 1, '\0');
        b.instead[6] = b.instead[7] = std::nullopt;
        b.instead[8] = std::string((count + 7) / 8, '\0');
        b.epoch = 0;
        return ingest_bytes(plain("\x11release3" + b.bytes(wire_report{})));
    };
    EXPECT_EQ(with(16000).reports, 16000u);
    EXPECT_EQ(with(16001).reasons, "1 not canonical");
}

std::vector<std::uint64_t> ids_of(std::span<const id_block> blocks, vector_kernel kernel) {
    std::vector<std::uint64_t> ids(ids_in_block * blocks.size());
    make_new_ids(blocks, ids, kernel);
    return ids;
}

// A block follows from its seed and number alone: neighbours in a vector change nothing.
TEST(NewIds, AreTheSameByEachKernelAndInEachPlace) {
    std::vector<id_block> blocks;
    for (std::uint32_t i = 0; i < 37; ++i) {
        blocks.push_back({0x9e3779b97f4a7c15 * (i / 3), i % 3});
    }
    const auto expected = ids_of(blocks, vector_kernel::portable);
    for (const auto kernel :
         {vector_kernel::portable, vector_kernel::avx2, vector_kernel::avx512}) {
        if (!is_supported(kernel)) {
            continue;
        }
        EXPECT_EQ(ids_of(blocks, kernel), expected);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const auto alone = ids_of(std::span(blocks).subspan(i, 1), kernel);
            EXPECT_TRUE(std::equal(alone.begin(), alone.end(), &expected[ids_in_block * i])) << i;
        }
    }
    EXPECT_EQ(std::set<std::uint64_t>(expected.begin(), expected.end()).size(), expected.size());
}

std::vector<report> decoded(const std::string &bytes) {
    static const registry known = parse_registry(registry_text(), "M.json");
    return reports_of(bytes, value_layouts(known));
}

TEST(Reports, EpochsReachBackAndUp) {
    const auto read = [](std::uint64_t epoch, std::uint64_t age) {
        wire_batch b;
        b.epoch = epoch;
        return decoded(b.bytes(with([&](auto &r) { r.epoch_age = age; }))).at(0).epoch;
    };
    EXPECT_EQ(read(5, 5), 0u);
    EXPECT_EQ(read(5, 0), 5u);
    EXPECT_EQ(read(0xfffffffe, 1), 0xfffffffdu);
}

// As new_ids() in tests/specification/batch.py.
TEST(Reports, NewReleasesHaveIdsOfTheSeed) {
    const std::string batch("\x11"
                            "01234567"
                            "\x1a\x02\x01\x06"
                            "\x42\x01\x03",
                            9 + 4 + 3);
    const std::vector<report> found = decoded(batch);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].metric, 1u);
    EXPECT_EQ(found[1].metric, 7u);
    EXPECT_EQ(hex(found[0].release), "1e50a0dd9d6f968f");
    EXPECT_EQ(hex(found[1].release), "e873a5de1836e2e4");
}

// Some are refused, some have more new releases than a block has ids, one has a known release.
TEST(Reports, BatchesAreReadTogetherAsAlone) {
    static const registry known = parse_registry(registry_text(), "M.json");
    const value_layouts layouts(known);
    const auto batch = [](char seed, std::size_t count, std::string_view flags,
                          const std::string &releases) {
        std::string text = "\x11seedseed";
        text[1] = seed;
        text += "\x1a" + std::string(1, static_cast<char>(count)) + "\x01" +
                std::string(count - 1, '\0');
        if (!flags.empty()) {
            text += "\x32" + std::string(1, static_cast<char>(count)) + std::string(flags) +
                    "\x3a" + std::string(1, static_cast<char>(releases.size())) + releases;
        }
        const std::size_t bytes = (count + 7) / 8;
        return text + "\x42" + std::string(1, static_cast<char>(bytes)) + std::string(bytes, '\0');
    };
    const std::vector<std::string> texts = {
        batch('a', 3, "", ""),
        "broken",
        batch('b', 20, "", ""),
        batch('a', 3, "", ""),
        batch('c', 3, std::string_view("\0\2\0", 3), "released"),
        batch('d', 0x40, "", "")};
    std::vector<batch_bytes> some;
    for (const std::string &text : texts) {
        some.push_back({bytes_of(text), &layouts});
    }
    batch_reader together;
    const std::span<const batch_view> read = together.read(some);
    ASSERT_EQ(read.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        batch_reader alone;
        const batch_view &by_itself = alone.read(bytes_of(texts[i]), layouts);
        EXPECT_EQ(read[i].refused, by_itself.refused) << i;
        EXPECT_EQ(by_itself.refused.has_value(), i == 1) << i;
        ASSERT_EQ(read[i].reports.size(), by_itself.reports.size()) << i;
        for (std::size_t k = 0; k < by_itself.reports.size(); ++k) {
            EXPECT_EQ(read[i].reports[k].release, by_itself.reports[k].release) << i << ' ' << k;
            EXPECT_EQ(read[i].reports[k].flags, 0u);
        }
    }
    EXPECT_EQ(read[0].reports[1].release, read[3].reports[1].release);
    EXPECT_EQ(read[4].reports[1].release,
              get_big_endian<std::uint64_t>(bytes_of("released").data()));
    EXPECT_EQ(read[4].reports.size(), 3u);
}

// The column of metrics ends within a varint, or has one of more than 64 bits.
TEST(Reports, AMetricThatIsNoNumberIsMalformed) {
    static const registry known = parse_registry(registry_text(), "M.json");
    const auto with = [](const std::string &last) {
        const auto length = static_cast<char>(1 + last.size());
        const auto found = decode_batch("\x11seedseed\x1a" + std::string(1, length) + "\x01" +
                                            last + std::string("\x42\x01\x00", 3),
                                        value_layouts(known));
        const reason *why = std::get_if<reason>(&found);
        return why == nullptr ? "taken" : std::string(reason_text(*why));
    };
    const std::string nine(9, '\x80'), malformed = reason_text(reason::malformed);
    EXPECT_EQ(with(std::string(1, '\0')), "taken");
    EXPECT_EQ(with("\x80"), malformed);
    EXPECT_EQ(with(nine), malformed);
    EXPECT_EQ(with(nine + "\x02"), malformed);
    EXPECT_EQ(with(nine + "\x80\x01"), malformed);
    EXPECT_EQ(with(nine + "\x01"), malformed);
}

struct framing {
    std::uint64_t envelopes = 0;
    bool truncated = false;
};

framing frame(const std::string &bytes) {
    const temporary_directory directory;
    envelope_file file(directory.file("in.bin", bytes));
    framing found;
    while (file.next()) {
        ++found.envelopes;
    }
    found.truncated = file.truncated();
    return found;
}

TEST(Framing, CutAnywhereKeepsTheCompleteEnvelopes) {
    wire_report second;
    second.release = "release2";
    const std::string first = file_of(wire_report{});
    const std::string both = first + file_of(second);
    for (std::size_t length = 0; length <= both.size(); ++length) {
        const outcome found = ingest_bytes(both.substr(0, length));
        const std::uint64_t whole = (length >= first.size()) + (length == both.size());
        const bool at_an_end = length == 0 || length == first.size() || length == both.size();
        EXPECT_EQ(found.reports, whole) << length;
        EXPECT_EQ(found.readable, whole > 0) << length;
        EXPECT_EQ(found.reasons, at_an_end ? "" : "1 truncated or not a report file") << length;
    }
}

TEST(Framing, AnEnvelopeOfOneMebibyteIsTheLargest) {
    const std::string largest(envelope_bytes_max, 'x');
    EXPECT_EQ(frame(delimited(largest) + delimited("x")).envelopes, 2u);
    const framing over = frame(delimited(largest + "x") + delimited("x"));
    EXPECT_EQ(over.envelopes, 0u);
    EXPECT_TRUE(over.truncated);
    const framing endless = frame(delimited("x") + std::string(20, '\xff'));
    EXPECT_EQ(endless.envelopes, 1u);
    EXPECT_TRUE(endless.truncated);
}

TEST(Framing, ManyEnvelopesCrossTheBuffersEnds) {
    std::string bytes;
    std::uint64_t count = 0;
    while (bytes.size() < 300'000) {
        bytes += delimited(std::string(1 + count++ % 97, 'x'));
    }
    const framing found = frame(bytes);
    EXPECT_EQ(found.envelopes, count);
    EXPECT_FALSE(found.truncated);
}

// Else a file that is one hole, and takes no room, is gone through byte by byte.
TEST(Framing, NoBytesAreNoEnvelope) {
    const framing found = frame(delimited("x") + std::string(1 << 20, '\0'));
    EXPECT_EQ(found.envelopes, 1u);
    EXPECT_TRUE(found.truncated);
}

// Two million of them fit into 4 MiB: an exception each takes seconds.
TEST(Reports, WhatIsNoEnvelopeCostsNoException) {
    static_assert(noexcept(decode_envelope({})));
    const auto why = [](std::string_view bytes) {
        const auto read = decode_envelope(bytes);
        const reason *found = std::get_if<reason>(&read);
        return found != nullptr ? std::optional(*found) : std::nullopt;
    };
    EXPECT_EQ(why(""), reason::unknown_version);
    EXPECT_EQ(why("\x08\x01"), reason::unknown_version);
    EXPECT_EQ(why("\x08\x02"), reason::missing_field);
    EXPECT_EQ(why(std::string(1, '\0')), reason::malformed);
    EXPECT_EQ(why("\x0d\x01\x01\x01\x01"), reason::malformed); // a version in four bytes
    wire_envelope e;
    e.batch = wire_batch{}.bytes(wire_report{});
    const std::string good = e.bytes();
    EXPECT_EQ(why(good), std::nullopt);
    for (std::size_t i = 0; i < good.size(); ++i) {
        EXPECT_TRUE(why(good.substr(0, i))) << i;
    }
    EXPECT_EQ(why(good + "\x3a\x01x"), reason::not_canonical); // a later version's
    EXPECT_EQ(why(good + good), reason::not_canonical);
}

TEST(Reports, MutationsNeverPassWhatTheRegistryDoesNotAdmit) {
    const registry known = parse_registry(registry_text(), "M.json");
    const value_layouts layouts(known);
    const std::string whole = wire_batch{}.bytes(
        wire_report{}, with([](auto &r) { r.metric = 7, r.level = 1, r.epoch_age = 2; }));
    wire_envelope e;
    e.batch = whole;
    const std::string good = e.bytes();
    std::mt19937 random(20240607);
    int taken = 0, refused = 0;
    for (int round = 0; round < 5000; ++round) {
        std::string bytes = good;
        for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) {
            const std::size_t at = random() % bytes.size();
            switch (random() % 4) {
            case 0:
                bytes[at] = static_cast<char>(random());
                break;
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
                break;
            case 2:
                bytes.insert(at, 1, static_cast<char>(random()));
                break;
            default:
                bytes.erase(at, 1);
            }
        }
        const auto opened = decode_envelope(bytes);
        const envelope *found = std::get_if<envelope>(&opened);
        const auto read =
            found != nullptr ? decode_batch(found->batch, layouts) : reason::malformed;
        const auto *reports = std::get_if<std::vector<report>>(&read);
        refused += reports == nullptr;
        for (const report &r : reports != nullptr ? *reports : std::vector<report>()) {
            const auto checked = check_report(r, known);
            if (const metric *const *m = std::get_if<const metric *>(&checked)) {
                ++taken;
                EXPECT_EQ((*m)->id, r.metric);
                EXPECT_LT(r.level, (*m)->levels.size());
                EXPECT_LE(std::get<std::uint32_t>(r.value), 1u);
                EXPECT_LE(r.epoch, 0xfffffffeu);
            }
        }
    }
    EXPECT_GT(taken, 500);
    EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace sotto::aggregator::test
