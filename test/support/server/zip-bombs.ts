import { crc32, deflateRawSync } from "node:zlib";

/** What is written about a file. */
interface Entry {
  readonly name: string;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  /** Offset of its local header. */
  readonly at: number;
}

function localHeader({ name, crc, packed, size }: Omit<Entry, "at">): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(packed, 18);
  header.writeUInt32LE(size, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name)]);
}

function directoryOf(entries: readonly Entry[], at: number): Buffer {
  const parts = entries.map(({ name, crc, packed, size, at: local }) => {
    const part = Buffer.alloc(46);
    part.writeUInt32LE(0x02014b50, 0);
    part.writeUInt16LE(20, 4);
    part.writeUInt16LE(20, 6);
    part.writeUInt16LE(8, 10);
    part.writeUInt32LE(crc, 16);
    part.writeUInt32LE(packed, 20);
    part.writeUInt32LE(size, 24);
    part.writeUInt16LE(name.length, 28);
    part.writeUInt32LE(local, 42);
    return Buffer.concat([part, Buffer.from(name)]);
  });
  const directory = Buffer.concat(parts);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([directory, end]);
}

/** An ordinary zip of zeros that compress well, one of them for a manifest. @param files how many @param size bytes of each */
export function zipOfZeros(files: number, size: number): Buffer {
  const content = Buffer.alloc(size);
  const data = deflateRawSync(content, { level: 9 });
  const crc = crc32(content);
  const parts: Buffer[] = [];
  let at = 0;
  const entries = Array.from({ length: files }, (_, index): Entry => {
    const entry = { name: index === 0 ? "subgraph.yaml" : `f${index}`, crc, packed: data.length, size, at };
    const header = localHeader(entry);
    parts.push(header, data);
    at += header.length + data.length;
    return entry;
  });
  return Buffer.concat([...parts, directoryOf(entries, at)]);
}

/**
 * A zip after David Fifield's construction: every file begins with a stored block that quotes the header of the next one
 * and goes on with its data, so all files share the compressed bytes of the last one.
 * @param kernel bytes of the last file
 * @param states sizes that headers and directory state instead of the true ones
 */
export function overlappingZip(files: number, kernel: number, states?: number): Buffer {
  const content = Buffer.alloc(kernel);
  const data = deflateRawSync(content, { level: 9 });
  const nameOf = (index: number): string => `f${String(index).padStart(5, "0")}`;
  let whole = content;
  let next = { name: nameOf(files - 1), crc: crc32(content), packed: data.length, size: states ?? kernel };
  const described = [next];
  const parts: Buffer[] = [localHeader(next), data];
  for (let index = files - 2; index >= 0; index--) {
    const quoted = localHeader(next);
    const block = Buffer.alloc(5);
    block.writeUInt16LE(quoted.length, 1);
    block.writeUInt16LE(0xffff - quoted.length, 3);
    whole = Buffer.concat([quoted, whole]);
    const packed = block.length + quoted.length + next.packed;
    next = { name: nameOf(index), crc: crc32(whole), packed, size: states ?? whole.length };
    described.unshift(next);
    parts.unshift(localHeader(next), block);
  }
  const length = 30 + nameOf(0).length + 5;
  const entries = described.map((one, index): Entry => ({ ...one, at: index * length }));
  const body = Buffer.concat(parts);
  return Buffer.concat([body, directoryOf(entries, body.length)]);
}

/** A zip whose directory points several times at one file. */
export function repeatingZip(files: number, size: number): Buffer {
  const content = Buffer.alloc(size);
  const data = deflateRawSync(content, { level: 9 });
  const entry = { name: "f0", crc: crc32(content), packed: data.length, size, at: 0 };
  const body = Buffer.concat([localHeader(entry), data]);
  return Buffer.concat([
    body,
    directoryOf(
      Array.from({ length: files }, () => entry),
      body.length,
    ),
  ]);
}

/** A zip of one file that unpacks to more than both headers state. */
export function understatingZip(stated: number, size: number): Buffer {
  const content = Buffer.alloc(size);
  const data = deflateRawSync(content, { level: 9 });
  const entry = { name: "f0", crc: crc32(content), packed: data.length, size: stated, at: 0 };
  const body = Buffer.concat([localHeader(entry), data]);
  return Buffer.concat([body, directoryOf([entry], body.length)]);
}
