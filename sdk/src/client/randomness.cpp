// SPDX-License-Identifier: Apache-2.0
#include "client/randomness.hpp"

#include "client/internal.hpp"
#include "crypto/drbg.hpp"
#include "crypto/wipe.hpp"
#include "entropy/gather.hpp"

namespace sotto::device {
namespace {

static_assert(sizeof(sotto_client::drbg) == crypto::drbg_state_bytes);
constexpr size_t buffer_bytes = sizeof(sotto_client::random);
constexpr size_t block_bytes = 16;

int entropy_for_drbg(void *context, unsigned char *bytes, size_t length_bytes) {
    auto *client = static_cast<sotto_client *>(context);
    client->status = entropy::gather(*client->port.entropy, client->health, bytes, length_bytes);
    return client->status;
}

void empty_buffer(sotto_client &client) {
    crypto::wipe(client.random, buffer_bytes);
    client.random_left = 0;
}

// The generator's answer, or why the port could not feed it. Call it with status cleared.
sotto_status checked(sotto_client &client, sotto_status status) {
    if (status == SOTTO_OK) {
        return status;
    }
    empty_buffer(client);
    return client.status != SOTTO_OK ? client.status : status;
}

sotto_status generate(sotto_client &client, uint8_t *bytes, size_t length_bytes) {
    client.status = SOTTO_OK;
    return checked(client, crypto::drbg_generate(client.drbg, bytes, length_bytes));
}

void take(sotto_client &client, uint8_t *bytes, size_t length_bytes) {
    client.random_left = static_cast<uint8_t>(client.random_left - length_bytes);
    uint8_t *from = client.random + client.random_left;
    for (size_t i = 0; i < length_bytes; ++i) {
        bytes[i] = from[i];
    }
    crypto::wipe(from, length_bytes);
}

} // namespace

sotto_status start_randomness(sotto_client &client) {
    empty_buffer(client);
    const sotto_status status = entropy::start(*client.port.entropy, client.health);
    if (status != SOTTO_OK) {
        return status;
    }
    client.status = SOTTO_OK;
    return checked(client, crypto::drbg_seed(client.drbg, entropy_for_drbg, &client));
}

sotto_status renew_randomness(sotto_client &client, uint32_t epoch) {
    constexpr size_t key_bytes = crypto::key_bytes;
    uint8_t input[key_bytes + 4];
    crypto::stream stream(client.secret, crypto::purpose::restart, client.memory.head->sequence);
    empty_buffer(client);
    client.status = SOTTO_OK;
    sotto_status status = stream.read(input, key_bytes);
    if (status == SOTTO_OK) {
        put_big_endian(input + key_bytes, epoch);
        status = crypto::drbg_reseed(client.drbg, input, sizeof input);
    }
    crypto::wipe(input, sizeof input);
    return checked(client, status);
}

sotto_status prepare(sotto_client &client, size_t length_bytes) {
    if (client.health.is_dead != 0) {
        return SOTTO_ERR_ENTROPY_DEAD;
    }
    const size_t left = client.random_left;
    if (length_bytes <= left || length_bytes > buffer_bytes) {
        return SOTTO_OK;
    }
    const size_t blocks = (length_bytes - left + block_bytes - 1) / block_bytes;
    const size_t room = buffer_bytes - left;
    const size_t more = blocks * block_bytes < room ? blocks * block_bytes : room;
    const sotto_status status = generate(client, client.random + left, more);
    if (status == SOTTO_OK) {
        client.random_left = static_cast<uint8_t>(left + more);
    }
    return status;
}

sotto_status draw(sotto_client &client, uint8_t *bytes, size_t length_bytes) {
    sotto_status status = prepare(client, 0);
    if (status == SOTTO_OK) {
        if (length_bytes <= client.random_left) {
            take(client, bytes, length_bytes);
        } else {
            status = generate(client, bytes, length_bytes);
        }
    }
    if (status != SOTTO_OK) {
        empty_buffer(client);
        crypto::wipe(bytes, length_bytes);
    }
    return status;
}

void wipe_randomness(sotto_client &client) {
    crypto::drbg_wipe(client.drbg);
    empty_buffer(client);
}

} // namespace sotto::device
