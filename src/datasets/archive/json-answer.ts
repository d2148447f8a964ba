/** A value of the runtime as JSON, with integers of any size. */
export function answerText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ? { bigint: part.toString() } : part,
  );
}

/** @throws SyntaxError for a text that `answerText` has not written */
export function readAnswer(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || !("bigint" in part)) return part;
    return typeof part.bigint === "string" ? BigInt(part.bigint) : part;
  });
}
