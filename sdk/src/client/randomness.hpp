// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_RANDOMNESS_HPP
#define SOTTO_CLIENT_RANDOMNESS_HPP

#include "sotto/sotto.h"

// The client's generator, and what it is seeded from. Errors everywhere: ENTROPY_..., CRYPTO.
namespace sotto::device {

// Puts the port's source to the start-up test and seeds the generator. Error: ARGUMENT too, when
// the source says of itself what can't be.
sotto_status start_randomness(sotto_client &client);

// Mixes in fresh entropy and what tells this start of the device from its others: the secret, how
// often it stored, and the epoch. A source that begins again where it began before then does not
// repeat its noise. Nothing drawn before is handed out after it.
sotto_status renew_randomness(sotto_client &client, uint32_t epoch);

// Generates in one request what the next draws will ask for together, if the buffer holds it. Each
// request has a price of its own, some 4,000 instructions on Cortex-M0.
sotto_status prepare(sotto_client &client, size_t length_bytes);

// From the buffer if that has as many bytes, which are wiped there as they go. A later reader of
// the memory learns nothing of them. The lengths alone decide when bytes are generated. On failure
// the bytes are zeroed.
sotto_status draw(sotto_client &client, uint8_t *bytes, size_t length_bytes);

void wipe_randomness(sotto_client &client);

} // namespace sotto::device
#endif
