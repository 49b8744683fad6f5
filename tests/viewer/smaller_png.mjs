// Chromium packs its pictures fast. Pictures of large even areas become smaller without filters.
import { crc32, deflateSync, inflateSync } from "node:zlib";

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

function chunk(kind, body) {
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  out.write(kind, 4, "latin1");
  body.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
  return out;
}

/// The same picture as RGB, packed slowly.
export function smaller_png(png) {
  const { width, height, channels, pixels } = decode(png);
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      pixels.copy(rows, y * (1 + 3 * width) + 1 + 3 * x, (y * width + x) * channels, (y * width + x) * channels + 3);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}
