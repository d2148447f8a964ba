import { expect, it, test } from "vitest";
import { explorerOf } from "../../../../src/platform/pages/entities/explorer.js";
import { inReadingOrder } from "../../../../src/platform/pages/entities/field-roles.js";
import { type ValueLinks, valueHtml } from "../../../../src/platform/pages/entities/value-html.js";
import { columnOf, tableOf } from "./columns.js";

const links: ValueLinks = {
  explorer: explorerOf("mainnet"),
  entity: (type, id) => `/${type}?${String(new URLSearchParams({ id }))}`,
};
const length = { longest: 80, items: 2 };
const shown = (field: string, text: string | null, type?: string, own = links) =>
  valueHtml(columnOf(field, type), text, own, length);
const address = "ab".repeat(20);
const hash = "cd".repeat(32);

test.each([
  ["id", `\\x${address}`, `<a href="https://etherscan.io/address/0x${address}"`],
  ["transactionHash_", `0x${hash}`, `<a href="https://etherscan.io/tx/0x${hash}"`],
  ["block_number", "12", '<a href="https://etherscan.io/block/12"'],
  ["token", "a b", '<a href="/Token?id=a+b">a b</a>'],
  ["asset", "x", '<a href="/Asset?id=x">x</a>'],
  [
    "timestamp_",
    "1700000000",
    '<time datetime="2023-11-14T22:13:20.000Z" data-moment title="1700000000">2023-11-14 22:13:20',
  ],
  ["createdAt", "1700000000", "2023-11-14 22:13:20</time>"],
  ["createdAt", "7", "<span>7</span>"],
  ["amount", "1700000000", "<span>1700000000</span>"],
  ["note", "<b>", "<span>&#60;b&#62;</span>"],
  ["note", `0x${hash}`, "<span title"],
  ["note", null, '<span class="soft">null</span>'],
])("a value of %s is displayed according to its type: %s", (field, text, markup) => {
  expect(shown(field, text).content.markup).toContain(markup);
});

it("the page shows times of timeseries with their microseconds, in UTC without the script that knows the reader's zone", () => {
  expect(shown("timestamp", "2023-11-14 22:13:20.5+00", "Point").content.markup).toBe(
    '<time datetime="2023-11-14T22:13:20Z" data-moment data-fraction=".5" title="1700000000500000">2023-11-14 22:13:20.5</time>',
  );
});

it("the page contains no links on a chain without a known explorer", () => {
  expect(explorerOf("my-own-chain")).toBeUndefined();
  const none = { ...links, explorer: undefined };
  for (const [field, text] of [
    ["id", `\\x${address}`],
    ["transactionHash_", `0x${hash}`],
    ["block_number", "12"],
  ] as const)
    expect(shown(field, text, undefined, none).content.markup).not.toContain("<a");
});

it("the page cuts long values and lists, and says so", () => {
  expect(shown("note", "x".repeat(80))).toMatchObject({ isCut: false });
  const { content, isCut } = shown("note", "x".repeat(81));
  expect([content.markup.endsWith(`${"x".repeat(80)}…</span>`), isCut]).toEqual([true, true]);
  const list = shown("owners", '{"\\\\x01",NULL,"\\\\x03"}');
  expect([list.content.markup, list.isCut]).toEqual([
    '[<span>0x01</span>, <span class="soft">null</span>, …]',
    true,
  ]);
});

it("the page shows the subgraph's own fields before those of the block and the transaction", () => {
  const fields = inReadingOrder(tableOf("Trade").columns).map(({ field }) => field);
  expect([fields.slice(0, 3), fields.slice(-4)]).toEqual([
    ["id", "amount", "price"],
    ["block_number", "timestamp_", "transactionHash_", "contractId_"],
  ]);
});
