import { createHash } from "node:crypto";

/** How a file is split into blocks. The same layout gives the same CID. */
export interface FileLayout {
  /** Largest leaf, in bytes of the file. */
  readonly chunkSize: number;
  /** Most children of an inner node. */
  readonly links: number;
  /** Whether leaves are raw blocks, without a UnixFS frame. */
  readonly rawLeaves: boolean;
  /**
   * CID version of the links to inner nodes and framed leaves; links to raw leaves are always of version 1.
   */
  readonly version: 0 | 1;
}

/** The layout of `ipfs add` without options, and of `graph deploy`. */
export const defaultLayout: FileLayout = { chunkSize: 262_144, links: 174, rawLeaves: false, version: 0 };

/** A link to a block. */
interface Block {
  /** SHA-256 of the block. */
  readonly digest: Uint8Array;
  readonly isRaw: boolean;
  /** Bytes of the file in the block and below it. */
  readonly fileSize: number;
  /** Cumulative size: bytes of the block and of all blocks below it. */
  readonly totalSize: number;
}

/** The root block of a file. */
export interface Root {
  /** SHA-256. */
  readonly digest: Uint8Array;
  readonly isRaw: boolean;
  /** Cumulative size: bytes of the block and of all blocks below it. */
  readonly totalSize: number;
}

export function rootOf(bytes: Uint8Array, layout: FileLayout = defaultLayout): Root {
  return above(leavesOf(bytes, layout), layout);
}

/** The roots of a file in several layouts, computed on request. Layouts with the same leaves hash them once. */
export function* rootsOf(bytes: Uint8Array, layouts: readonly FileLayout[]): Generator<Root> {
  const known = new Map<string, readonly Block[]>();
  for (const layout of layouts) {
    const kind = `${layout.chunkSize} ${layout.rawLeaves}`;
    const leaves = known.get(kind) ?? leavesOf(bytes, layout);
    known.set(kind, leaves);
    yield above(leaves, layout);
  }
}

function above(leaves: readonly Block[], layout: FileLayout): Root {
  let level = leaves;
  while (level.length > 1) level = parentsOf(level, layout);
  return level[0] as Block;
}

/** An empty file is one empty leaf. */
function leavesOf(bytes: Uint8Array, { chunkSize, rawLeaves }: FileLayout): Block[] {
  const leaves: Block[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += chunkSize) {
    const chunk = bytes.subarray(at, at + chunkSize);
    leaves.push(rawLeaves ? block([chunk], chunk.length, 0, true) : framedLeaf(chunk));
  }
  return leaves;
}

function framedLeaf(chunk: Uint8Array): Block {
  const data = chunk.length === 0 ? [] : [tag(2, 2), varint(chunk.length), chunk];
  const unixfs = [fileType, ...data, tag(3, 0), varint(chunk.length)];
  return block([tag(1, 2), varint(sizeOf(unixfs)), ...unixfs], chunk.length, 0, false);
}

function parentsOf(children: readonly Block[], { links, version }: FileLayout): Block[] {
  const parents: Block[] = [];
  for (let at = 0; at < children.length; at += links) {
    parents.push(parentOf(children.slice(at, at + links), version));
  }
  return parents;
}

function parentOf(children: readonly Block[], version: 0 | 1): Block {
  const fileSize = sum(children.map((child) => child.fileSize));
  const sizes = children.flatMap((child) => [tag(4, 0), varint(child.fileSize)]);
  const unixfs = [fileType, tag(3, 0), varint(fileSize), ...sizes];
  const parts = [
    ...children.flatMap((child) => linkTo(child, version)),
    tag(1, 2),
    varint(sizeOf(unixfs)),
    ...unixfs,
  ];
  return block(parts, fileSize, sum(children.map((child) => child.totalSize)), false);
}

function linkTo({ digest, isRaw, totalSize }: Block, version: 0 | 1): Uint8Array[] {
  // A PBLink: the child's CID, an empty name, the size.
  const prefix = isRaw ? [1, codecs.raw] : version === 1 ? [1, codecs.framed] : [];
  const cid = [...prefix, ...multihashPrefix, ...digest];
  const link = [tag(1, 2), varint(cid.length), Uint8Array.from(cid), tag(2, 2), varint(0)];
  const sized = [...link, tag(3, 0), varint(totalSize)];
  return [tag(2, 2), varint(sizeOf(sized)), ...sized];
}

/** Prefix of a multihash: SHA-256, 32 bytes. */
export const multihashPrefix: readonly number[] = [0x12, 0x20];
/** Multicodecs of a CID of version 1: raw and dag-pb. */
export const codecs = { raw: 0x55, framed: 0x70 };
/** First field of a UnixFS node: type file. */
const fileType = Uint8Array.of(0x08, 0x02);

/** The tag of a protocol buffers field; wire type 0 is a varint, 2 is length-delimited. */
function tag(field: number, kind: 0 | 2): Uint8Array {
  return varint(field * 8 + kind);
}

function block(parts: readonly Uint8Array[], fileSize: number, sizeBelow: number, isRaw: boolean): Block {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return { digest: hash.digest(), isRaw, fileSize, totalSize: sizeOf(parts) + sizeBelow };
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return sum(parts.map(({ length }) => length));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Encodes a whole number as a protocol buffers varint: seven bits in each byte, the lowest first. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  // Shifting would stop working at 32 bits.
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
