import { visible } from "../../base/text/visible.js";
import { SecretKeyError } from "../../machine/logins/secret-key.js";
import { PackageMissingError } from "../../machine/optional-package.js";
import { ClickHouseError } from "../../pipelines/sinks/clickhouse-server.js";
import { HostedClusterError } from "../../platform/hosted-sinks/hosted-cluster.js";
import { ListenError } from "../../platform/serve.js";
import { DatabaseError } from "../../store/open.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";

/** Reports why a server cannot serve, and rethrows any other error. @returns the exit code */
export function explainServing(error: unknown, terminal: Terminal): number {
  if (error instanceof PackageMissingError) {
    terminal.err(`${error.message}\n`);
    return exitCodes.usage;
  }
  if (error instanceof ClickHouseError) {
    terminal.err(`ClickHouse cannot be used: ${visible(error.message)}\n`);
    return exitCodes.remote;
  }
  const isKnown =
    error instanceof DatabaseError ||
    error instanceof HostedClusterError ||
    error instanceof ListenError ||
    error instanceof SecretKeyError;
  if (!isKnown) throw error;
  terminal.err(`${visible(error.message)}\n`);
  if ("hint" in error && error.hint !== undefined) terminal.err(`${visible(error.hint)}\n`);
  return exitCodes.remote;
}
