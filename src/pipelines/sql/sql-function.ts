/** How a function's argument or result is called, and what it is in memory. */
export type SqlValueType =
  /** `string` */
  | "text"
  /** An integer of any size; `bigint`. */
  | "integer"
  | "boolean"
  /** `readonly string[]` */
  | "texts"
  /** What a log says: `{ name, event_signature, event_params }`. Both texts are the name of the event. */
  | "decoded_log"
  /** What a transaction says: `{ function, decoded_inputs, decoded_outputs }`. */
  | "decoded_call";

/** A value of an argument or of a result. */
export type SqlValue =
  | string
  | bigint
  | boolean
  | readonly string[]
  | Readonly<Record<string, string | readonly string[] | null>>;

/** A function that queries may call. If an argument is null, so is the result. */
export interface SqlFunction {
  readonly name: string;
  readonly parameters: readonly SqlValueType[];
  readonly result: SqlValueType;
  /**
   * @returns null where there is no result
   * @throws an error whose message ends the query
   */
  readonly compute: (values: readonly SqlValue[]) => SqlValue | null;
}
