import type { ToldStatus } from "../../../deploy/graph-node/told-status.js";
import type { HostedError } from "../../../hosting/engine.js";
import type { KnownStatus, StatusReader } from "./status-reader.js";

type Answers = Readonly<Record<string, unknown>>;

/** The resolvers of the fields of `Query`. @param version the version of this program */
export function statusAnswers(reader: StatusReader, version: string): Answers {
  const told = (known: KnownStatus | undefined): Answers | null => (known ? statusOf(known, reader) : null);
  return {
    indexingStatuses: async ({ subgraphs }: { readonly subgraphs?: readonly string[] | null }) => {
      const all = await reader.all();
      const wanted = subgraphs && subgraphs.length > 0 ? [...new Set(subgraphs)] : [...all.keys()];
      return wanted.flatMap((id) => told(all.get(id)) ?? []);
    },
    indexingStatusForCurrentVersion: async ({ subgraphName }: Named) =>
      told(await reader.current(subgraphName)),
    indexingStatusForPendingVersion: async ({ subgraphName }: Named) => {
      const current = await reader.current(subgraphName);
      const [newest] = await reader.versions(subgraphName);
      return newest?.deployment === current?.deployment ? null : told(newest);
    },
    indexingStatusesForSubgraphName: async ({ subgraphName }: Named) =>
      (await reader.versions(subgraphName)).map(told),
    // graph-node hashes whatever it is given as a hash.
    proofOfIndexing: ({ subgraph, blockNumber, blockHash, indexer }: Proof) => {
      if (typeof blockHash !== "string" || !/^(?:0x)?(?:[0-9a-fA-F]{2}){0,64}$/.test(blockHash)) return null;
      return reader.proof({ deployment: subgraph, block: blockNumber }, blockHash, indexer ?? null);
    },
    publicProofsOfIndexing: async ({ requests }: { readonly requests: readonly PublicProofRequest[] }) => {
      if (requests.length > 10) throw new Error("query is too expensive");
      const asked = requests.map(({ deployment, blockNumber }) => ({
        deployment,
        block: Number(blockNumber),
      }));
      const proofs = await reader.publicProofs(asked.filter(({ block }) => Number.isSafeInteger(block)));
      return requests.map(({ deployment, blockNumber }, index) => {
        const of = asked[index];
        const found = of && proofs.get(of);
        return {
          deployment,
          block: { number: String(blockNumber), hash: found?.hash ?? null },
          proofOfIndexing: () => {
            if (found) return found.proof;
            throw new Error("Null value resolved for non-null field `proofOfIndexing`");
          },
        };
      });
    },
    subgraphFeatures: ({ subgraphId }: OfSubgraph) => reader.features(subgraphId),
    entityChangesInBlock: async ({
      subgraphId,
      blockNumber,
    }: OfSubgraph & { readonly blockNumber: number }) => {
      const changes = await reader.changesInBlock(subgraphId, blockNumber);
      return {
        updates: changes.flatMap(({ type, updates: entities }) =>
          entities.length > 0 ? [{ type, entities }] : [],
        ),
        deletions: changes.flatMap(({ type, deletions: entities }) =>
          entities.length > 0 ? [{ type, entities }] : [],
        ),
      };
    },
    // The server stores neither blocks nor call results, only the hashes of the latest blocks.
    blockData: () => null,
    cachedEthereumCalls: () => null,
    blockHashFromNumber: ({ network, blockNumber }: OfBlock) => reader.blockHash(network, blockNumber),
    version: { version, commit: "" },
    apiVersions: async ({ subgraphId }: OfSubgraph) => {
      if (!(await reader.one(subgraphId))) throw new Error(`deployment \`${subgraphId}\` does not exist`);
      return [{ version: "1.0.0" }];
    },
  };
}

interface Named {
  readonly subgraphName: string;
}

interface OfSubgraph {
  readonly subgraphId: string;
}

interface OfBlock {
  readonly network: string;
  readonly blockNumber: number;
}

interface Proof {
  readonly subgraph: string;
  readonly blockNumber: number;
  readonly blockHash: unknown;
  readonly indexer?: unknown;
}

interface PublicProofRequest {
  readonly deployment: string;
  readonly blockNumber: string | number;
}

function statusOf(known: KnownStatus, reader: StatusReader): Answers {
  const { deployment, network, isPaused, status } = known;
  if (status.told) return toldStatus(status.told, known, reader);
  const { health, isSynced, fatalError, nonFatalErrors, startBlock, headBlock, chainHeadBlock } = status;
  const catalog = reader.catalog.bind(reader, deployment);
  /** A block with its hash. Only the hash of the last written block is known. */
  const blockOf = (number: number | undefined): Answers | null =>
    number === undefined
      ? null
      : {
          number: String(number),
          hash: async () => {
            const head = (await catalog())?.head;
            if (head?.number === number) return head.hash.replace(/^0x/, "");
            throw new Error(`the hash of block ${number} is unknown`);
          },
        };
  return {
    subgraph: deployment,
    synced: isSynced,
    health: health === "unknown" ? "healthy" : health,
    fatalError: fatalError ? errorOf(fatalError) : null,
    // As in graph-node, a failure that stands clears the list.
    nonFatalErrors: (fatalError ? [] : distinct(lastOnes(nonFatalErrors))).map((error) =>
      errorOf({ isDeterministic: true, ...error }),
    ),
    chains: [
      {
        __typename: "EthereumIndexingStatus",
        network,
        latestBlock: blockOf(headBlock),
        chainHeadBlock: blockOf(chainHeadBlock),
        earliestBlock: {
          hash: "0x0",
          number: async () => {
            const { earliestBlock = startBlock } = (await catalog()) ?? {};
            return String(earliestBlock > startBlock ? earliestBlock : Math.max(0, startBlock - 1));
          },
        },
        lastHealthyBlock: null,
      },
    ],
    entityCount: () => reader.countEntities(known),
    node: "default",
    paused: isPaused,
    subgraphSize: () => reader.size(known),
    historyBlocks: async () => (await catalog())?.historyBlocks ?? 2_147_483_647,
  };
}

/** The status that a graph-node reports, unchanged. Other fields are not requested from it. */
function toldStatus(told: ToldStatus, known: KnownStatus, reader: StatusReader): Answers {
  const { network, chainHeadBlock, earliestBlock, latestBlock, lastHealthyBlock, ...rest } = told;
  const blocks = { chainHeadBlock, earliestBlock, latestBlock, lastHealthyBlock };
  return {
    ...rest,
    chains: [{ __typename: "EthereumIndexingStatus", network, ...blocks }],
    subgraphSize: () => reader.size(known),
  };
}

/** Like graph-node, keeps only the errors of the last block with errors, and errors outside of any block. */
function lastOnes(errors: readonly HostedError[]): readonly HostedError[] {
  const last = Math.max(...errors.map(({ block = -1 }) => block));
  return errors.filter(({ block = last }) => block === last);
}

/** Like graph-node, counts equal errors of a block once. Its messages name the transaction. */
function distinct(errors: readonly HostedError[]): readonly HostedError[] {
  const keyOf = ({ block, handler, transactionHash, message }: HostedError): string =>
    `${block} ${handler} ${transactionHash} ${message}`;
  return [...new Map(errors.map((error) => [keyOf(error), error])).values()];
}

function errorOf({ message, block, blockHash, handler, isDeterministic }: HostedError): Answers {
  return {
    message,
    handler: handler ?? null,
    block:
      block === undefined
        ? null
        : {
            number: String(block),
            hash: () => {
              if (blockHash !== undefined) return blockHash;
              throw new Error(`the hash of block ${block} is unknown`);
            },
          },
    deterministic: () => {
      if (isDeterministic === undefined) {
        throw new Error("whether the error is deterministic is unknown");
      }
      return isDeterministic;
    },
  };
}
