// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/command_line.hpp"

#include "aggregator/program/command_declaration.hpp"
#include "aggregator/program/command_mistake.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/number_option.hpp"
#include "aggregator/serve/waiting_files.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace sotto::aggregator {
namespace {

void add_keygen(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "keygen",
        "Make a key pair: ID.pub is for [[key]] in metrics.toml, ID.key for --key", keygen);
    sub->add_option("--out", options->out, "Directory; created when it is not there")
        ->type_name("DIR")
        ->check(not_empty)
        ->required();
    sub->add_flag("--requests", options->requests,
                  "A pair that signs instead: ID.pub is for [requests] in metrics.toml, ID.key for "
                  "request-relax");
}

void add_request_relax(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "request-relax",
        "Sign a request to a fleet: publish measurements again, at a higher level", request_relax);
    add_registry(sub, options->registry);
    sub->add_option("--key", options->key, "Private key of sotto keygen --requests")
        ->type_name("PRIVATE")
        ->required();
    sub->add_option("--metric", options->metric, "The metric")->type_name("NAME")->required();
    add_number(sub, "--level", options->level, "Its level from then on, at most its request_level")
        ->type_name("L")
        ->required();
    sub->add_option("--epochs", options->epochs, "Measurements of epochs A to B")
        ->type_name("A-B")
        ->required();
    add_number(sub, "--serial", options->serial,
               "Higher than that of every request before: devices obey none twice")
        ->type_name("N")
        ->required();
    sub->add_option("--select", options->select,
                    "Only where the last published value is one of these; such reports are flagged")
        ->type_name("NAME[,NAME...]")
        ->check(not_empty);
    sub->add_option("--out", options->out, "Request file, for any transport to the devices")
        ->type_name("FILE")
        ->check(not_empty)
        ->required();
}

void add_simulate(CLI::App &program, action &chosen) {
    const auto [sub, options] =
        add_command(program, chosen, "simulate",
                    "Run the SDK once for each row of a table and write its reports", simulate);
    add_registry(sub, options->registry);
    sub->add_option("--input", options->input,
                    "A row is a device, or what one met in one epoch; the first line names columns")
        ->type_name("ROWS.csv")
        ->required();
    sub->add_option("--map", options->mapping.map, "The column that a metric measures")
        ->type_name("METRIC=COLUMN[,METRIC=COLUMN...]")
        ->allow_extra_args(false)
        ->required();
    sub->add_option(
           "--true", options->mapping.true_texts,
           "Texts that are true; all others are false. Without --true and --false: true/false, "
           "yes/no, 1/0")
        ->type_name("METRIC=TEXT[|TEXT...]")
        ->allow_extra_args(false);
    sub->add_option("--false", options->mapping.false_texts,
                    "Texts that are false; all others are true")
        ->type_name("METRIC=TEXT[|TEXT...]")
        ->allow_extra_args(false);
    sub->add_option("--scale", options->mapping.scales,
                    "Decimals: a cell times N, rounded, is the metric's whole number")
        ->type_name("METRIC=N")
        ->allow_extra_args(false);
    sub->add_option("--device", options->device,
                    "A row is of the device that this column names; --map METRIC=COLUMN is a value "
                    "or amount, and METRIC counts a counter's rows")
        ->type_name("COLUMN")
        ->check(not_empty);
    sub->add_option("--epoch-column", options->epoch_column,
                    "In this column's epoch, a number or a date; each device lives through all")
        ->type_name("COLUMN")
        ->check(not_empty);
    add_number(sub, "--epoch", options->epoch, "Reporting period; 0 unless said")->type_name("E");
    add_number(sub, "--levels", options->levels,
               "Publish levels 0 to N of each release, as far as its metric has them, those "
               "above the ladder included")
        ->type_name("N");
    add_number(sub, "--repeat", options->repeat, "A row is N devices; 1 unless said")
        ->type_name("N");
    sub->add_option("--relaxed", options->relaxed,
                    "Publish this share of the releases, where there is a second level, at it too")
        ->type_name("P")
        ->check(not_empty);
    sub->add_option("--malformed", options->malformed,
                    "Spoil this share of the reports, in every way that ingest tells apart in turn")
        ->type_name("P")
        ->check(not_empty);
    sub->add_option("--duplicated", options->duplicated,
                    "Write this share of the sound reports again, further on in the file")
        ->type_name("P")
        ->check(not_empty);
    sub->add_option("--request", options->request,
                    "A request of sotto request-relax, which every device obeys in the end")
        ->type_name("FILE")
        ->check(not_empty);
    sub->add_option("--request-key", options->request_key, "Public key that devices hold it to")
        ->type_name("PUB")
        ->check(not_empty);
    sub->add_option("--key", options->key, "Public key that every batch is sealed for")
        ->type_name("PUB")
        ->check(not_empty);
    sub->add_option("--seed", options->seed,
                    "Predictable noise, for tests: the output is NOT private")
        ->type_name("HEX")
        ->check(not_empty);
    sub->add_option("--out", options->out, "Report file")->type_name("FILE")->required();
}

void add_ingest(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "ingest", "Check report files and add them to a store", ingest_files);
    add_registry(sub, options->registry);
    sub->add_option("--store", options->store, "Directory; created when it is not there")
        ->type_name("DIR")
        ->required();
    sub->add_option("--ledger", options->ledger,
                    "For a new store that several machines will share: PostgreSQL, as "
                    "postgresql://USER@HOST/DATABASE or service=NAME; kept in the store")
        ->type_name("WHERE")
        ->check(not_empty);
    add_private_key(sub, options->key);
    sub->add_flag("--strict", options->strict,
                  "Exit with 1 when anything but duplicates was rejected");
    sub->add_option("files", options->files, "Report files")->type_name("FILE")->required();
}

void add_inspect(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "inspect", "Print a JSON line for every report of a file", inspect);
    sub->add_option("--registry", options->registry,
                    "It says how wide values are, and which reports are sound")
        ->type_name("M.json")
        ->required()
        ->check(not_empty);
    add_private_key(sub, options->key);
    sub->add_option("file", options->file, "Report file")->type_name("FILE")->required();
}

void add_tighten(CLI::App &program, action &chosen) {
    const auto [sub, options] =
        add_command(program, chosen, "tighten",
                    "Make more private reports of released ones, without the data: for a partner "
                    "who is to know less",
                    tighten);
    add_registry(sub, options->registry);
    sub->add_option("--metric", options->metric, "The metric; reports of others are left out")
        ->type_name("NAME")
        ->required();
    add_number(sub, "--level", options->level, "The highest level of a report in FILE")
        ->type_name("L")
        ->required();
    add_private_key(sub, options->key);
    sub->add_option("--noise-key", options->noise_key,
                    "The key of the noise, made where there is none; without it "
                    "M.json.tighten-key, beside the registry")
        ->type_name("FILE")
        ->check(not_empty);
    sub->add_option("--seed", options->seed,
                    "Predictable noise, for tests: the output is NOT private")
        ->type_name("HEX")
        ->check(not_empty);
    sub->add_option("--out", options->out, "Report file, in the clear")
        ->type_name("FILE")
        ->check(not_empty)
        ->required();
    sub->add_option("files", options->files, "Report files")->type_name("FILE")->required();
}

void add_estimate(CLI::App &program, action &chosen) {
    const auto [sub, options] =
        add_command(program, chosen, "estimate", "Estimate the truth from the reports of a store",
                    print_estimate);
    add_registry(sub, options->registry);
    sub->add_option("--store", options->store, "Directory that sotto ingest filled")
        ->type_name("DIR")
        ->required();
    sub->add_option("--metric", options->request.metric, "Only this metric")
        ->type_name("NAME")
        ->check(not_empty);
    add_number(sub, "--epoch", options->request.what.epoch, "Only this epoch")->type_name("E");
    add_number(sub, "--level", options->request.what.level,
               "Only what was published at this level, relaxed later or not; otherwise the "
               "highest level of each release, all in one row")
        ->type_name("L");
    sub->add_option("--candidates", options->candidates,
                    "The strings to count, or categories of more than 10,000: one a line, UTF-8, "
                    "none empty; without it strings are left out")
        ->type_name("FILE")
        ->check(not_empty);
    sub->add_option("--discover", options->discover,
                    "Find frequent strings without candidates: each metric was given the first "
                    "max_bytes bytes of the same string, ever more of them")
        ->type_name("METRIC,METRIC...")
        ->check(not_empty);
    for (char c = ' '; c <= '~'; ++c) {
        options->request.alphabet += c;
    }
    sub->add_option("--alphabet", options->request.alphabet,
                    "Characters of the strings to discover; printable ASCII unless said")
        ->type_name("CHARACTERS")
        ->needs("--discover")
        ->check(not_empty);
    sub->add_option(
           "--correction", options->correction,
           "How strings are called detected, at 5 %: bh, of what is called so at most that "
           "share is not there, or bonferroni, most probably nothing")
        ->type_name("HOW")
        ->check(CLI::IsMember({"bh", "bonferroni"}));
    sub->add_flag("--all-epochs", options->request.all_epochs,
                  "All epochs in one; strings and one-hot RAPPOR allow for devices that say the "
                  "same in each");
    add_number(sub, "--window", options->request.window,
               "Counters: the sums of the last N epochs as well", 1)
        ->type_name("N");
    add_number(sub, "--decay", options->request.decay,
               "Counters: sums in which an event is worth this share of it an epoch later", 1e-6,
               1 - 1e-9)
        ->type_name("R");
    sub->add_flag("--smoothed", options->request.smoothed,
                  "Counters: each sum also by what later epochs tell of it");
    sub->add_option("--range", options->ranges,
                    "Histograms: the points in bins LOW to HIGH, both included, instead of each "
                    "bin; may be given several times")
        ->type_name("LOW:HIGH")
        ->allow_extra_args(false);
    sub->add_option("--box", options->boxes,
                    "Locations: the points in a box of cells, all four included, instead of each "
                    "square; may be given several times")
        ->type_name("X0:X1,Y0:Y1")
        ->allow_extra_args(false);
    add_number(sub, "--coalition", options->request.decode.coalition,
               "Say how far so many dishonest reports can have moved each estimate; nothing "
               "shows how many a device sent")
        ->type_name("REPORTS");
    add_format(sub, options->format, &output_format::estimates,
               ": a page that needs nothing else"); // about html, the last format
    sub->add_option("--out", options->out, "Write here instead of to standard output")
        ->type_name("FILE")
        ->check(not_empty);
}

void add_log_format(CLI::App *sub, std::string &style) {
    sub->add_option("--log-format", style, "Messages as text, or as json: an object a line")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"text", "json"}));
}

void add_watch(CLI::App &program, action &chosen) {
    const auto [sub, options] =
        add_command(program, chosen, "watch",
                    "Ingest what comes into a directory, and keep an HTML page up to date", watch);
    add_registry(sub, options->estimate.registry);
    sub->add_option("--store", options->estimate.store,
                    "Directory; created with the first report that comes")
        ->type_name("DIR")
        ->required();
    add_private_key(sub, options->key);
    sub->add_option("--in", options->in,
                    "Where report files come to; they are moved to its subdirectory ingested, or "
                    "to refused where nothing in them is readable, or another key, registry or "
                    "sotto might read more")
        ->type_name("DIR")
        ->required();
    sub->add_option("--candidates", options->estimate.candidates, "As of sotto estimate")
        ->type_name("FILE")
        ->check(not_empty);
    add_number(sub, "--interval", options->interval_seconds,
               "Between two looks, 1 to 86400; 10 unless said", 1, 86400)
        ->type_name("SECONDS");
    sub->add_option("--out", options->estimate.out, "The page")
        ->type_name("FILE")
        ->check(not_empty)
        ->required();
    add_log_format(sub, options->log_style);
    options->estimate.format = "html";
    options->estimate.always_write = true; // from the beginning, without reports
}

void add_serve(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "serve",
        "Take report files by HTTP: POST /reports, into the directory that sotto watch looks into",
        serve);
    sub->add_option("--in", options->in,
                    "Where to put what comes, as report files for sotto watch or sotto ingest; in "
                    "no store, created when it is not there")
        ->type_name("DIR")
        ->check(not_empty)
        ->required();
    sub->add_option("--address", options->address, "To listen at; 127.0.0.1 unless said")
        ->type_name("IP");
    add_number(sub, "--port", options->port, "0 to 65535; 8450 unless said, 0: any that is free")
        ->type_name("N");
    add_number(sub, "--max-body", options->body_bytes,
               "Bytes of one request, 1 to 1073741824; 4194304 unless said", 1, 1 << 30)
        ->type_name("BYTES");
    add_number(sub, "--max-waiting", options->waiting_bytes,
               "In the directory, 4096 at least a file; then clients are told to come again "
               "later. 1 GiB unless said",
               waiting_files::file_bytes_min)
        ->type_name("BYTES");
    add_number(sub, "--max-per-address", options->connections_of_one,
               "Connections of one client's address at a time, 1 to 64; 16 unless said", 1, 64)
        ->type_name("N");
    sub->add_option("--proxy", options->proxies,
                    "The address of a proxy, for which --max-per-address does not hold")
        ->type_name("IP")
        ->allow_extra_args(false);
    add_number(sub, "--status-port", options->status_port,
               "Answer GET /health and GET /metrics at this port of 127.0.0.1; 0: any that is free")
        ->type_name("N");
    sub->add_option("--log", options->log,
                    "Append messages to this file, opened anew on SIGHUP; standard error "
                    "unless said")
        ->type_name("FILE")
        ->check(not_empty);
    add_log_format(sub, options->log_style);
}

void add_joint(CLI::App &program, action &chosen) {
    const auto [sub, options] =
        add_command(program, chosen, "joint",
                    "Estimate how often two values go together, from the report files: a store "
                    "does not keep which reports came from one device",
                    print_joint);
    add_registry(sub, options->registry);
    sub->add_option("--metrics", options->metrics, "Booleans, categories or strings")
        ->type_name("A,B")
        ->required();
    sub->add_option("--candidates", options->candidates,
                    "The strings, or categories of more than 10,000, to tell apart; all others are "
                    "one")
        ->type_name("METRIC=FILE")
        ->allow_extra_args(false);
    add_private_key(sub, options->key);
    add_number(sub, "--epoch", options->epoch, "Only this epoch; needed where there are several")
        ->type_name("E");
    add_format(sub, options->format, &output_format::joint);
    sub->add_option("--out", options->out, "Write here instead of to standard output")
        ->type_name("FILE")
        ->check(not_empty);
    sub->add_option("files", options->files, "Report files")->type_name("FILE")->required();
}

void add_epsilon(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "epsilon",
        "Say the promise, to whom it is made, and its price in accuracy", print_epsilon);
    add_registry(sub, options->registry);
    add_number(sub, "--horizon", options->horizon,
               "One table instead: all that a device can publish of 1 epoch, a window, 365 epochs "
               "and N",
               1, horizon_epochs_max)
        ->type_name("N");
    add_number(sub, "--shuffled", options->shuffled,
               "One table instead: a report behind a relay that mixes those of N devices; never "
               "charged",
               2, shuffled_devices_max)
        ->type_name("N")
        ->excludes("--horizon");
    add_format(sub, options->format, &output_format::epsilon);
}

void add_plan_details(CLI::App *sub, plan_request &r) {
    sub->add_option("--name", r.name, "Name of the metric")->type_name("NAME");
    add_number(sub, "--size", r.size, "Categories; or how many strings are to be told apart")
        ->type_name("N");
    add_number(sub, "--members", r.members, "Members that a set may have")->type_name("N");
    add_number(sub, "--max-members", r.max_members, "Members that one set may have")
        ->type_name("N");
    add_number(sub, "--min", r.min, "Least number that is measured")->type_name("X");
    add_number(sub, "--max", r.max, "Largest")->type_name("X");
    add_number(sub, "--length", r.length, "Numbers in a vector")->type_name("N");
    add_number(sub, "--l1-sensitivity", r.l1_sensitivity,
               "Most that two vectors differ by, in L1; enforced on the device")
        ->type_name("N");
    add_number(sub, "--event", r.event, "Units that one event of a counter has at most; 1")
        ->type_name("N");
    add_number(sub, "--window", r.window, "The last epochs that sums of a counter are wanted of")
        ->type_name("N");
    add_number(sub, "--prefix", r.prefix, "Instead: of all epochs so far, up to this many")
        ->type_name("N");
    add_number(sub, "--decay", r.decay, "Instead: of all, each worth this much of the next")
        ->type_name("R");
    add_number(sub, "--bins", r.bins, "Bins of a histogram or quantile")->type_name("N");
    add_number(sub, "--delta", r.delta,
               "Bins or cells that a point of a histogram or location moves at most; of a "
               "quantile, or of points that a vector has in order: numbers")
        ->type_name("N");
    add_number(sub, "--cells", r.cells, "Cells of each number of a location")->type_name("N");
    add_number(sub, "--points", r.points, "Points of a gateway, of a quantile or location")
        ->type_name("N");
    add_number(sub, "--range", r.range,
               "Bins of a histogram that are asked for at once, else all ranges; of a location, "
               "cells of a box's side")
        ->type_name("N");
    add_number(sub, "--bits", r.bits, "Bits of a string's report; chosen unless said")
        ->type_name("N");
    add_number(sub, "--hashes", r.hashes, "Bits that a string sets; chosen unless said")
        ->type_name("N");
    add_number(sub, "--cohorts", r.cohorts, "Cohorts of strings; chosen unless said")
        ->type_name("N");
}

void add_plan(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "plan",
        "Choose a mechanism: what it costs and what it shows, beside the others", print_plan);
    plan_request &r = options->request;
    sub->add_option("--type", r.type,
                    "boolean, category, set, string, integer, vector, mean, counter, distribution, "
                    "histogram, location or quantile")
        ->type_name("TYPE")
        ->required();
    add_number(sub, "--devices", r.devices, "Devices that report")->type_name("N")->required();
    add_number(sub, "--epsilon", r.epsilon, "At most this a release")->type_name("CAP");
    add_number(sub, "--epsilon-per-day", r.epsilon_per_day, "At most this a device and day")
        ->type_name("CAP");
    add_number(
        sub, "--epsilon-lifetime", r.epsilon_lifetime,
        "At most this for one value of RAPPOR, however often it is reported; 4 times --epsilon "
        "unless said")
        ->type_name("CAP");
    add_number(sub, "--reports-per-day", r.reports_per_day,
               "Reports of a device a day; 1 unless said")
        ->type_name("R");
    add_number(sub, "--accuracy", r.accuracy,
               "Wanted: half a 95 % interval, as a share (0.01); of a mean, of its range; of a "
               "counter, in events of a device")
        ->type_name("SHARE");
    add_number(sub, "--floor", r.floor,
               "Wanted: the smallest share (below 1) or count that is found with 90 % "
               "probability")
        ->type_name("SHARE-OR-COUNT");
    add_plan_details(sub, r);
    add_format(sub, options->format, &output_format::plan);
}

} // namespace

void declare_commands(CLI::App &program, std::function<exit_code()> &chosen) {
    program.name("sotto");
    program.description("Local differential privacy: counts what noised reports say.");
    program.set_version_flag("--version", "sotto " SOTTO_VERSION);
    program.require_subcommand(1);
    add_simulate(program, chosen);
    add_ingest(program, chosen);
    add_inspect(program, chosen);
    add_tighten(program, chosen);
    add_estimate(program, chosen);
    add_watch(program, chosen);
    add_serve(program, chosen);
    add_joint(program, chosen);
    declare_store_commands(program, chosen);
    add_epsilon(program, chosen);
    declare_datasheet(program, chosen);
    add_plan(program, chosen);
    declare_schedule(program, chosen);
    add_keygen(program, chosen);
    add_request_relax(program, chosen);
}

namespace {

// Usage, and a line for each command: its description as far as the first colon or semicolon.
std::string overview(const CLI::App &program) {
    std::string text = fmt::format("{}\nUsage: sotto COMMAND [OPTION...] [FILE...]\n\nCommands:\n",
                                   program.get_description());
    for (const CLI::App *command : program.get_subcommands([](const CLI::App *) { return true; })) {
        const std::string about = command->get_description();
        text += fmt::format("  {:14} {}\n", command->get_name(),
                            about.substr(0, about.find_first_of(":;")));
    }
    return text + "\nsotto COMMAND --help lists its options, man sotto-COMMAND explains them; "
                  "sotto --version\nsays which version this is.\n";
}

bool has_command(const CLI::App &program, const std::string &name) {
    const auto is_it = [&](const CLI::App *command) { return command->get_name() == name; };
    return !program.get_subcommands(is_it).empty();
}

// "help COMMAND" as "COMMAND --help".
std::vector<std::string> arguments_of(const CLI::App &program, int argc, char **argv) {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (arguments.empty() || arguments.front() != "help") {
        return arguments;
    }
    arguments.front() = "--help";
    if (arguments.size() > 1) {
        if (!has_command(program, arguments[1])) {
            fail_command(program, arguments[1]);
        }
        std::swap(arguments[0], arguments[1]);
    }
    return arguments;
}

} // namespace

action parse_command_line(int argc, char **argv) {
    CLI::App program;
    action chosen = [] { return exit_code::done; };
    declare_commands(program, chosen);
    program.formatter_fn([](const CLI::App *app, const std::string &, CLI::AppFormatMode) {
        return overview(*app);
    });
    std::vector<std::string> arguments = arguments_of(program, argc, argv);
    if (arguments.empty()) {
        (void)std::fputs(overview(program).c_str(), stderr);
        return [] { return exit_code::usage; };
    }
    std::reverse(arguments.begin(), arguments.end()); // as CLI11 takes them
    try {
        program.parse(std::move(arguments));
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() != 0) {
            fail_parse(program, error);
        }
        (void)program.exit(error); // prints the help or the version
    }
    return chosen;
}

} // namespace sotto::aggregator
