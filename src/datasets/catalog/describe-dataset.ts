import type { Finality } from "../../chains/chain.js";
import type { Dataset, DatasetColumn } from "../tables/dataset.js";
import { type CatalogEntry, entryNames } from "./catalog.js";

/** A dataset described in one document. Names that a vocabulary lacks are null. */
export interface DatasetDocument {
  readonly name: string;
  readonly version: string;
  readonly group: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly versions: readonly string[];
  readonly chain: {
    readonly title: string;
    /** Decimal digits; null for a chain on the user's machine. */
    readonly chain_id: string | null;
    readonly test: boolean;
    readonly names: {
      readonly dataset: string;
      readonly subgraph: string | null;
      readonly block_service: string | null;
      readonly feed: string | null;
    };
    /** How final blocks are determined, in a sentence. */
    readonly finality: string;
    /** Receipts that a receipts root does not cover as usual; null if there are none. */
    readonly root_exception: string | null;
  };
  readonly needs: readonly DatasetNeed[];
  readonly columns: readonly (Pick<DatasetColumn, "name" | "type" | "description"> & {
    readonly nullable: boolean;
  })[];
  readonly example: CatalogEntry["dataset"]["example"];
}

/** What a dataset needs besides blocks and logs. */
export interface DatasetNeed {
  readonly need: string;
  readonly from: string;
  readonly available: string;
}

const askNode = "unknown without a node";

const needs: Readonly<Record<CatalogEntry["dataset"]["needs"][number], Omit<DatasetNeed, "need">>> = {
  receipts: {
    from: "eth_getBlockReceipts for all of a block at once, or else eth_getTransactionReceipt for each",
    available: `yes; at once: ${askNode}`,
  },
  traces: { from: "trace_block or debug_traceBlockByHash", available: askNode },
  ABI: { from: "files of yours", available: "yes" },
};

/** Everything known about a dataset. */
export function describeDataset({ chain, ...entry }: CatalogEntry): DatasetDocument {
  return documentOf(entry, {
    title: chain.title,
    chain_id: chain.chainId,
    test: chain.isTest,
    names: {
      dataset: chain.prefix,
      subgraph: chain.network ?? null,
      block_service: chain.blockService ?? null,
      feed: chain.feed ?? null,
    },
    finality: finalityText(chain.finality),
    root_exception: chain.rootException?.note ?? null,
  });
}

/** The same for a local chain, such as `anvil`. */
export function describeLocalDataset(chain: string, dataset: Dataset): DatasetDocument {
  return documentOf(
    { ...entryNames(chain, dataset), dataset },
    {
      title: "A chain on this machine",
      chain_id: null,
      test: true,
      names: { dataset: chain, subgraph: chain, block_service: null, feed: null },
      finality: `the node's block "finalized"; the head for what reads up to a certain block`,
      root_exception: null,
    },
  );
}

function documentOf(
  { name, version, versions, group, aliases, dataset }: Omit<CatalogEntry, "chain">,
  chain: DatasetDocument["chain"],
): DatasetDocument {
  return {
    name,
    version,
    group,
    description: dataset.description,
    aliases,
    versions,
    chain,
    needs: dataset.needs.map((need) => ({ need, ...needs[need] })),
    columns: dataset.columns.map(({ name: column, type, nullable = false, description }) => ({
      name: column,
      type,
      nullable,
      description,
    })),
    example: dataset.example,
  };
}

function finalityText({ by, depth }: Finality): string {
  const tag = `the node's block "finalized"`;
  const behind = `the block ${depth} behind the head`;
  if (by === "tag") return tag;
  if (by === "depth") return `${behind}; nodes do not know the block tag "finalized"`;
  return `unknown whether nodes know the block tag "finalized": the lower of ${tag} and ${behind}`;
}
