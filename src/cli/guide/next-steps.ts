import { visible } from "../../base/visible.js";
import { parseAddress } from "../../web/http/address.js";
import { variableOf } from "../run/find-nodes.js";
import { wrappedCommand } from "../terminal/word-wrap.js";

/** What is known of a configuration, to say what to do with it. */
export interface KnownConfig {
  /** As the user names it. */
  readonly file: string;
  /** Its chains; empty where they are not known. */
  readonly chains: readonly string[];
  /** `<name>/<version>`, where it has both. */
  readonly name: string | undefined;
  /** The address of a node that was used; it is only shown where it holds no key. */
  readonly rpc?: string | undefined;
  /** Whether to say that the package is not installed, which editors need for the schema. */
  readonly isUninstalled?: boolean;
  /** The width of the terminal that it is shown at; absent where it is no terminal. */
  readonly columns?: number | undefined;
}

/** The next command lines for a configuration, each with its purpose. */
export function nextSteps({ file, chains, name, rpc, isUninstalled, columns }: KnownConfig): string {
  const path = shellWord(file);
  const nodes = chains.map((chain) => ` --rpc ${chain}=${shownNode(rpc)}`).join("");
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

/** A node's address, unless it may hold a key. */
function shownNode(url: string | undefined): string {
  const address = url === undefined ? undefined : parseAddress(url);
  return address && address.secrets.length === 0 ? address.origin : "https://…";
}

/** A path as a shell takes it. */
function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}
