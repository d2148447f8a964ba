import { getBytes } from "ethers/utils";
import { keccak256 } from "../../../base/keccak.js";
import { rlpBytes, rlpList, rlpNumber } from "../rlp.js";

/** A value and the half bytes of its key. */
interface Entry {
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}

const hashSize = 32;
const nothing = rlpBytes(new Uint8Array());

/** The root of the Merkle Patricia trie of a list, as in headers: the key of a value is its index. */
export function trieRoot(values: readonly Uint8Array[]): string {
  const entries = values.map((value, index) => ({ path: halvesOf(rlpNumber(index)), value }));
  return keccak256(nodeOf(entries, 0));
}

/** The node of entries that share the first `depth` half bytes. */
function nodeOf(entries: readonly Entry[], depth: number): Uint8Array {
  const [first, second] = entries;
  if (!first) return nothing;
  if (!second) return pathNode(first.path.subarray(depth), true, rlpBytes(first.value));
  const shared = sharedLength(entries, first.path);
  if (shared === depth) return branchOf(entries, depth);
  return pathNode(first.path.subarray(depth, shared), false, referenceTo(branchOf(entries, shared)));
}

/** No RLP key is a prefix of another, so a branch never has its own value. */
function branchOf(entries: readonly Entry[], depth: number): Uint8Array {
  const children = Array.from({ length: 16 }, (): Entry[] => []);
  for (const entry of entries) children[entry.path[depth] ?? 0]?.push(entry);
  return rlpList([...children.map((own) => referenceTo(nodeOf(own, depth + 1))), nothing]);
}

function pathNode(path: Uint8Array, isLeaf: boolean, content: Uint8Array): Uint8Array {
  const isOdd = path.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const halves = Uint8Array.from(isOdd ? [flag, ...path] : [flag, 0, ...path]);
  const bytes = Uint8Array.from({ length: halves.length / 2 }, (_, index) => {
    return ((halves[index * 2] ?? 0) << 4) | (halves[index * 2 + 1] ?? 0);
  });
  return rlpList([rlpBytes(bytes), content]);
}

/** A small node is embedded in its parent; a larger node is referenced by its hash. */
function referenceTo(node: Uint8Array): Uint8Array {
  return node.length < hashSize ? node : rlpBytes(getBytes(keccak256(node)));
}

function sharedLength(entries: readonly Entry[], path: Uint8Array): number {
  let shared = 0;
  while (shared < path.length && entries.every((entry) => entry.path[shared] === path[shared])) shared++;
  return shared;
}

function halvesOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from([...bytes].flatMap((byte) => [byte >> 4, byte & 15]));
}
