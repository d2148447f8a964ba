import { type Extension, listOf, objectOf, type Schema, textSchema } from "./extension.js";

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
            max_vid: { type: "string", pattern: "^(-1|\\d{1,19})$" },
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
