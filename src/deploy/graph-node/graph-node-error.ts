/** What graph-node refused, or an answer of it that makes no sense; the message is for people and says what to do. */
export class GraphNodeError extends Error {
  override readonly name = "GraphNodeError";
  /** Of JSON-RPC; absent when graph-node gave none. */
  readonly code: number | undefined;

  constructor(message: string, code?: number) {
    super(message);
    this.code = code;
  }
}
