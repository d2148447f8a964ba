import { certificateAdvice, certificateFaultOf } from "../../../base/certificate-fault.js";
import { messageOf } from "../../../base/text/message-of.js";
import { secretTrust } from "../../http/secret-trust.js";
import { ClickHouseError } from "../../sinks/clickhouse-server.js";

/** How much of an unexpected answer is examined. */
const mostLooked = 10_000;

/** The reason in an unexpected answer: the innermost of several errors, without its name and the version. */
export function failureIn(answer: string): ClickHouseError {
  const [, code, told] = /Code: (\d+)\..*DB::Exception: (.*)/s.exec(answer.slice(0, mostLooked)) ?? [];
  const message = told?.replace(/ *\((?=[A-Z0-9_]*[A-Z]{3})[A-Z0-9_]+\).*$/s, "");
  return new ClickHouseError(
    (message ?? `ClickHouse has answered: ${answer}`).slice(0, 1_000).trim(),
    code === undefined ? undefined : Number(code),
  );
}

/** Why there is no answer, and what to do about a certificate. */
export function reasonOf(error: Error): string {
  const fault = certificateFaultOf(error);
  if (!fault) return messageOf(error);
  return `its certificate ${fault.words}. ${certificateAdvice(fault, secretTrust)}`;
}

/** The failure of a statement that has no answer. */
export function noAnswer(
  reason: string,
  options: ErrorOptions & { readonly isSilent?: boolean } = {},
): ClickHouseError {
  return new ClickHouseError(`ClickHouse does not answer: ${reason}`, undefined, options);
}
