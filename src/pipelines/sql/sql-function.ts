/** The type of a function's argument or result, and its form in memory. */
export type SqlValueType =
  /** `string` */
  | "text"
  /** An integer of any size; `bigint`. */
  | "integer"
  /** An integer of 64 bits; `bigint`. */
  | "long"
  | "boolean"
  /** `readonly string[]` */
  | "texts"
  /** A decoded log: `{ name, event_signature, event_params }`. Both texts are the name of the event. */
  | "decoded_log"
  /** A decoded call: `{ function, decoded_inputs, decoded_outputs }`. */
  | "decoded_call";

/** A value of an argument or of a result. */
export type SqlValue =
  | string
  | bigint
  | boolean
  | readonly string[]
  | Readonly<Record<string, string | readonly string[] | null>>;

/** How messages of our own functions begin within the engine's messages. */
export const ownWords = "graphloom: ";

/** A function that is an expression in the engine's SQL. */
export interface SqlMacro {
  readonly name: string;
  /** For each number of parameters, `(a, b) as a + b`. */
  readonly forms: readonly string[];
}

/** What a query may call besides the engine's own functions. */
export type AddedFunction = SqlFunction | SqlMacro;

/** A function that queries may call. If an argument is null, so is the result. */
export interface SqlFunction {
  readonly name: string;
  readonly parameters: readonly SqlValueType[];
  readonly result: SqlValueType;
  /**
   * @returns null if there is no result
   * @throws an error whose message ends the query
   */
  readonly compute: (values: readonly SqlValue[]) => SqlValue | null;
}
