/** A runtime value as JSON, with integers of any size. */
export function answerText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ? { bigint: part.toString() } : part,
  );
}

/** @throws SyntaxError for a text not written by `answerText` */
export function readAnswer(text: string): unknown {
  return withIntegers(JSON.parse(text));
}

/** Restores integers in place. A `JSON.parse` reviver would take several times as long. */
function withIntegers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("bigint" in value && typeof value.bigint === "string") return BigInt(value.bigint);
  const parts = value as Record<string, unknown>;
  for (const key in parts) {
    const part = parts[key];
    const whole = withIntegers(part);
    if (whole !== part) parts[key] = whole;
  }
  return value;
}
