import type { RpcClient } from "../runtime/chain/rpc/rpc-client.js";
import { isRevert, RpcError } from "../runtime/chain/rpc-errors.js";

/** The contract that an address delegates to. */
export interface ProxyTarget {
  /** The standard by which the proxy names its target. */
  readonly kind: "EIP-1967" | "EIP-1967 beacon" | "EIP-1822" | "ZeppelinOS" | "EIP-1167";
  /** The contract whose code runs, and whose ABI therefore applies; lower-case hex. */
  readonly implementation: string;
}

/** Storage slots that hold an implementation, or a beacon that knows one. */
const slots = [
  // keccak256("eip1967.proxy.implementation") - 1
  ["EIP-1967", "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"],
  // keccak256("eip1967.proxy.beacon") - 1
  ["EIP-1967 beacon", "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"],
  // keccak256("PROXIABLE")
  ["EIP-1822", "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7"],
  // keccak256("org.zeppelinos.proxy.implementation"), which predates the standard
  ["ZeppelinOS", "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3"],
] as const;

const implementationSelector = "0x5c60da1b";
/** Maximum number of clones to follow in a chain. */
const mostClones = 4;

/**
 * Finds out whether an address is a proxy, and for what. Checks the slots before the code, because a clone
 * uses its own storage.
 * @param address lower-case hex
 * @param code its code
 * @returns `undefined` if it is not a proxy of a known kind
 * @throws ChainError if the node does not answer
 */
export async function findImplementation(
  client: RpcClient,
  address: string,
  code: string,
): Promise<ProxyTarget | undefined> {
  const values = await Promise.all(
    slots.map(([, slot]) => client.request("eth_getStorageAt", [address, slot, "latest"])),
  );
  for (const [index, [kind]] of slots.entries()) {
    const held = addressIn(values[index]);
    const target = held !== undefined && kind === "EIP-1967 beacon" ? await askBeacon(client, held) : held;
    if (target !== undefined && (await codeAt(client, target)) !== "0x")
      return { kind, implementation: await behindClones(client, target) };
  }
  const target = cloneTarget(code);
  return target === undefined
    ? undefined
    : { kind: "EIP-1167", implementation: await behindClones(client, target) };
}

/** Follows clones: the implementation of a proxy may itself be a clone. */
async function behindClones(client: RpcClient, address: string): Promise<string> {
  let current = address;
  for (let hop = 0; hop < mostClones; hop++) {
    const target = cloneTarget(await codeAt(client, current));
    if (target === undefined) return current;
    current = target;
  }
  return current;
}

/** The code at an address in the newest block, as hex; `0x` without code. */
export async function codeAt(client: RpcClient, address: string): Promise<string> {
  const code = await client.request("eth_getCode", [address, "latest"]);
  return typeof code === "string" ? code.toLowerCase() : "0x";
}

async function askBeacon(client: RpcClient, beacon: string): Promise<string | undefined> {
  try {
    const call = { to: beacon, data: implementationSelector };
    return addressIn(await client.request("eth_call", [call, "latest"]));
  } catch (error) {
    // Then the address in the slot is not a beacon.
    if (error instanceof RpcError && isRevert(error)) return undefined;
    throw error;
  }
}

/** The address in a 32-byte word, if the word contains nothing else. */
function addressIn(word: unknown): string | undefined {
  const [, address] = /^0x0{24}([0-9a-f]{40})$/i.exec(typeof word === "string" ? word : "") ?? [];
  return address === undefined || /^0+$/.test(address) ? undefined : `0x${address.toLowerCase()}`;
}

/** The code of clones: the part before the address and the part after it. */
const clones = [
  [/^0x363d3d373d3d3d363d([67][0-9a-f])/, /^5af43d82803e903d9160[0-9a-f]{2}57fd5bf3/],
  // The same with PUSH0, EIP-7511.
  [/^0x365f5f375f5f365f(73)/, /^5af43d5f5f3e5f3d91602a57fd5bf3/],
] as const;

/**
 * The contract that a minimal proxy (EIP-1167) delegates to. Its code may omit leading zeros of the address.
 */
export function cloneTarget(code: string): string | undefined {
  for (const [before, after] of clones) {
    const [head, push] = before.exec(code) ?? [];
    if (head === undefined || push === undefined) continue;
    const digits = 2 * (Number.parseInt(push, 16) - 0x5f);
    const address = code.slice(head.length, head.length + digits);
    if (digits < 2 || digits > 40 || address.length < digits) continue;
    if (after.test(code.slice(head.length + digits))) return `0x${address.padStart(40, "0")}`;
  }
  return undefined;
}
