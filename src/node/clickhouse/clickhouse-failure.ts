import { ClickHouseError } from "../../flows/sinks/clickhouse-server.js";

/** What is looked at of an answer that should have been another one. */
const mostLooked = 10_000;

/** What an answer says that should have been another one: of several errors, the innermost, without its name and the version. */
export function failureIn(answer: string): ClickHouseError {
  const [, code, told] = /Code: (\d+)\..*DB::Exception: (.*)/s.exec(answer.slice(0, mostLooked)) ?? [];
  const message = told?.replace(/ *\((?=[A-Z0-9_]*[A-Z]{3})[A-Z0-9_]+\).*$/s, "");
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
