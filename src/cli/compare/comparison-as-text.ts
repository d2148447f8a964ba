import { visible } from "../../base/text/visible.js";
import type { Comparison } from "../../compare/compare-endpoints.js";
import type { QueryEndpoint } from "../../compare/endpoint.js";
import type { SchemaDifference } from "../../compare/match-schemas.js";
import type { FirstDifference, ProofComparison } from "../../compare/proofs.js";
import { hasDifferences, type TypeTally } from "../../compare/tally.js";
import { type Column, listing, tableWidth } from "../subgraph/listing.js";
import { count } from "../terminal/count.js";
import type { Terminal } from "../terminal/terminal.js";

const columns: readonly Column<TypeTally>[] = [
  { title: "ENTITY", cell: ({ name }) => name, mayShrink: true },
  { title: "LEFT", cell: ({ left }) => String(left) },
  { title: "RIGHT", cell: ({ right }) => String(right) },
  { title: "ONLY LEFT", cell: ({ only_left }) => String(only_left) },
  { title: "ONLY RIGHT", cell: ({ only_right }) => String(only_right) },
  { title: "DIFFERENT", cell: ({ different }) => String(different) },
];

/** The result of a comparison, for people. */
export function comparisonAsText(
  comparison: Comparison,
  sides: readonly [QueryEndpoint, QueryEndpoint],
  terminal: Pick<Terminal, "outColor" | "columns">,
): string {
  const { plan, proofs, types } = comparison;
  const parts = [
    headLines(comparison, sides),
    proofs ? proofLines(proofs) : "",
    plan.differences.map((one) => `${visible(schemaLine(one))}\n`).join(""),
    types.length === 0 ? "" : listing(columns, types, tableWidth(terminal)),
    types.flatMap(differenceLines).join(""),
    plan.left_out.map(({ name, why }) => `${visible(`not compared: ${name}, because ${why}`)}\n`).join(""),
    `${verdict(comparison)}\n`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function headLines({ block, heads }: Comparison, sides: readonly [QueryEndpoint, QueryEndpoint]): string {
  const told = sides.map(({ name, shown }, index) => {
    const head = heads[index];
    const failed = head?.hasIndexingErrors ? ", with indexing errors" : "";
    return `${name.padEnd(5)}  ${shown}  ${head?.deployment ?? "unknown deployment"}, at block ${head?.number}${failed}`;
  });
  return `${[...told, `block  ${block.number}${blockNote(block)}`].map((line) => `${visible(line)}\n`).join("")}`;
}

function blockNote({ left, right, isSame }: Comparison["block"]): string {
  const known = left ?? right;
  if (isSame === true) return `, ${known} on both sides`;
  if (isSame === undefined)
    return known === undefined ? "; neither side reports its hash" : "; one side does not report its hash";
  return `: ${left} on the left, ${right} on the right`;
}

function schemaLine(difference: SchemaDifference): string {
  if ("only" in difference) return `${difference.kind} ${difference.name} is only on the ${difference.only}`;
  const { kind, name, left, right } = difference;
  return `${kind === "field-type" ? "field" : "enum"} ${name} is ${left} on the left, ${right} on the right`;
}

function differenceLines(tally: TypeTally): readonly string[] {
  if (!hasDifferences(tally)) return [];
  const fields = Object.entries(tally.fields).map(([name, times]) => `${name} in ${times}`);
  const all = tally.only_left + tally.only_right + tally.different;
  const shown = all > tally.first.length ? `, showing the first ${tally.first.length}` : "";
  const head = `${tally.name}: ${count(all, "difference")}${fields.length > 0 ? ` (${fields.join(", ")})` : ""}${shown}`;
  return [
    `${visible(head)}\n`,
    ...tally.first.map(({ id, only, fields: values }) => {
      const what = only === null ? "" : `  only on the ${only}`;
      const lines = values.map(({ name, left, right }) => `    ${name}: ${left} | ${right}`);
      return [`  ${id}${what}`, ...lines].map((line) => `${visible(line)}\n`).join("");
    }),
  ];
}

function proofLines({ left, right, isEqual, first }: ProofComparison): string {
  if (isEqual) return `proof  ${left} on both sides\n`;
  const told = [`proof  ${left} on the left`, `       ${right} on the right`];
  if (first) told.push("", firstLine(first), ...changeLines(first));
  return told.map((line) => `${visible(line)}\n`).join("");
}

function firstLine({ block, isEarliest, entities, count: changed }: FirstDifference): string {
  const where = isEarliest
    ? `The proofs differ at block ${block} already, the earliest that both sides keep.`
    : `The proofs differ from block ${block} on.`;
  if (!entities) return `${where} A side does not tell what the block changed.`;
  if (changed === 0)
    return `${where} Both sides made the same changes in it: the handlers wrote in another order, or more often.`;
  const shown = changed > entities.length ? `, showing the first ${entities.length}` : "";
  return `${where} It changed ${changed === 1 ? "1 entity" : `${changed} entities`} differently${shown}:`;
}

function changeLines({ entities = [] }: FirstDifference): readonly string[] {
  return entities.flatMap(({ type, id, only, fields }) => [
    `  ${type} ${id}${only === null ? "" : `  only on the ${only}`}`,
    ...fields.map(({ name, left, right }) => `    ${name}: ${left} | ${right}`),
  ]);
}

function verdict({ isEqual, block, proofs, types }: Comparison): string {
  if (block.isSame === false)
    return "Nothing was compared: the sides follow different chains, or one of them has not seen a reorganisation yet. Pass an earlier --block.";
  if (proofs?.isEqual && isEqual)
    return "Both sides are the same: their handlers have written the same up to this block. Handlers of files are not part of proofs; --no-proofs compares all entities.";
  const entities = types.reduce((sum, { left }) => sum + left, 0);
  return isEqual
    ? `Both sides are the same: ${entities} ${entities === 1 ? "entity" : "entities"}.`
    : "The sides differ.";
}
