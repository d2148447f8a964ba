/** What a thread asks the nodes. */
export type NodesRequest = { readonly id: number } & (
  | { readonly kind: "rpc"; readonly body: string }
  /** A file of IPFS. */
  | { readonly kind: "file"; readonly path: string; readonly milliseconds: number | undefined }
);

/** What it is answered. */
export type NodesReply = { readonly id: number } & (
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly bytes: Uint8Array;
      readonly retryAfter?: string;
      readonly silence?: "away" | "late";
    }
  | { readonly kind: "file"; readonly bytes: Uint8Array | undefined }
  | { readonly kind: "failed"; readonly message: string }
);

/** The chain has another head. */
export interface HeadNotice {
  readonly kind: "head";
}
