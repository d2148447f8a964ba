import { ClickHouseError } from "../../flows/sinks/clickhouse-server.js";

/** What an answer says that should have been another one. */
export function failureIn(answer: string): ClickHouseError {
  const [, code, message] = /Code: (\d+)\. DB::Exception: (.*)/s.exec(answer) ?? [];
  return new ClickHouseError(
    (message ?? `ClickHouse has answered: ${answer}`).slice(0, 1_000).trim(),
    code === undefined ? undefined : Number(code),
  );
}

/** The failure of a statement that has no answer. */
export function noAnswer(
  reason: string,
  options: ErrorOptions & { readonly isSilent?: boolean } = {},
): ClickHouseError {
  return new ClickHouseError(`ClickHouse does not answer: ${reason}`, undefined, options);
}
