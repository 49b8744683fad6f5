#include "stiction/touch/delassus_rows.hpp"

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

constexpr std::size_t width = 4 % lane_width == 0 ? lane_width : 1;
/// Lanes that are summed at a time, in registers.
constexpr std::size_t tile = 4;

/// to[r] = Σ y scaled[r] over the shares, r in [0, lanes · width).
template <std::size_t lanes, class Share>
[[gnu::always_inline]] inline void sum_tile(std::span<const Share> shares, std::size_t row,
                                            std::size_t first, double* to) {
  if constexpr (width == 1) {
    for (std::size_t r = first; r < first + lanes; ++r) {
      double sum = 0.0;
      for (const Share& share : shares) sum = fma(share.y[row], share.scaled[r], sum);
      to[r] = sum;
    }
  } else {
    Lane sums[lanes];
    for (Lane& sum : sums) sum = Lane(0.0);
    for (const Share& share : shares) {
      const Lane y(share.y[row]);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < lanes; ++k) {
        sums[k] = fma(y, Lane::load_unaligned(share.scaled + first + k * width), sums[k]);
      }
    }
    for (std::size_t k = 0; k < lanes; ++k) sums[k].store_unaligned(to + first + k * width);
  }
}

}  // namespace

void DelassusRows::gather(const Model& model, const DelassusKernel<double>& kernel,
                          std::span<const KernelEntry> entries, std::size_t stride) {
  scaled_.assign(index(model.velocity_count()) * stride, 0.0);
  shares_.clear();
  share_ends_.clear();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const KernelEntry& entry = entries[i];
    kernel.visit_shares(static_cast<int>(i),
                        [&](int velocity, const Vector3<double>& y, const Vector3<double>& scaled) {
                          double* all = scaled_.data() + index(velocity) * stride;
                          double* own = all + entry.first;
                          own[0] = scaled.x;
                          if (entry.rows > 1) own[1] = scaled.y;
                          if (entry.rows > 2) own[2] = scaled.z;
                          shares_.push_back({all, {y.x, y.y, y.z}});
                        });
    share_ends_.push_back(shares_.size());
  }
}

void DelassusRows::fill(const Model& model, const DelassusKernel<double>& kernel,
                        std::span<const KernelEntry> entries, std::size_t stride, double* G) {
  gather(model, kernel, entries, stride);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::span<const Share> shares(shares_.data() + begin, share_ends_[i] - begin);
    begin = share_ends_[i];
    for (std::size_t k = 0; k < index(entries[i].rows); ++k) {
      const std::size_t row = index(entries[i].first) + k;
      double* column = G + row * stride;
      // What is computed below the diagonal is replaced by the mirror image of later columns, so
      // that the matrix is exactly symmetric.
      std::size_t first = 0;
      for (; first + tile * width <= row + 1; first += tile * width) {
        sum_tile<tile>(shares, k, first, column);
      }
      for (; first <= row; first += width) sum_tile<1>(shares, k, first, column);
      for (std::size_t c = 0; c < row; ++c) G[c * stride + row] = column[c];
    }
  }
}

}  // namespace stiction
