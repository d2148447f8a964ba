import { messageOf } from "../../base/text/message-of.js";
import { quote } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import { Refusal } from "../../data/answers/refusal.js";
import { type Audit, AuditError, type AuditedToken, auditTokens } from "../../data/audit/audit-tokens.js";
import { dataChainOfName } from "../../data/chains/data-chain.js";
import { UnknownStateError } from "../../data/nodes/data-node.js";
import { ChainError } from "../../runtime/chain/chain.js";
import type { SubgraphArguments } from "../pipeline/sources/open-subgraphs.js";
import { reportMissingPackage } from "../pipeline/with-plan.js";
import { openDataNode } from "../reader/open-data-node.js";
import { clickHouseIn, type RowsArguments, withAuditRows } from "../reader/open-rows.js";
import { findNodes, ofReading } from "../run/find-nodes.js";
import { padded, widthOf } from "../terminal/cells.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { withFilledDatabase } from "./open-place.js";

/** The names of the kinds in the table. */
const words: Readonly<Record<AuditedToken["kind"], string>> = {
  agrees: "agrees",
  unreliable: "unreliable",
  rebasing: "rebasing",
  fee_taking: "takes fees",
  non_fungible: "unique tokens",
  no_transfers: "emits no transfers",
  differs: "differs, cause unknown",
  pre_history: "held before the tables begin",
};

/** Longest symbol that is printed, in characters. */
const longestSymbol = 12;

export interface AuditDataArguments extends SubgraphArguments, RowsArguments {
  readonly chain: string;
  readonly wallets: number;
  readonly seed: string;
  readonly tokens?: string | undefined;
  readonly unmark: boolean;
  readonly rpc?: readonly string[] | undefined;
  readonly output: "table" | "json";
}

const mostWallets = 10_000;

/** Compares sums of transfers with balances, and marks tokens; returns the exit code. @throws UsageError */
export function auditData(args: AuditDataArguments, terminal: Terminal): Promise<number> {
  const { wallets, seed, unmark, output } = args;
  const chain = dataChainOfName(args.chain);
  if (!chain)
    throw new UsageError(
      `--chain: there is no chain ${quote(args.chain)}. graphloom dataset list shows all chains.`,
    );
  if (!(Number.isInteger(wallets) && wallets >= 1 && wallets <= mostWallets))
    throw new UsageError(`--wallets must be 1 to ${mostWallets}.`);
  const tokens = args.tokens === undefined ? undefined : readTokens(args.tokens);
  const nodes = findNodes(args.rpc ?? [], [chain.network], terminal.env ?? {}, ofReading);
  const url = nodes.get(chain.network) ?? "";
  const clickHouse = clickHouseIn(args, terminal);
  const draw = { chain: chain.name, wallets, seed, tokens };
  const node = openDataNode(url, terminal.signal);
  return reportMissingPackage(terminal, () =>
    withFilledDatabase(args, terminal, (database) =>
      withAuditRows(clickHouse, database, terminal, async (rows) => {
        try {
          const audit = await auditTokens({ database, rows, node }, draw, unmark);
          terminal.out(output === "json" ? auditAsJson(audit, seed) : auditAsText(audit));
          return audit.tokens.every(({ kind }) => kind === "agrees") ? exitCodes.clean : exitCodes.differs;
        } catch (error) {
          if (!(error instanceof AuditError || error instanceof ChainError || error instanceof Refusal))
            throw error;
          terminal.err(`The audit ended, and no token was marked. ${visible(reasonOf(error))}\n`);
          return exitCodes.remote;
        }
      }),
    ),
  );
}

function reasonOf(error: AuditError | ChainError | Refusal): string {
  if (error instanceof Refusal) return `ClickHouse cannot be used: ${reasonOfRefusal(error)}`;
  if (error instanceof UnknownStateError)
    return `The node does not know the newest block of the tables, or has no state for that block: ${error.message}. Run data sync, and then the audit, with the same node.`;
  return error instanceof AuditError ? error.message : `The node did not answer: ${error.message}`;
}

/** The server's message, if there is one. */
function reasonOfRefusal({ message, cause }: Refusal): string {
  return cause === undefined ? message : messageOf(cause);
}

/** @throws UsageError */
function readTokens(given: string): readonly string[] {
  const tokens = given.split(",").map((token) => token.trim().toLowerCase());
  const wrong = tokens.find((token) => !/^0x[\da-f]{40}$/.test(token));
  if (wrong === undefined) return [...new Set(tokens)];
  throw new UsageError(`--tokens must be addresses, 0x and 40 hex digits, not ${quote(wrong)}.`);
}

/** An audit as a table: a line for each token, with the findings below it, and a summary. */
function auditAsText({ block, wallets, tokens, unmarked }: Audit): string {
  const rows = tokens.map(({ token, symbol, kind, wallets: all, differing }) => [
    token,
    visible([...(symbol ?? "")].slice(0, longestSymbol).join("")),
    `${differing} of ${all}`,
    words[kind],
  ]);
  const table = [["token", "symbol", "wallets that differ", "finding"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => widthOf(row[column] ?? ""))));
  const lineOf = (row: readonly string[]): string =>
    row.map((text, column) => (column === 3 ? text : padded(text, widths[column] ?? 0))).join("  ");
  const lines = tokens.flatMap(({ evidence }, index) => [
    lineOf(rows[index] ?? []),
    ...(evidence === null ? [] : [`  ${evidence}`]),
  ]);
  const differing = tokens.filter(({ kind }) => kind !== "agrees").length;
  const summary = `${differing === 0 ? "All agree" : `${differing} of ${count(tokens.length, "token")} differ`}: ${count(wallets, "wallet")} at block ${block.number}, ${block.hash}.`;
  const removed = unmarked.length === 0 ? [] : [`Removed the marks of ${count(unmarked.length, "token")}.`];
  return `${[...(tokens.length === 0 ? [] : [lineOf(table[0] ?? []), ...lines]), summary, ...removed].join("\n")}\n`;
}

/** An audit as one JSON document. */
function auditAsJson({ chain, block, wallets, tokens, unmarked }: Audit, seed: string): string {
  const agreed = tokens.every(({ kind }) => kind === "agrees");
  return `${JSON.stringify({ chain, block, seed, wallets, agreed, tokens, unmarked }, undefined, 2)}\n`;
}
