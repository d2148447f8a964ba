import { getAddress } from "ethers/address";
import { keccak256 } from "ethers/crypto";

/** Chains whose addresses have checksums of their own (EIP-1191), and their numbers, which these are made with. */
const ownChecksums: ReadonlyMap<string, number> = new Map([
  ["rootstock", 30],
  ["rootstock-testnet", 31],
]);

/** An address with the checksum it has everywhere (EIP-55). */
export function checksummed(address: string): string {
  return getAddress(address.toLowerCase());
}

/** An address with the checksum that wallets of a chain show; the common one where the chain has none of its own. */
export function checksummedOn(chain: string, address: string): string {
  const id = ownChecksums.get(chain);
  if (id === undefined) return checksummed(address);
  const lower = address.toLowerCase();
  const hash = keccak256(new TextEncoder().encode(id + lower)).slice(2);
  const digits = [...lower.slice(2)].map((digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${digits.join("")}`;
}
