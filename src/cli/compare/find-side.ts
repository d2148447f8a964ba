import { inShell } from "../../base/in-shell.js";
import { quotePath } from "../../base/quote.js";
import { visible } from "../../base/visible.js";
import type { Side } from "../../compare/match-schemas.js";
import { isWebAddress } from "../../web/http/address.js";
import { findNamed, kindWords } from "../named/find-named.js";
import { hostOfTerminal } from "../named/load-named.js";
import { type VersionEndpoint, versionEndpoint } from "../named/version-endpoint.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import type { CompareArguments } from "./compare-arguments.js";

/**
 * Finds the endpoint of a side: an address, or that of a version on a server.
 * @throws UsageError for any other word, with what would work. It quotes no address, since one may contain a key.
 */
export async function findSide(
  side: Side,
  args: CompareArguments,
  terminal: Terminal,
): Promise<VersionEndpoint> {
  const word = args[side];
  if (isWebAddress(word)) return { url: word, headers: {} };
  if (/:\/\/|@/.test(word))
    throw new UsageError(`The address of the ${side} side must start with http:// or https://.`);
  const advice = `Name the ${side} side by the address of an endpoint, which starts with http:// or https://, or by <name>/<version> on a server.`;
  const named = await findNamed(word, hostOfTerminal(terminal)).catch((error: unknown): never => {
    if (!(error instanceof UsageError)) throw error;
    const [found = ""] = error.message.split("\n");
    throw new UsageError(found, advice);
  });
  if (named.kind === "version") return versionEndpoint(named, "to read its entities from", args, terminal);
  if (named.kind === "endpoint") return { url: named.url, headers: {} };
  const shown = quotePath(visible(word));
  if (named.kind === "deployment" || (named.kind === "configuration" && !/\.json5?$/i.test(named.path)))
    throw new UsageError(
      `${shown} is ${named.kind === "deployment" ? kindWords.deployment : "a file"}, not an endpoint.`,
      advice,
    );
  throw new UsageError(
    `${shown} is ${kindWords[named.kind]}, which has no entities to compare. To query it, run: graphloom dev ${inShell(word)}`,
    advice,
  );
}
