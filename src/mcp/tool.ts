/** The JSON schema of a tool's arguments. It must be closed, and give each text and list a limit. */
export interface InputSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

/** A tool that agents can call. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** What it does and when to use it, for a language model. */
  readonly describe: string;
  readonly input: InputSchema;
  /** Whether it changes files or a server. */
  readonly changes: boolean;
  /** Whether it asks other machines. */
  readonly isRemote: boolean;
  /**
   * Runs it. The arguments fit the schema.
   * @throws ToolRefusal, and errors that the server's `explain` turns into words
   */
  run(input: Input, call: ToolCall): Promise<ToolAnswer>;
}

/** Arguments of a tool, which fit its schema. */
export type Input = Readonly<Record<string, unknown>>;

/** A call of a tool. */
export interface ToolCall {
  /** Aborted when the client cancels the call or leaves. */
  readonly signal: AbortSignal;
  /** Whether the client can show a question to its user. */
  readonly canAsk: boolean;
  /** The user's answer to the question with this key; `undefined` if it was not asked yet. */
  agreed(key: string): boolean | undefined;
}

/** The answer of a tool. */
export type ToolAnswer =
  /** Text that graphloom itself has written. */
  | { readonly kind: "own"; readonly text: string }
  /** Text with content of chains, users or files. `from` says whose, as in "the subgraph pools/1.0.0". */
  | { readonly kind: "data"; readonly from: string; readonly text: string }
  /** It could not be done; the text says why and what to do. `from` as for data, if the text quotes any. */
  | { readonly kind: "failed"; readonly text: string; readonly from?: string }
  | ToolQuestion;

/** A question for the user. The tool is called again with the answer. */
export interface ToolQuestion {
  readonly kind: "question";
  readonly key: string;
  readonly text: string;
}

/** A tool cannot do what it is asked to; the message is a sentence that says what to do. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
}
