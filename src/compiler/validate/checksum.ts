import { getAddress } from "ethers/address";
import { keccak256 } from "ethers/crypto";

/** Chains with their own address checksums (EIP-1191), and the chain ids in them. */
const ownChecksums: ReadonlyMap<string, number> = new Map([
  ["rootstock", 30],
  ["rootstock-testnet", 31],
]);

/** An address with the common checksum (EIP-55). */
export function checksummed(address: string): string {
  return getAddress(address.toLowerCase());
}

/** An address with the checksum of a chain's wallets: EIP-1191 if the chain uses it, else EIP-55. */
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
