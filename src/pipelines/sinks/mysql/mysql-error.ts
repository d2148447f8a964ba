import { SinkError } from "../../state/sink-error.js";
import { MysqlError } from "../mysql-database.js";
import { mysqlCertificateFault } from "./mysql-certificate.js";

/** SQLSTATE classes of errors that the rows did not cause: connections, transactions. */
const temporary = /^(?:08|40)/;

/** Such errors without a class of their own: too many connections, shutdown, full disks, locks, read-only servers. */
const temporaryNumbers: ReadonlySet<number> = new Set([
  1021, 1030, 1053, 1114, 1203, 1205, 1226, 1290, 1317, 1836, 1927, 1969, 3024,
]);

/** Errors about values that do not fit, without a class of their own. */
const unfitNumbers: ReadonlySet<number> = new Set([1264, 1265, 1292, 1366, 1406, 3140, 3819, 4025]);

/** Converts a server's error to a sink error; returns other errors unchanged. */
export function mysqlSinkError(error: unknown): unknown {
  if (!(error instanceof MysqlError)) return error;
  const { state, number } = error;
  const isUntrusted = mysqlCertificateFault(error.cause) !== undefined;
  const isTemporary =
    !isUntrusted &&
    (state === undefined || temporary.test(state) || (number !== undefined && temporaryNumbers.has(number)));
  return new SinkError(error.message, isTemporary, { cause: error });
}

/** Whether an error may be about a row: a value, a constraint, or what a trigger signals. */
export function isUnfit(error: unknown): error is MysqlError {
  if (!(error instanceof MysqlError)) return false;
  return /^(?:2[23]|45)/.test(error.state ?? "") || unfitNumbers.has(error.number ?? 0);
}
