import { createHash } from "node:crypto";
import { varint } from "./varint.js";

/** How a file is cut into blocks. Everybody who cuts it the same way gets the same hash. */
export interface FileLayout {
  /** Bytes of the file in one leaf, at most. */
  readonly chunkSize: number;
  /** Children of one inner node, at most. */
  readonly links: number;
  /** Whether a leaf is the bytes alone, without a frame around them. */
  readonly rawLeaves: boolean;
  /** Version of the hashes by which a node names its children; those of raw leaves are always of version 1. */
  readonly version: 0 | 1;
}

/** How `ipfs add` cuts unless told otherwise, and how `graph deploy` does. */
export const defaultLayout: FileLayout = { chunkSize: 262_144, links: 174, rawLeaves: false, version: 0 };

/** A block as its parent knows it. */
interface Block {
  /** SHA-256 of the block. */
  readonly digest: Uint8Array;
  readonly isRaw: boolean;
  /** Bytes of the file below it. */
  readonly fileSize: number;
  /** Bytes of the block and of all blocks below it. */
  readonly totalSize: number;
}

/** SHA-256 of the topmost block of a file on IPFS, and whether that block is the file's bytes alone. */
export function rootOf(
  bytes: Uint8Array,
  layout: FileLayout = defaultLayout,
): { readonly digest: Uint8Array; readonly isRaw: boolean } {
  let level = leavesOf(bytes, layout);
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
  // The child's CID, an empty name, the size.
  const prefix = isRaw ? [1, codecs.raw] : version === 1 ? [1, codecs.framed] : [];
  const cid = [...prefix, ...multihashPrefix, ...digest];
  const link = [tag(1, 2), varint(cid.length), Uint8Array.from(cid), tag(2, 2), varint(0)];
  const sized = [...link, tag(3, 0), varint(totalSize)];
  return [tag(2, 2), varint(sizeOf(sized)), ...sized];
}

/** Before a SHA-256: which hash it is and how long. */
export const multihashPrefix: readonly number[] = [0x12, 0x20];
/** What a hash of version 1 calls a block of bytes alone, and one with a frame (dag-pb). */
export const codecs = { raw: 0x55, framed: 0x70 };
/** The first field of every file: its type. */
const fileType = Uint8Array.of(0x08, 0x02);

/** The number and the kind of a field: 0 is an integer, 2 something with a length. */
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
