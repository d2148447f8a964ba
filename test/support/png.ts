import { inflateSync } from "node:zlib";

/** The pixels of a PNG with 8 bits per channel and transparency. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** The colour of a pixel, as `#rrggbb`. */
  colorAt(x: number, y: number): string;
}

const channels = 4;

/** Reads a PNG. @throws Error for any other kind of file */
export function readPng(file: Uint8Array): Pixels {
  const bytes = Buffer.from(file);
  if (bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") throw new Error("this is not a PNG");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (bytes.toString("hex", 24, 26) !== "0806") throw new Error("this PNG has other channels");
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const rows = unfiltered(inflateSync(Buffer.concat(parts)), width * channels);
  return {
    width,
    height,
    colorAt: (x, y) => `#${rows.toString("hex", (y * width + x) * channels, (y * width + x) * channels + 3)}`,
  };
}

/** Undoes the filters of rows. @param length bytes of a row without its filter */
function unfiltered(filtered: Buffer, length: number): Buffer {
  const rows = Buffer.alloc((filtered.length / (length + 1)) * length);
  for (let row = 0; row * length < rows.length; row += 1) {
    const filter = filtered[row * (length + 1)];
    for (let at = 0; at < length; at += 1) {
      const place = row * length + at;
      const left = at < channels ? 0 : (rows[place - channels] ?? 0);
      const up = rows[place - length] ?? 0;
      const corner = at < channels ? 0 : (rows[place - length - channels] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter ?? 0] ?? 0;
      rows[place] = (filtered[row * (length + 1) + 1 + at] ?? 0) + predicted;
    }
  }
  return rows;
}

function nearest(left: number, up: number, corner: number): number {
  const wanted = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((one) => Math.abs(wanted - one)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
