// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_NEW_FILE_HPP
#define SOTTO_AGGREGATOR_BASE_NEW_FILE_HPP

#include <filesystem>
#include <string_view>
#include <sys/types.h>

namespace sotto::aggregator {

// Writes a file that must not exist yet, durably, with exactly these permissions whatever the
// umask. Errors: environment_error, naming the file; nothing is left of it then.
void write_new_file(const std::filesystem::path &path, std::string_view bytes, mode_t mode);

} // namespace sotto::aggregator
#endif
