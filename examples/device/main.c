/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One device; each run is the time from power-on to power-off. Its storage is files of the
 * host that begin with STATE.
 *   device STATE ENTROPY EPOCH report DAMAGE HOURS OUT [cut=N]
 *   device STATE ENTROPY EPOCH request FILE OUT [cut=N]
 *   device STATE ENTROPY EPOCH flush OUT
 *   device STATE ENTROPY EPOCH resend OUT
 *   device STATE ENTROPY EPOCH list [cut=N]
 *
 * With cut=N the power goes after N steps of storing. Exit: 0 done, 1 refused, 2 bad usage, 9 power
 * gone.
 */
#include "board.h"
#include "metrics.h"
#include "semihosting.h"
#include "storage.h"

#include <sotto/sotto.h>

enum { EXIT_REFUSED = 1, EXIT_USAGE = 2 };

static aircraft_client device; /* all the memory that Sotto uses */
static sotto_client *const client = &device.client;
static uint8_t buffer[2 * AIRCRAFT_FLUSH_BYTES_MIN > SOTTO_REQUEST_BYTES_MAX
                          ? 2 * AIRCRAFT_FLUSH_BYTES_MIN
                          : SOTTO_REQUEST_BYTES_MAX];

static void say(const char *what, const char *more) {
    host_print(what);
    host_print(": ");
    host_print(more);
    host_print("\n");
}

static void say_number(const char *what, uint32_t number) {
    host_print(what);
    host_print(" ");
    host_print_number(number);
}

/* Did it work? Says what happened in any case. */
static bool done(const char *what, sotto_status status) {
    say(what, sotto_status_text(status));
    return status >= SOTTO_OK;
}

static bool number(const char *text, uint32_t *value) {
    *value = 0;
    int digits = 0;
    for (; *text >= '0' && *text <= '9' && digits < 9; ++text, ++digits) {
        *value = *value * 10 + (uint32_t)(*text - '0');
    }
    return *text == '\0' && digits > 0;
}

static bool is_word(const char *text, const char *word) {
    while (*word != '\0' && *text == *word) {
        ++text, ++word;
    }
    return *text == *word;
}

static int give_out(const char *path, size_t length) {
    const int file = host_open(path, HOST_WRITE);
    if (file < 0 || !host_write(file, buffer, length) || !host_close(file)) {
        say(path, "can't be written");
        return EXIT_REFUSED;
    }
    return 0;
}

static int flush(const char *path) {
    size_t length;
    if (!done("flush", sotto_flush(client, buffer, sizeof buffer, &length))) {
        return EXIT_REFUSED;
    }
    return length == 0 ? 0 : give_out(path, length);
}

static int report(const char *damage, const char *hours, const char *path) {
    uint32_t flown;
    if (!number(hours, &flown)) {
        return EXIT_USAGE;
    }
    const sotto_status status = sotto_report_boolean(client, AIRCRAFT_DAMAGE, is_word(damage, "1"));
    if (!done("damage", status)) {
        sotto_account account;
        if (status == SOTTO_ERR_BUDGET &&
            !SOTTO_FAILED(sotto_get_account(client, AIRCRAFT_DAMAGE, &account))) {
            say_number("damage can be reported again in epoch", account.free_epoch);
            host_print("\n");
        }
        return EXIT_REFUSED;
    }
    if (!done("hours", sotto_report_integer(client, AIRCRAFT_HOURS, (int32_t)flown))) {
        return EXIT_REFUSED;
    }
    return flush(path);
}

/* A device with a screen would ask its user here. */
static bool consent(void *context, const sotto_request_info *info) {
    (void)context;
    say_number("asked to relax metric", info->metric_id);
    say_number(" to level", info->level);
    say_number(" in epochs", info->first_epoch);
    say_number(" to", info->last_epoch);
    host_print(info->is_selective ? ", if it said so\n" : "\n");
    return true;
}

static int request(const char *from, const char *path) {
    const int file = host_open(from, HOST_READ);
    const int32_t length = file < 0 ? -1 : host_read(file, buffer, sizeof buffer);
    if (length < 0) {
        say(from, "can't be read");
        return EXIT_USAGE;
    }
    sotto_request_result result;
    if (!done("request", sotto_request(client, buffer, (size_t)length, consent, NULL, &result))) {
        return EXIT_REFUSED;
    }
    say_number("relaxed", result.relaxed);
    say_number(", over budget", result.over_budget);
    say_number(", not selected", result.not_selected);
    host_print("\n");
    return flush(path);
}

static int resend(const char *path) {
    size_t length;
    if (!done("resend", sotto_resend(client, buffer, sizeof buffer, &length))) {
        return EXIT_REFUSED;
    }
    return give_out(path, length);
}

/* A device with a screen would show its user exactly this. */
static void show(void *context, const sotto_sent_report *report) {
    (void)context;
    say_number("sent: metric", report->metric_id);
    say_number(" of epoch", report->epoch);
    say_number(" at level", report->level);
    say_number(report->words[0] >> 31 != 0 ? ": minus" : ":",
               report->words[0] >> 31 != 0 ? 0 - report->words[0] : report->words[0]);
    host_print("\n");
}

static int list(void) {
    sotto_account account;
    if (SOTTO_FAILED(sotto_get_account(client, AIRCRAFT_DAMAGE, &account))) {
        return EXIT_REFUSED;
    }
    say_number("damage measured", account.measured);
    say_number(" times, spent", account.spent);
    say_number(" of", account.budget);
    host_print(" (2^-20 epsilon) in this window\n");
    sotto_release_info release;
    for (size_t i = 0; !SOTTO_FAILED(sotto_get_release(client, i, &release)); ++i) {
        say_number("kept: metric", release.metric_id);
        say_number(" of epoch", release.epoch);
        say_number(" at level", release.level);
        host_print("\n");
    }
    SOTTO_IGNORE(sotto_inspect_batch(client, show, NULL));
    return 0;
}

static int usage(void) {
    say("usage", "device STATE ENTROPY EPOCH report DAMAGE HOURS OUT | request FILE OUT | "
                 "flush OUT | resend OUT | list, and [cut=N]");
    return EXIT_USAGE;
}

int main(void) {
    char line[256];
    char *argument[8] = {0};
    uint32_t epoch, cut;
    int count = host_arguments(line, sizeof line, argument, 8);
    if (count > 4 && argument[count - 1][0] == 'c' && argument[count - 1][3] == '=') {
        if (!number(argument[--count] + 4, &cut)) {
            return usage();
        }
        storage_cut_after(cut);
    }
    if (count < 4 || !number(argument[2], &epoch) || !storage_begin(argument[0])) {
        return usage();
    }
    const sotto_entropy *entropy = board_entropy(argument[1]);
    if (entropy == NULL) {
        say(argument[1], "this board needs a readable file of random bytes");
        return EXIT_USAGE;
    }
    host_print(board_text);
    host_print("\n");
    const sotto_port port = {.load = storage_load, .store = storage_store, .entropy = entropy};
    if (!done("power on", aircraft_init(&device, &port)) ||
        !done("epoch", sotto_advance(client, epoch))) {
        return EXIT_REFUSED;
    }
    const char *command = argument[3];
    if (is_word(command, "report") && count == 7) {
        return report(argument[4], argument[5], argument[6]);
    }
    if (is_word(command, "request") && count == 6) {
        return request(argument[4], argument[5]);
    }
    if (is_word(command, "flush") && count == 5) {
        return flush(argument[4]);
    }
    if (is_word(command, "resend") && count == 5) {
        return resend(argument[4]);
    }
    return is_word(command, "list") && count == 4 ? list() : usage();
}
