import { ChainError } from "../../runtime/chain/chain.js";
import type { PatientChain } from "../../runtime/chain/patient-chain.js";
import type { ChainReader } from "../reader/open-reader.js";
import { UsageError } from "../terminal/usage-error.js";
import type { SyncedNetwork } from "./find-network.js";

/** The chain head, and the last block to write. */
export interface LastBlock {
  readonly newest: number;
  readonly to: number;
}

/**
 * The last block to write: the wanted one, or else the newest final block. Blocks that a reorganisation may still replace
 * are refused, since files are not corrected; a chain on the user's machine has none.
 * @throws UsageError when the chain does not have the range; ChainError, also when the node does not say what is final
 */
export async function lastBlock(
  chain: PatientChain,
  reader: ChainReader,
  { name, chainId }: SyncedNetwork,
  from: number,
  wanted: number | undefined,
): Promise<LastBlock> {
  const head = await chain.head();
  const refused = (why: string): never => {
    throw new ChainError(why);
  };
  const final = chainId === undefined ? head.number : (await reader.final(head, refused))?.number;
  if (final === undefined)
    throw new UsageError(
      `${name} has no final block yet: its newest block is ${head.number}. Wait, and run it again.`,
    );
  const to = wanted ?? final;
  if (to < from)
    throw new UsageError(
      `--from-block ${from} is after the newest final block, ${final}. Pass an earlier first block.`,
    );
  if (to > final)
    throw new UsageError(
      `--to-block ${to} is after the newest final block, ${final}, and may still be replaced. Pass --to-block ${final}, or leave it out.`,
    );
  return { newest: head.number, to };
}
