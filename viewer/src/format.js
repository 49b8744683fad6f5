// Numbers as people read them.

/// Three significant digits; powers of ten only where plain digits would be long.
export function number(value, digits = 3) {
  if (!Number.isFinite(value)) {
    return value > 0 ? "\u221e" : value < 0 ? "-\u221e" : "?";
  }
  const size = Math.abs(value);
  if (size === 0) {
    return "0";
  }
  if (size < 1e-3 || size >= 1e5) {
    return power(value, digits);
  }
  return String(Number(value.toPrecision(digits)));
}

const superscripts = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

function power(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const sign = exponent.startsWith("-") ? "\u207b" : "";
  const raised = [...exponent.replace(/[+-]/, "")].map((d) => superscripts[d]).join("");
  const front = Number(mantissa) === 1 ? "" : `${Number(mantissa)}\u00b7`;
  return `${front}10${sign}${raised}`;
}

export function power_of_ten(exponent) {
  return exponent === 0 ? "1" : power(10 ** exponent, 1);
}

export function seconds(value) {
  return `${value.toFixed(3)} s`;
}

/// A step such as 0.001 s as 1 ms.
export function step_words(value) {
  return value < 1 ? `${number(value * 1e3)} ms` : `${number(value)} s`;
}

/// A length in the unit that suits it.
export function length_words(metres) {
  const size = Math.abs(metres);
  if (size === 0 || size >= 1) {
    return `${number(metres, 4)} m`;
  }
  return size >= 0.01 ? `${number(metres * 100)} cm` : `${number(metres * 1e3)} mm`;
}

export function vector(x, y, z, digits = 3) {
  return `${x.toFixed(digits)}, ${y.toFixed(digits)}, ${z.toFixed(digits)}`;
}

export function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}
