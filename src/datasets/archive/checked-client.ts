import { pointerIfKnown } from "../../runtime/chain/block-pointer.js";
import type { BlockPointer } from "../../runtime/chain/chain.js";
import { type ChainIdentity, StrangeChainError } from "../../runtime/chain/chain-guard.js";
import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import type { ChainArchive } from "./chain-archive.js";
import { agree, askIdentity } from "./identity.js";
import type { OpenedArchive } from "./open-archive.js";

/** The node's chain has replaced a block that the archive considers final. The archive is unchanged. */
export class ReplacedBlockError extends StrangeChainError {}

/** A client of a node that is compared with an archive. */
export interface CheckedClient extends RpcClient {
  /**
   * Compares now, unless already done.
   * @throws StrangeChainError, ReplacedBlockError; ChainError if the node does not answer
   */
  check(): Promise<void>;
  /** Makes the next request compare again, because the chain may have replaced blocks. */
  recheck(): void;
}

/**
 * A client that checks, before its first request, that the node belongs to the archive's chain and has the archive's
 * last final block. As long as the archive answers everything, the node is not asked at all. A node that lags behind
 * that block is accepted.
 * @param place the archive's folder, for messages; `undefined` if the reader must not know it
 */
export function checkedClient(
  client: RpcClient,
  { archive, identity }: OpenedArchive,
  place?: string,
): CheckedClient {
  let checked: Promise<void> | undefined;
  const compare = async (): Promise<void> => {
    const found = await askIdentity(client);
    if (!agree(identity, found)) throw new StrangeChainError(strangeText(identity, found));
    await compareFinal(client, archive, place);
  };
  const check = async (): Promise<void> => {
    checked ??= compare();
    try {
      await checked;
    } catch (error) {
      // An unreachable node may recover; a node of another chain does not.
      if (!(error instanceof StrangeChainError)) checked = undefined;
      throw error;
    }
  };
  return {
    check,
    recheck: () => {
      checked = undefined;
    },
    request: async (method, parameters, options) => {
      await check();
      return client.request(method, parameters, options);
    },
  };
}

/** How often to ask a node that has a different block: in a pool, one node may be stuck on a replaced chain. */
const mostAttempts = 6;

/** @throws ReplacedBlockError if the node repeatedly returns another block for the archive's last final block */
async function compareFinal(
  client: RpcClient,
  { marks, folder }: ChainArchive,
  place: string | undefined,
): Promise<void> {
  if (!marks) return;
  const { number, hash } = marks.final;
  let found: BlockPointer | undefined;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    found = await pointerIfKnown(client, `0x${number.toString(16)}`);
    if (!found || found.hash === hash) return;
  }
  throw new ReplacedBlockError(
    `The node has replaced block ${number}, which the archive${place === undefined ? "" : ` in ${place}`} holds as final (${short(found?.hash ?? "")} instead of ${short(hash)}). The archive was not changed. Use a different --archive, or remove the replaced chain with graphloom archive prune --archive ${place ?? "<folder>"} --chain ${folder} --all.`,
  );
}

function short(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}

function strangeText(known: ChainIdentity, found: ChainIdentity): string {
  if (known.chainId !== found.chainId)
    return `This node serves chain ${found.chainId}, but the archive of this network holds chain ${known.chainId}. The archive was not changed. Use a node of chain ${known.chainId}, or a different --archive.`;
  return `This node's chain has the id ${found.chainId}, but its first block differs from the archived one, as after the restart of a local chain. The archive was not changed. Use a different --archive, or remove the old chain with graphloom archive prune --chain ${found.chainId} --all.`;
}
