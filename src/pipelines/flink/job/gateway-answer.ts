import { foreignText } from "../../../base/text/foreign-text.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";

/** A page of a statement's result. */
export type ResultPage =
  | { readonly kind: "waiting" }
  | {
      readonly kind: "rows";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
      /** The number of the next page; `undefined` after the last one. */
      readonly next: number | undefined;
    };

/** The handle in an answer; `undefined` if there is none. Handles become parts of addresses. */
export function handleIn(body: Uint8Array, name: "sessionHandle" | "operationHandle"): string | undefined {
  const answer = parseJson(Buffer.from(body).toString());
  const handle = isRecord(answer) ? answer[name] : undefined;
  return typeof handle === "string" && /^[\w-]{1,100}$/.test(handle) ? handle : undefined;
}

/** Reads a page; `undefined` if the body is not a page. */
export function readPage(body: Uint8Array): ResultPage | undefined {
  const answer = parseJson(Buffer.from(body).toString());
  if (!isRecord(answer)) return undefined;
  if (answer.resultType === "NOT_READY") return { kind: "waiting" };
  const { results } = answer;
  if (!isRecord(results) || !Array.isArray(results.columns) || !Array.isArray(results.data)) return undefined;
  const columns = results.columns.map((column: unknown) =>
    cellText(isRecord(column) ? column.name : undefined),
  );
  const rows = results.data.map((row: unknown) =>
    isRecord(row) && Array.isArray(row.fields) ? row.fields.map(cellText) : undefined,
  );
  if (!rows.every((row) => row?.length === columns.length)) return undefined;
  const next = nextOf(answer);
  if (next === "unknown") return undefined;
  return { kind: "rows", columns, rows: rows.filter((row) => row !== undefined), next };
}

function nextOf({
  resultType,
  nextResultUri,
}: Readonly<Record<string, unknown>>): number | undefined | "unknown" {
  if (resultType === "EOS") return undefined;
  if (resultType !== "PAYLOAD" || typeof nextResultUri !== "string") return "unknown";
  const [, token] = /\/result\/(\d{1,9})(?:\?|$)/.exec(nextResultUri) ?? [];
  return token === undefined ? "unknown" : Number(token);
}

/** A value as text; empty for lists and objects, which the statements here do not give. */
function cellText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Exception names before a message, which mean nothing to the author of the statement. */
const exceptionName = /^(?:[\w$]+\.)+[\w$]*(?:Exception|Error):?\s*/;

/** The reason of a failure in Flink's words: the innermost cause with a meaningful message. */
export function failureIn(body: Uint8Array): string {
  const answer = parseJson(Buffer.from(body).toString());
  const errors = isRecord(answer) && Array.isArray(answer.errors) ? answer.errors.map(cellText) : [];
  return causeIn(errors.join("\n"));
}

/** Why a job has failed the last time, in an answer of its job manager; empty if it does not say. */
export function jobFailureIn(body: Uint8Array): string {
  const answer = parseJson(Buffer.from(body).toString());
  return isRecord(answer) ? causeIn(cellText(answer["root-exception"])) : "";
}

/** The innermost cause in a trace of Java. */
function causeIn(trace: string): string {
  const lines = trace.split("\n");
  const causes = lines.filter((line) => line.startsWith("Caused by: ")).map((line) => line.slice(11));
  const first = lines.filter((line) => exceptionName.test(line));
  const said = [...first, ...causes].map((line) => line.replace(exceptionName, "").trim());
  return foreignText(said.findLast((line) => line !== "") ?? lines.find((line) => line.trim() !== "") ?? "");
}
