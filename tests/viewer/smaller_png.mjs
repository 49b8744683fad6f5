// Chromium packs its pictures fast. Pictures of large even areas become smaller without filters.
import { inflateSync } from "node:zlib";
import { png_of } from "./png.mjs";

/// The rows of a PNG with 8 bits per channel, RGB or RGBA: { width, height, channels, pixels }.
function decode(png) {
  const parts = [];
  let head;
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const kind = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (kind === "IHDR") head = body;
    if (kind === "IDAT") parts.push(body);
  }
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const channels = head[9] === 6 ? 4 : 3;
  const row = width * channels;
  const raw = inflateSync(Buffer.concat(parts));
  const pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (row + 1)];
    for (let i = 0; i < row; ++i) {
      const left = i < channels ? 0 : pixels[y * row + i - channels];
      const above = y === 0 ? 0 : pixels[(y - 1) * row + i];
      const corner = y === 0 || i < channels ? 0 : pixels[(y - 1) * row + i - channels];
      const guess = [0, left, above, (left + above) >> 1, nearest(left, above, corner)][filter];
      pixels[y * row + i] = raw[y * (row + 1) + 1 + i] + guess;
    }
  }
  return { width, height, channels, pixels };
}

/// The predictor of Paeth (PNG specification, 9.4).
function nearest(left, above, corner) {
  const guess = left + above - corner;
  const away = [left, above, corner].map((x) => Math.abs(guess - x));
  if (away[0] <= away[1] && away[0] <= away[2]) return left;
  return away[1] <= away[2] ? above : corner;
}

/// The same picture as RGB, packed slowly.
export function smaller_png(png) {
  const { width, height, channels, pixels } = decode(png);
  const colors = Buffer.alloc(3 * width * height);
  for (let i = 0; i < width * height; ++i) {
    pixels.copy(colors, 3 * i, channels * i, channels * i + 3);
  }
  return png_of(width, height, colors);
}
