#pragma once

/// \file
/// Brings Eigen objects over from DART, which Debian compiles for the baseline instruction set: its
/// memory comes from plain malloc, while with AVX our side's Eigen would free it by a scheme of its
/// own and crash.

#include <cstdlib>
#include <new>
#include <type_traits>

namespace stiction {

/// `call()` returns a dynamically sized Eigen object by value, made inside DART. The result is a
/// copy that our side has allocated; DART's memory is given back the way it was taken.
template <class Call>
auto copy_from_dart(const Call& call) {
  using Object = std::invoke_result_t<Call>;
  alignas(Object) unsigned char place[sizeof(Object)];
  const Object* theirs = new (place) Object(call());
  Object ours = *theirs;
  std::free(const_cast<typename Object::Scalar*>(theirs->data()));  // in place of its destructor
  return ours;
}

}  // namespace stiction
