import { visible, visibleJson } from "../../base/text/visible.js";
import type { Progress } from "../../runtime/indexer/indexer.js";
import type { PlainValue } from "../../runtime/store/plain-entity.js";
import { plainStoreValue } from "../../runtime/store/plain-entity.js";
import { count } from "../terminal/count.js";
import { nameList } from "./name-list.js";
import type { ComparedFigure } from "./plan/compare-plan.js";
import { fieldValue, type ShownEntity, type ShownType } from "./shown-type.js";
import { table } from "./table.js";

/** The results of a chain's run. */
export interface ShownChain {
  readonly chain: string;
  /** The first and the last block that ran; absent if none did. */
  readonly blocks?: { readonly first: number; readonly last: number };
  readonly progress: Progress;
  /** Number of logs that were missing from the node's answers and were found by other means. */
  readonly leftOut: number;
  readonly types: readonly ShownType[];
  /** The plan and the measured load; absent unless the run was planned. */
  readonly compared?: readonly ComparedFigure[] | undefined;
}

/** Tables for people: per type, the number of entities and those to show. @param columns the terminal's width */
export function tables({ chain, blocks, progress, leftOut, types }: ShownChain, columns: number): string {
  const { handlers, reads } = progress;
  const range = blocks ? `blocks ${blocks.first} to ${blocks.last}` : "no blocks";
  const head = `${visible(chain)}: ${range}, ${count(handlers, "trigger")}, ${count(reads, "call")}${leftOutPart(leftOut)}\n`;
  const written = types.filter(({ versions }) => versions > 0);
  const rest = types.filter(({ versions }) => versions === 0).map(({ name }) => name);
  const parts = written.map((type) => {
    const { name, entities, count: all, versions, fields } = type;
    const again = versions > all ? `, written ${versions} times` : "";
    const which = entities.length > 0 && entities.length < all ? `, showing the last ${entities.length}` : "";
    const title = `\n${name}: ${all}${again}${which}\n`;
    return entities.length === 0 ? title : title + table(fields, entities, columns);
  });
  const none = rest.length === 0 ? "" : `\n${nameList("no entities", rest, columns)}`;
  return [head, ...parts, none].join("");
}

function leftOutPart(leftOut: number): string {
  return leftOut === 0 ? "" : `; the node left out ${count(leftOut, "log")}, found elsewhere`;
}

/**
 * Writes one JSON document for programs. By chain: the first and the last block read (null if there were none), the
 * number of handlers that ran, the number of contract reads sent, the number of logs that were missing from the node's
 * answers and were found by other means, and the entities by type:
 *
 *     {
 *       "mainnet": {
 *         "blocks": { "first": 12369621, "last": 12369820 },
 *         "triggers": 812,
 *         "calls": 1430,
 *         "logsLeftOut": 0,
 *         "entities": { "Swap": [{ "id": "0x…", "amount0": "-1000", … }, …], … }
 *       }
 *     }
 *
 * If the run was planned, `plan` lists each figure with its unit, as planned and as counted.
 *
 * The document contains every type shown and every stored field; a field without a value is null. Entities are in the
 * order in which they were last written. `plainValue` makes the values. Members may be added, but none changes its
 * meaning.
 * @param write receives the document piece by piece, because it may be long
 */
export function writeJson(chains: readonly ShownChain[], write: (text: string) => void): void {
  write("{");
  for (const [index, { chain, blocks, progress, leftOut, types, compared }] of chains.entries()) {
    write(`${comma(index)}\n  ${json(chain)}: {\n    "blocks": ${json(blocks ?? null)},\n`);
    write(`    "triggers": ${progress.handlers},\n    "calls": ${progress.reads},\n`);
    write(`    "logsLeftOut": ${leftOut},\n`);
    if (compared) write(`    "plan": ${json(compared)},\n`);
    write(`    "entities": {`);
    for (const [position, type] of types.entries()) {
      const { entities } = type;
      write(`${comma(position)}\n      ${json(type.name)}: [`);
      for (const [row, shown] of entities.entries())
        write(`${comma(row)}\n        ${json(plainFields(type, shown))}`);
      write(entities.length === 0 ? "]" : "\n      ]");
    }
    write(types.length === 0 ? "}\n  }" : "\n    }\n  }");
  }
  write("\n}\n");
}

/**
 * Prints a JSON line per entity:
 * `{"chain":"mainnet","type":"Swap","block":12369630,"entity":{"id":"0x…",…}}`, where `block` is the
 * block of the last write. Order and values are as in the JSON document.
 */
export function writeLines(chains: readonly ShownChain[], write: (text: string) => void): void {
  for (const { chain, types } of chains) {
    for (const type of types) {
      for (const shown of type.entities) {
        const entity = plainFields(type, shown);
        write(`${json({ chain, type: type.name, block: shown.block, entity })}\n`);
      }
    }
  }
}

function plainFields({ fields }: ShownType, { entity }: ShownEntity): Readonly<Record<string, PlainValue>> {
  return Object.fromEntries(fields.map((field) => [field.name, plainStoreValue(fieldValue(entity, field))]));
}

function comma(index: number): string {
  return index === 0 ? "" : ",";
}

function json(value: unknown): string {
  return visibleJson(JSON.stringify(value));
}
