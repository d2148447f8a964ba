import { visible } from "../../base/text/visible.js";
import { localChains, usualLocalNode } from "../../chains/local-chains.js";
import { parseAddress } from "../../web/http/address.js";
import { variableOf } from "../reader/node-option.js";
import { wrappedCommand } from "../terminal/word-wrap.js";

/** The facts about a configuration that determine the next steps. */
export interface KnownConfig {
  /** As the user gave it. */
  readonly file: string;
  /** Its chains; empty if unknown. */
  readonly chains: readonly string[];
  /** `<name>/<version>`, if it has both. */
  readonly name: string | undefined;
  /** The address of the node that was used. It is only shown if it contains no key. */
  readonly rpc?: string | undefined;
  /** Whether to mention that the package is not installed; editors read the schema from it. */
  readonly isUninstalled?: boolean;
  /** The width of the terminal; absent without one. */
  readonly columns?: number | undefined;
}

/** The next command lines for a configuration, each with its purpose. */
export function nextSteps({ file, chains, name, rpc, isUninstalled, columns }: KnownConfig): string {
  const path = shellWord(file);
  const nodes = chains.map((chain) => ` --rpc ${chain}=${shownNode(chain, rpc)}`).join("");
  const steps: (readonly [string, string])[] = [
    [`graphloom dev ${path}${nodes}`, "index it, query it, see every edit at once"],
    [`graphloom check ${path} --watch`, "report mistakes as you edit"],
    [
      `graphloom subgraph deploy ${name ?? "<name>/<version>"} --from-abi ${path}`,
      "deploy it, after graphloom login",
    ],
    ...(isUninstalled
      ? ([["npm install --save-dev graphloom", "lets your editor explain every setting"]] as const)
      : []),
  ];
  const width = Math.max(...steps.map(([line]) => line.length));
  const whole = width + 4 + Math.max(...steps.map(([, purpose]) => purpose.length));
  const isTable = width <= 70 && whole <= (columns ?? whole);
  const shown = (line: string): string =>
    columns === undefined ? `  ${line}` : wrappedCommand(line, columns, "  ");
  const lines = steps.map(([line, purpose]) =>
    isTable ? `  ${line.padEnd(width)}  ${purpose}\n` : `${shown(line)}\n      ${purpose}\n`,
  );
  const [chain] = chains;
  const variable =
    chain === undefined
      ? ""
      : `Instead of passing --rpc, you can set ${variableOf(chain)} to the node's address.\n`;
  return visibleLines(`Next:\n${lines.join("")}${variable}`);
}

/** A node's address, or a placeholder if it may contain a key. An unknown node of a local chain has the usual address. */
function shownNode(chain: string, url: string | undefined): string {
  if (url === undefined) return localChains.has(chain) ? usualLocalNode : "https://…";
  const address = parseAddress(url);
  return address && address.secrets.length === 0 ? address.origin : "https://…";
}

/** Quotes a path for a shell. */
function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}
