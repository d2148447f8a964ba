import type { ToolAnswer } from "../../mcp/tool.js";

/** A file that a client has sent. */
export interface SentFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Work on the files of a client, for a process of its own. */
export type WorkshopJob = { readonly files: readonly SentFile[] } & (
  | {
      readonly kind: "tool";
      /** A tool of `graphloom mcp` that works on files. */
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** The file whose text is returned afterwards, because the tool may change it. */
      readonly returns?: string;
    }
  | { readonly kind: "build"; readonly subgraph: string; readonly nameAndVersion: string }
);

/** The answer of the process. */
export type WorkshopAnswer =
  | { readonly kind: "answer"; readonly answer: ToolAnswer; readonly text?: string }
  /** The files of each build. */
  | { readonly kind: "built"; readonly builds: readonly ReadonlyMap<string, Uint8Array>[] }
  /** A request that cannot be met; the message is for the client. */
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "bug"; readonly stack: string };

/** The channel between the server and the process. */
export const jobChannel = 1;
