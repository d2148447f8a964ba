import {
  dataOf,
  type Extension,
  listOf,
  objectOf,
  parquetMedia,
  type Schema,
  textSchema,
} from "./extension.js";

/** A dataset for which a server makes files. */
export interface ServedDataset {
  /** `ethereum.raw_logs` */
  readonly name: string;
  readonly version: string;
  /** The maximum number of blocks in a file. */
  readonly most_blocks: number;
  /** The same for logs of one contract; absent for datasets without logs. */
  readonly most_blocks_of_contract?: number;
}

/** A chain for which a server has nodes. */
export interface ServedDatasetChain {
  /** The prefix of its datasets' names. */
  readonly chain: string;
  /** Decimal digits; null, like all fields from the nodes, while no node answers. */
  readonly chain_id: string | null;
  readonly first_block: { readonly number: number; readonly hash: string } | null;
  readonly newest_block: number | null;
  /** The newest block that no reorganisation can replace: the last that a file may contain. */
  readonly final_block: number | null;
  readonly datasets: readonly ServedDataset[];
}

/** The operations of datasets, found on graphloom's server but not in the contract. */
export type DatasetOperationId = "listDatasets" | "getDatasetFile";

/** The headers of a file, in lower case. */
export const fileHeaders = {
  day: "graphloom-day",
  chainId: "graphloom-chain-id",
  firstBlock: "graphloom-first-block",
} as const;

const orNull = (type: string): Schema => ({ type: [type, "null"] });
const block: Schema = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** The operations, as they also appear in the server's description. */
export const datasetOperations: Readonly<Record<DatasetOperationId, Extension>> = {
  listDatasets: {
    method: "GET",
    path: "/datasets",
    summary: "Lists the chains that this server has nodes for, and the datasets that it makes files of.",
    query: { chain: { type: "string", maxLength: 100, description: "Only the chain with this name." } },
    answer: dataOf(
      listOf(
        objectOf({
          chain: textSchema("What names of its datasets begin with."),
          chain_id: orNull("string"),
          first_block: {
            oneOf: [objectOf({ number: { type: "integer" }, hash: textSchema() }), { type: "null" }],
          },
          newest_block: orNull("integer"),
          final_block: { ...orNull("integer"), description: "The last block that files may have." },
          datasets: listOf(
            objectOf({
              name: textSchema("`ethereum.raw_logs`"),
              version: textSchema(),
              most_blocks: { type: "integer", description: "The most blocks of one file." },
              "most_blocks_of_contract?": {
                type: "integer",
                description: "The most blocks of one file with the logs of one contract.",
              },
            }),
          ),
        }),
      ),
    ),
  },
  getDatasetFile: {
    method: "GET",
    path: "/datasets/{dataset}/file",
    summary: "Makes a Parquet file of a range of final blocks, the same as external-data sync writes.",
    query: {
      from_block: { ...block, description: "The first block." },
      to_block: { ...block, description: "The last block, which must be final." },
      contract_address: {
        type: "string",
        pattern: "^0[xX][0-9a-fA-F]{40}$",
        description: "Only logs of this contract, for raw_logs.",
      },
    },
    required: ["from_block", "to_block"],
    file: {
      media: parquetMedia,
      headers: {
        [fileHeaders.day]: textSchema("The day of the first block, in UTC: `2015-07-30`."),
        [fileHeaders.chainId]: textSchema("The chain's id."),
        [fileHeaders.firstBlock]: textSchema("The hash of the chain's first block, if its nodes tell it."),
      },
    },
  },
};
