// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of another language
import fc from "fast-check";
import type { JsonEntry } from "../abi/abi-of.js";
import { dictionary, either, type Json, mostly, pick, record } from "./arbitraries.js";
import { type KnownAbi, known, signature } from "./known-abis.js";
import { badTypes, hostileStrings, traps, types, values } from "./texts.js";

/** A valid field, by its key. */
const goodFields: readonly (readonly [string, string])[] = [
  ["block uint256", "event.block.number"],
  ["who address", "event.address.toHexString()"],
  ["text string", '"a" + "b"'],
  ["flag bool", "event.address == Address.zero()"],
  ["small int8", "event.logIndex.toI32()"],
  ["raw bytes", "event.address"],
  ["list uint256[]", "[event.block.number]"],
  ["ratio ufixed", "BigDecimal.zero()"],
  ["gas uint256", "event.receipt!.gasUsed"],
];

const ids = known.map(({ name }) => name);
const anyValues = [...values, ...traps.map(([, value]) => value)];
const refs = ["a", "b", "balance", "entity", "_"];
const fieldNames = ["value", "id", "block_number", "timestamp", "a_in", "a__b", "type", "Value", "amount"];
const entityNames = ["Balance", "Balances", "Transfer", "Value", "Bytes", "Pool", "balance", "_Meta", "A_b"];

/* `care` below sets how rare mistakes are: one in that many choices. */

function expressionFor(entry: JsonEntry, care: number): fc.Arbitrary<string> {
  const names = (entry.inputs ?? []).map(({ name }, index) => name || `param${index}`);
  return fc
    .tuple(mostly(anyValues, hostileStrings, care), mostly(names, ["nope"], care), pick(refs))
    .map(([text, parameter, ref]) => text.replaceAll("$p", parameter).replaceAll("$c", ref));
}

function fieldsFor(entry: JsonEntry, care: number): fc.Arbitrary<Json> {
  const loose = fc
    .tuple(
      mostly(fieldNames, hostileStrings, care),
      mostly(types, badTypes, care),
      expressionFor(entry, care),
    )
    .map(([name, type, value]) => [`${name} ${type}`, value] as const);
  return dictionary(either(pick(goodFields), loose, Math.ceil(care / 4)), { maxLength: 4 });
}

function entitiesFor(entry: JsonEntry, care: number): fc.Arbitrary<Json> {
  const fields = fieldsFor(entry, care);
  const id = either(pick(['"x"', "event.address.toHexString()"]), expressionFor(entry, care), care);
  const item = record({ id, explicit_id: fc.boolean(), mapping: fields }, ["id", "mapping"]);
  const entity = fc.oneof(fields, fc.array(item, { minLength: 1, maxLength: 3 }));
  const name = mostly([...entityNames, entry.name ?? "Nameless"], hostileStrings, care);
  return dictionary(fc.tuple(name, entity), { maxLength: 3 });
}

function callFor(abi: KnownAbi, entry: JsonEntry, care: number): fc.Arbitrary<Json> {
  const expression = expressionFor(entry, care);
  const simple = abi.reads.filter(({ inputs }) => (inputs ?? []).length === 0);
  const careful = record(
    {
      name: mostly(
        simple.map((read) => read.name ?? ""),
        hostileStrings,
        care,
      ),
      source: pick(["event.address", `0x${"0a".repeat(20)}`]),
      required: fc.boolean(),
      declared: fc.boolean(),
      conditions: record(
        { pre: pick(["true", "event.address != Address.zero()"]), post: pick(["true"]) },
        [],
      ),
    },
    ["name"],
  );
  const name = fc.oneof(
    mostly(
      abi.reads.map((read) => read.name ?? ""),
      ["nope"],
      care,
    ),
    mostly(abi.functions.map(signature), ["nope()"], care),
  );
  const loose = record(
    {
      name,
      abi: mostly([abi.name, ...ids], ["nope", "__proto__"], care),
      source: expression,
      params: fc.oneof(
        expression,
        fc.array(expression, { maxLength: 3 }).map((list) => list.join(", ")),
      ),
      depends_on: fc.array(pick(refs), { maxLength: 2 }),
      required: fc.boolean(),
      declared: fc.boolean(),
      conditions: record({ pre: expression, post: expression }, []),
    },
    ["name"],
  );
  return either(careful, loose, Math.ceil(care / 3));
}

function enrichFor(abi: KnownAbi, care: number): fc.Arbitrary<Json> {
  const trigger =
    abi.events.length === 0
      ? pick(abi.functions)
      : mostly(abi.events, [...abi.events, ...abi.functions], care);
  const handler = trigger.chain((entry) =>
    fc.tuple(
      mostly([signature(entry)], [entry.name ?? "", ...hostileStrings], care),
      record(
        {
          calls: dictionary(fc.tuple(mostly(refs, hostileStrings, care), callFor(abi, entry, care)), {
            maxLength: 3,
          }),
          entities: entitiesFor(entry, care),
        },
        ["entities"],
      ),
    ),
  );
  const imports = fc.array(mostly(["BigDecimal", "log", "Address", "store"], hostileStrings, care), {
    maxLength: 2,
  });
  return record(
    {
      options: record({ debugging: fc.boolean(), imports }, []),
      handlers: dictionary(handler, { minLength: 1, maxLength: 3 }),
    },
    ["handlers"],
  );
}

const chains = ["mainnet", "matic", "base", "private-1"];

function dataSource(abi: KnownAbi, care: number): fc.Arbitrary<Json> {
  return record(
    {
      abi: fc.constant(abi.name),
      address: fc.integer({ min: 1, max: 40 }).map((number) => `0x${number.toString(16).padStart(40, "0")}`),
      startBlock: fc.nat(2 ** 31 - 1),
      chain: pick(chains),
      enrich: enrichFor(abi, care),
    },
    ["abi", "address", "startBlock", "chain"],
  );
}

function template(abi: KnownAbi, care: number): fc.Arbitrary<Json> {
  const creators = known.filter(({ events }) => events.length > 0);
  return pick(creators).chain((creator) =>
    pick(creator.events).chain((event) =>
      record(
        {
          abi: fc.constant(abi.name),
          source: record(
            {
              abi: fc.constant(creator.name),
              eventSignature: mostly([signature(event)], [event.name ?? ""], care),
              addressParam: mostly(
                (event.inputs ?? []).filter(({ type }) => type === "address").map(({ name }) => name ?? ""),
                ["nope"],
                care,
              ),
            },
            ["abi", "eventSignature", "addressParam"],
          ),
          enrich: enrichFor(abi, care),
        },
        ["abi", "source"],
      ),
    ),
  );
}

/** Instances that fit together only by chance. */
export const looseInstances = (care: number): fc.Arbitrary<readonly Json[]> =>
  fc.array(
    pick(known).chain((abi) => either(dataSource(abi, care), template(abi, care), 6)),
    { minLength: 1, maxLength: 4 },
  );
