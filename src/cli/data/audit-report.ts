import { visible } from "../../base/visible.js";
import type { Audit, AuditedToken } from "../../data/audit/audit-tokens.js";
import { padded, widthOf } from "../terminal/cells.js";
import { count } from "../terminal/count.js";

/** What kinds are called in the table. */
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

/** An audit as a table: a line for each token, with what was seen below it, and a summary. */
export function auditAsText({ block, wallets, tokens, unmarked }: Audit): string {
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
export function auditAsJson({ chain, block, wallets, tokens, unmarked }: Audit, seed: string): string {
  const agreed = tokens.every(({ kind }) => kind === "agrees");
  return `${JSON.stringify({ chain, block, seed, wallets, agreed, tokens, unmarked }, undefined, 2)}\n`;
}
