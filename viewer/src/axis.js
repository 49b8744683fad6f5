// Scales of plots.
import { number, power_of_ten } from "./format.js";

/// Round numbers that cover low to high, about `count` of them.
export function linear_ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999) ?? raw;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    ticks.push({ value: k * step, label: number(k * step) });
  }
  return ticks;
}

/// Powers of ten between two logarithms, at most about `count`.
export function log_ticks(low, high, count) {
  const step = Math.max(1, Math.ceil((high - low) / Math.max(count, 1)));
  const ticks = [];
  for (let k = Math.ceil(low / step) * step; k <= high; k += step) {
    ticks.push({ value: k, label: power_of_ten(k) });
  }
  return ticks;
}

/// What is smaller counts as this on a logarithmic scale: the certificate can be exactly 0.
const smallest = 1e-17;

export const to_log = (value) => Math.log10(Math.max(value, smallest));

/// Lowest and highest of the series, on the axis; widened so that lines do not lie on the border.
export function value_range(series, log, include) {
  let low = Infinity;
  let high = -Infinity;
  const see = (value) => {
    const v = log ? to_log(value) : value;
    if (Number.isFinite(v)) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  };
  for (const { values, count } of series) {
    for (let k = 0; k < count; ++k) {
      see(values[k]);
    }
  }
  include.forEach(see);
  if (low > high) {
    return log ? [-12, 0] : [0, 1];
  }
  if (high - low < (log ? 2 : 1e-12 + 1e-9 * Math.abs(high))) {
    const more = log ? 1 : Math.max(0.5, 0.1 * Math.abs(high));
    return [low - more, high + more];
  }
  const edge = 0.06 * (high - low);
  return [low - edge, high + edge];
}
