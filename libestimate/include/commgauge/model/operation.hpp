#pragma once

#include <string_view>

namespace commgauge {

/// What a time is of: a message, or a collective of blocks of one size.
enum class Operation { p2p, scatter, gather, bcast };
[[nodiscard]] std::string_view to_text(Operation operation);
/// @throws InputError  unknown word; says which there are.
[[nodiscard]] Operation parse_operation(std::string_view text);

/// flat: the root deals with each of the others itself. binomial: MPICH's tree, in which a message
/// of a scatter or gather holds the blocks of a whole subtree.
enum class Algorithm { flat, binomial };
[[nodiscard]] std::string_view to_text(Algorithm algorithm);
/// @throws InputError  unknown word; says which there are.
[[nodiscard]] Algorithm parse_algorithm(std::string_view text);

}  // namespace commgauge
