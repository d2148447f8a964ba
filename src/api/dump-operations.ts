import {
  dataOf,
  type Extension,
  listOf,
  objectOf,
  parquetMedia,
  type Schema,
  textSchema,
} from "./extension.js";

/** The operations on dumps. Only graphloom's server has them. */
export type DumpOperationId = "dumpSubgraph";

/** How much of a dump a client has. */
export interface SentDumpPosition {
  readonly deployment?: string | undefined;
  readonly head?: { readonly number: number; readonly hash: string } | undefined;
  readonly tables: readonly {
    readonly name: string;
    /** Decimal digits. */
    readonly max_vid: string;
    readonly as_of: number;
  }[];
}

/** The media type of the answer. */
export const dumpMedia = "application/vnd.graphloom.dump";

const block: Schema = { type: "integer", minimum: 0, maximum: 2_147_483_647 };
const name: Schema = { type: "string", maxLength: 200 };
const vid: Schema = { type: "string", pattern: "^(-1|\\d{1,19})$" };

/** The operations, as they also appear in the server's description. */
export const dumpOperations: Readonly<Record<DumpOperationId, Extension>> = {
  dumpSubgraph: {
    method: "POST",
    path: "/subgraphs/{name}/{version}/dump",
    summary:
      "Sends what a folder lacks of the data of a version or a tag, for graphloom dump. The form of the answer may change.",
    body: objectOf({
      "deployment?": name,
      "head?": objectOf({
        number: block,
        hash: { type: "string", pattern: "^0x[0-9a-f]{64}$" },
      }),
      tables: {
        ...listOf(
          objectOf({
            name,
            max_vid: vid,
            as_of: { ...block, minimum: -1 },
          }),
        ),
        maxItems: 5000,
        description: "How much of each table the client has.",
      },
    }),
    file: {
      media: dumpMedia,
      headers: { "x-accel-buffering": textSchema("Always `no`: proxies must pass it on as it comes.") },
    },
  },
};

/** The operations that restore dumps. Only graphloom's server has them. */
export type RestoreOperationId = "beginRestore" | "addRestoreRows" | "completeRestore";

/** What a client sends to begin a restore. */
export interface SentDump {
  /** The content of `metadata.json`. */
  readonly metadata: string;
  readonly schema: string;
  readonly manifest?: string | undefined;
}

/** How far a restore is. */
export interface RestoreInfo {
  readonly deployment: string;
  readonly network: string;
  readonly continued: boolean;
  readonly tables: readonly {
    readonly name: string;
    /** Decimal digits, or -1. */
    readonly last_vid: string;
  }[];
}

/** The query of a piece. */
export interface SentPieceInfo {
  readonly table: string;
  readonly form: "chunk" | "clamp";
  /** 1 for the first ends of versions, otherwise 0. */
  readonly first: 0 | 1;
  readonly rows: number;
  readonly min_vid: string;
  readonly max_vid: string;
}

/** The most bytes of a piece. A single row may be large. */
export const largestPiece = 32 * 1024 * 1024;
/** The most bytes of the metadata and the schema together. */
export const largestOffer = 4 * 1024 * 1024;

const long: Schema = { type: "string", maxLength: largestOffer };

/** The operations of restores, as they also appear in the server's description. */
export const restoreOperations: Readonly<Record<RestoreOperationId, Extension>> = {
  beginRestore: {
    method: "POST",
    path: "/restores",
    summary:
      "Begins to restore a dump, or says how far it is, for graphloom restore. Its operator has to turn that on. The form of the requests may change.",
    body: objectOf({ metadata: long, schema: long, "manifest?": long }),
    answer: dataOf(
      objectOf({
        deployment: textSchema(),
        network: textSchema(),
        continued: { type: "boolean" },
        tables: listOf(objectOf({ name: textSchema(), last_vid: vid })),
      }),
    ),
  },
  addRestoreRows: {
    method: "POST",
    path: "/restores/{deployment}/rows",
    summary: "Loads rows of a table, or the ends of their versions, which come first.",
    query: {
      table: { type: "string", minLength: 1, maxLength: 200 },
      form: { enum: ["chunk", "clamp"] },
      first: { type: "integer", minimum: 0, maximum: 1 },
      rows: { type: "integer", minimum: 1, maximum: 100_000 },
      min_vid: vid,
      max_vid: vid,
    },
    required: ["table", "form", "first", "rows", "min_vid", "max_vid"],
    upload: { media: parquetMedia },
  },
  completeRestore: {
    method: "POST",
    path: "/restores/{deployment}/complete",
    summary:
      "Counts all rows, creates the indexes, and makes the deployment visible. It answers after a few seconds; repeat it until it is done.",
    answer: dataOf(objectOf({ state: { enum: ["running", "done"] } })),
  },
};
