/** The answer to one request: its result or its error. */
export type Answer =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly code: number; readonly reason: string; readonly data: unknown };

/** Answers in the order of the requests; `undefined` where one is missing or malformed. */
export type Answers =
  | { readonly kind: "answered"; readonly list: readonly (Answer | undefined)[] }
  /** The node refused the batch: one error for all requests. */
  | {
      readonly kind: "refused";
      readonly code: number;
      readonly reason: string;
      readonly list: readonly (Answer | undefined)[];
    };

/** Assigns the answers of a batch to its `count` requests, whose ids start at `first`. */
export function readAnswers(value: unknown, first: number, count: number): Answers {
  const list = new Array<Answer | undefined>(count).fill(undefined);
  if (!Array.isArray(value)) return readSingle(value, list);
  if (count === 1 && value.length === 1) return { kind: "answered", list: [readAnswer(value[0])] };
  for (const entry of value as readonly unknown[]) {
    const index = Number(fieldOf(entry, "id") ?? Number.NaN) - first;
    if (Number.isInteger(index) && index >= 0 && index < count) list[index] = readAnswer(entry);
  }
  return { kind: "answered", list };
}

function readSingle(value: unknown, list: (Answer | undefined)[]): Answers {
  const answer = readAnswer(value);
  if (list.length === 1) return { kind: "answered", list: [answer] };
  if (answer?.kind !== "error") return { kind: "answered", list };
  return { kind: "refused", code: answer.code, reason: answer.reason, list };
}

function readAnswer(entry: unknown): Answer | undefined {
  const error = fieldOf(entry, "error");
  if (error !== undefined && error !== null) return readError(error);
  const result = fieldOf(entry, "result");
  return result === undefined ? undefined : { kind: "result", result };
}

function readError(error: unknown): Answer {
  if (typeof error !== "object") return { kind: "error", code: 0, reason: String(error), data: undefined };
  const code = Number(fieldOf(error, "code") ?? 0);
  const message = fieldOf(error, "message");
  const reason = typeof message === "string" ? message : JSON.stringify(error);
  return { kind: "error", code, reason, data: fieldOf(error, "data") };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
