// Writes PNG images of 8 bits per channel.
import { deflateSync } from "node:zlib";

const table = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
/// Node 18 has no crc32 of its own.
const crc32 = (bytes) => (bytes.reduce((c, b) => table[(c ^ b) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

function chunk(kind, body) {
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  out.write(kind, 4, "latin1");
  body.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
  return out;
}

/// Of red, green and blue of each pixel, row by row from the top.
export function png_of(width, height, pixels) {
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; ++y) {
    pixels.copy(rows, y * (1 + 3 * width) + 1, 3 * width * y, 3 * width * (y + 1));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/// `color(x, y)` gives [red, green, blue]; y runs downwards.
export const painted_png = (width, height, color) =>
  png_of(width, height, Buffer.from(Array.from({ length: width * height }, (_, i) => color(i % width, Math.floor(i / width))).flat()));
