# SPDX-License-Identifier: Apache-2.0
"""
The SDK's generator, for comparing bytes: the section The SDK's generator of sdk/proto/DRAWS.md. CTR_DRBG over AES-128
(NIST SP 800-90A) with the buffer in front of it, and entropy of a testing port.
"""
import hashlib
from collections.abc import Callable

from streams import labelled

BLOCK, KEY, SEED = 16, 16, 32
BUFFER = 112
REQUESTS = 1000  # from a seed to the next
SAMPLES = 72  # each has 8 bits: 576 together


def _gf_times(a: int, b: int) -> int:
    out = 0
    while b:
        out ^= a if b & 1 else 0
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return out


def _s_box() -> bytes:
    box = bytearray(256)
    for x in range(256):
        inverse = next((y for y in range(256) if _gf_times(x, y) == 1), 0)
        box[x] = 0x63 ^ inverse
        for turn in range(1, 5):
            box[x] ^= (inverse << turn | inverse >> (8 - turn)) & 0xFF
    return bytes(box)


S_BOX = _s_box()
TWICE = bytes(_gf_times(x, 2) for x in range(256))
SHIFTED = [4 * ((i // 4 + i % 4) % 4) + i % 4 for i in range(16)]


class Aes128:
    """FIPS 197, encryption alone."""

    def __init__(self, key: bytes):
        words, round_constant = [key[4 * i:4 * i + 4] for i in range(4)], 1
        for i in range(4, 44):
            word = words[-1]
            if i % 4 == 0:
                word = bytes(S_BOX[b] for b in word[1:] + word[:1])
                word = bytes([word[0] ^ round_constant]) + word[1:]
                round_constant = TWICE[round_constant]
            words.append(bytes(a ^ b for a, b in zip(words[i - 4], word)))
        self.round_keys = [b"".join(words[4 * i:4 * i + 4]) for i in range(11)]

    def encrypt(self, block: bytes) -> bytes:
        state = bytes(a ^ b for a, b in zip(block, self.round_keys[0]))
        for number in range(1, 11):
            state = bytes(S_BOX[state[i]] for i in SHIFTED)
            if number < 10:
                mixed = bytearray()
                for i in range(0, 16, 4):
                    a = state[i:i + 4]
                    every = a[0] ^ a[1] ^ a[2] ^ a[3]
                    mixed += bytes(a[j] ^ every ^ TWICE[a[j] ^ a[(j + 1) % 4]] for j in range(4))
                state = bytes(mixed)
            state = bytes(a ^ b for a, b in zip(state, self.round_keys[number]))
        return state


def derived(data: bytes) -> bytes:
    """Block_Cipher_df of 32 bytes."""
    text = len(data).to_bytes(4, "big") + SEED.to_bytes(4, "big") + data + b"\x80"
    text += bytes(-len(text) % BLOCK)

    def chained(cipher: Aes128, number: int) -> bytes:
        value = bytes(BLOCK)
        whole = number.to_bytes(4, "big") + bytes(12) + text
        for at in range(0, len(whole), BLOCK):
            value = cipher.encrypt(bytes(a ^ b for a, b in zip(value, whole[at:at + BLOCK])))
        return value

    first = Aes128(bytes(range(KEY)))
    key, value = chained(first, 0), chained(first, 1)
    cipher, out = Aes128(key), b""
    while len(out) < SEED:
        value = cipher.encrypt(value)
        out += value
    return out


class CtrDrbg:
    def __init__(self, seed: bytes):
        self.cipher, self.counter = Aes128(bytes(KEY)), 0
        self.update(derived(seed))

    def blocks(self, count: int) -> bytes:
        out = b""
        while len(out) < count:
            self.counter = (self.counter + 1) % 2**128
            out += self.cipher.encrypt(self.counter.to_bytes(BLOCK, "big"))
        return out[:count]

    def update(self, provided: bytes) -> None:
        mixed = bytes(a ^ b for a, b in zip(self.blocks(SEED), provided))
        self.cipher, self.counter = Aes128(mixed[:KEY]), int.from_bytes(mixed[KEY:], "big")

    def reseed(self, entropy: bytes) -> None:
        self.update(derived(entropy))

    def generate(self, count: int) -> bytes:
        out = self.blocks(count)
        self.update(bytes(SEED))
        return out


class SdkGenerator:
    """`samples`: as many bytes of the port's random source as are asked for, a class that needs no test."""

    def __init__(self, samples: Callable[[int], bytes]):
        self.samples, self.buffer = samples, b""
        self.drbg, self.requests = CtrDrbg(self.entropy() + b"sotto device v1"), 0

    def entropy(self) -> bytes:
        label = labelled("sotto entropy v1")
        return b"".join(hashlib.sha256(label + self.samples(SAMPLES)).digest() for _ in range(2))

    def renew(self, additional: bytes) -> None:
        self.buffer = b""
        self.reseed(additional)

    def reseed(self, additional: bytes) -> None:
        self.drbg.reseed(self.entropy() + additional)
        self.requests = 0

    def generate(self, count: int) -> bytes:
        if self.requests == REQUESTS:
            self.reseed(b"")
        self.requests += 1
        return self.drbg.generate(count)

    def prepare(self, count: int) -> None:
        left = len(self.buffer)
        if left < count <= BUFFER:
            blocks = -(-(count - left) // BLOCK)
            self.buffer += self.generate(min(BLOCK * blocks, BUFFER - left))

    def draw(self, count: int) -> bytes:
        left = len(self.buffer) - count
        if left < 0:
            return self.generate(count)
        taken, self.buffer = self.buffer[left:], self.buffer[:left]
        return taken


def testing_samples(seed: bytes, device: int) -> Callable[[int], bytes]:
    """The entropy of ports/testing: SplitMix64, its state from a seed and the number of a device."""
    mask = 2**64 - 1
    state = 1

    def following() -> int:
        nonlocal state
        state = state + 0x9E3779B97F4A7C15 & mask
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return z ^ z >> 31

    for byte in seed:
        state = following() ^ byte
    state = following() ^ device
    state = following()
    return lambda count: bytes(following() >> 56 for _ in range(count))
