// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of another language
import fc from "fast-check";
import type { JsonEntry } from "../abi/abi-of.js";
import { corpus, loadAbi } from "../corpus/corpus.js";

/** A JSON value; objects may have an own key `__proto__`. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const ids = [
  "oz4-ERC20Votes",
  "uni3-UniswapV3Factory",
  "uni3-UniswapV3Pool",
  "link4-LinkToken",
  "curve-Tricrypto2",
  "sablier-SablierV2LockupDynamic",
  "made-keywords",
  "made-nested",
  "made-note",
];

interface KnownAbi {
  readonly name: string;
  readonly text: string;
  readonly events: readonly JsonEntry[];
  readonly functions: readonly JsonEntry[];
  readonly reads: readonly JsonEntry[];
}

const known: readonly KnownAbi[] = corpus
  .filter(({ id }) => ids.includes(id))
  .map((entry) => {
    const abi = loadAbi(entry) as unknown as readonly JsonEntry[];
    const functions = abi.filter(({ type }) => type === "function");
    return {
      name: entry.id,
      text: JSON.stringify(abi),
      events: abi.filter((item) => item.type === "event" && !(item as { anonymous?: boolean }).anonymous),
      functions,
      reads: functions.filter(({ outputs }) => (outputs ?? []).length > 0),
    };
  });

/** The ABI files that the configurations refer to. */
export const abiFiles: Readonly<Record<string, string>> = Object.fromEntries(
  known.map(({ name, text }) => [`abis/${name}.json`, text]),
);

interface Typed {
  readonly type: string;
  readonly name?: string;
  readonly components?: readonly Typed[];
}

const typeOf = ({ type, components }: Typed): string =>
  type.startsWith("tuple") ? `(${(components ?? []).map(typeOf).join(",")})${type.slice(5)}` : type;

function signature(entry: JsonEntry): string {
  return `${entry.name}(${(entry.inputs ?? []).map((input) => typeOf(input as Typed)).join(",")})`;
}

/** Strings that mean something to one of the languages on the way. */
export const hostileStrings: readonly string[] = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "../../x",
  "con",
  "/etc/passwd",
  "a\nb: c",
  "*/ x /*",
  "${x}",
  "`",
  "'",
  '"',
  "#",
  ": ",
  "- a",
  "{{x}}",
  "\\",
  "\u2028",
  "\ud800",
  "\udc00x",
  "а",
  "ﬁ",
  "\u0000",
  "\ufeff",
  "\u202e",
  "😀",
  "x".repeat(300),
  "1",
  "null",
  "true",
  "0x",
  "event",
  "id",
  "calls",
  "entity",
  "default",
];

export const values = [
  "await x",
  "yield",
  "a in b",
  "event.block.number",
  "event.params.$p",
  "event.params.$p",
  "event.params.$p.toHexString()",
  "event.params.$p.toString()",
  "event.address.toHexString()",
  "event.address",
  "event.logIndex.toI32()",
  "event.receipt!.gasUsed",
  "event.receipt ? event.receipt!.gasUsed : BigInt.zero()",
  "event.transaction.to!.toHexString()",
  "event.transaction.to == null",
  "event.transaction.to === null",
  "calls.$c",
  "calls.$c",
  "calls.$c!",
  "calls.$c_reverted",
  "calls.$c == null",
  "calls.$c === null ? BigInt.zero() : calls.$c!",
  "calls.nope",
  "result.value",
  "entity.id",
  "true",
  "5",
  "1.5",
  "null",
  "-1",
  '"text"',
  "'a' + \"b\"",
  '"a" "b"',
  "`${event.params.$p}`",
  "`a${1}`",
  "[event.address]",
  "event.params.$p ?? 1",
  "calls.$c?.foo()",
  "BigInt.fromI32(10).pow(18)",
  "event.block.number >> 8",
  "event.block.number << 8",
  "event.block.number / 2",
  "1 + event.block.number",
  "event.block.number ^ event.block.number",
  "event.params.$p.map((i) => i)",
  "event.params.$p.map<string>((i) => i.toString())",
  "event.params.$p[0]",
  "event.params.$p.length",
  "Date.now()",
  "Math.random()",
  "JSON",
  "undefined",
  "void 0",
  "/x/",
  "{ a: 1 }",
  "({ a: 1 })",
  "x => x",
  "((a: i32): i32 => a + 1)(1)",
  "function f(): void {}",
  "new Date()",
  "a); b = (c",
  "1; store.remove('A', 'b')",
  "event.block.number // c",
  "event.block.number /* c */",
  "/* open",
  "(",
  ")",
  "",
  " ",
  "\n event.block.number \n",
  "this",
  "typeof event == 'string'",
  "event as Address",
  "<Address>event.address",
  "event.address as Bytes",
  "changetype<Bytes>(event.address)",
  "event.params",
  "event",
  "call.inputs.$p",
  "call.outputs.value0",
  "Address.zero()",
  "Bytes.empty()",
  "BigDecimal.zero()",
  "event.params['$p']",
  "...x",
  "a, b",
  "x++",
  "event.block.number = BigInt.zero()",
  "class A {}",
  "import('x')",
  "a ? b",
  "😀",
  "\\u0061",
  "\ud800",
  "$",
  "{{x}}",
];

const types = [
  "uint256",
  "address",
  "string",
  "bool",
  "int8",
  "uint24",
  "bytes",
  "bytes32",
  "uint256[]",
  "address[]",
  "int8[2]",
  "bool[]",
  "ufixed",
  "uint",
];
const badTypes = [
  "tuple",
  "uint256[][]",
  "nope",
  "uint257",
  "",
  "__proto__",
  "uint256 x",
  "string\n",
  "bytes33",
];

/** A field that is right as it stands, by its key. */
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

const refs = ["a", "b", "balance", "entity", "_"];
const fieldNames = ["value", "id", "block_number", "timestamp", "a_in", "a__b", "type", "Value", "amount"];
const entityNames = ["Balance", "Balances", "Transfer", "Value", "Bytes", "Pool", "balance", "_Meta", "A_b"];

const pick = <T>(items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
/** One of `items`, or with a chance of one in `care` one of `others`. */
const mostly = <T>(items: readonly T[], others: readonly T[], care: number): fc.Arbitrary<T> =>
  items.length === 0 ? pick(others) : either(pick(items), pick(others), care);

function either<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, care: number): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: usual, weight: care }, { arbitrary: other, weight: 1 });
}

const record = (model: Readonly<Record<string, fc.Arbitrary<Json>>>, requiredKeys: string[]) =>
  fc.record(model, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Json>;

const dictionary = (
  pairs: fc.Arbitrary<readonly [string, Json]>,
  size: { readonly minLength?: number; readonly maxLength: number },
): fc.Arbitrary<Json> => fc.array(pairs, size).map((list) => Object.fromEntries(list) as Json);

/* `care` below says how rare mistakes are: one in so many choices. */

function expressionFor(entry: JsonEntry, care: number): fc.Arbitrary<string> {
  const names = (entry.inputs ?? []).map(({ name }, index) => name || `param${index}`);
  return fc
    .tuple(mostly(values, hostileStrings, care), mostly(names, ["nope"], care), pick(refs))
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

const configuration = (care: number): fc.Arbitrary<Json> =>
  fc
    .array(
      pick(known).chain((abi) =>
        fc.oneof(
          { arbitrary: dataSource(abi, care), weight: 6 },
          { arbitrary: template(abi, care), weight: 1 },
        ),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .chain((instances) =>
      record(
        {
          version: fc.constant("1"),
          name: pick(["a", "a/1.0.0"]),
          abis: fc.constant(
            Object.fromEntries(known.map(({ name }) => [name, { path: `abis/${name}.json` }])) as Json,
          ),
          instances: fc.constant(instances as Json),
          enableCallHandlers: pick([true, true, false]),
        },
        ["version", "abis", "instances"],
      ),
    );

/** One change to the node that `where` chooses, counting all nodes in order. */
interface Mutation {
  readonly where: number;
  readonly kind: "remove" | "replace" | "rename" | "add" | "repeat";
  readonly key: string;
  readonly value: Json;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  where: fc.nat(400),
  kind: pick(["remove", "replace", "rename", "add", "repeat"] as const),
  key: pick([...hostileStrings, "enrichments", "handlers", "address", "source"]),
  value: fc.oneof(
    pick<Json>([null, true, 0, -1, 1e300, 1.5, [], {}, [[]], [null], { "": 1 }]),
    pick<Json>(hostileStrings),
    pick<Json>(values),
  ),
});

type Path = readonly (string | number)[];

function pathsOf(value: Json, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item as Json, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return [at, ...inner];
}

function mutate(root: Json, { where, kind, key, value }: Mutation): Json {
  const paths = pathsOf(root);
  const path = paths[where % paths.length] ?? [];
  const change = (node: Json, rest: Path): Json => {
    const [step, ...more] = rest;
    if (step === undefined || typeof node !== "object" || node === null) {
      if (kind !== "add" || typeof node !== "object" || node === null) return value;
      return Array.isArray(node) ? [...node, value] : fromEntries([...Object.entries(node), [key, value]]);
    }
    if (Array.isArray(node))
      return node.flatMap((item: Json, index): Json[] => {
        if (index !== step) return [item];
        if (more.length > 0) return [change(item, more)];
        if (kind === "remove") return [];
        return kind === "repeat" ? [item, item] : [change(item, more)];
      });
    return fromEntries(
      Object.entries(node).flatMap(([name, item]): [string, Json][] => {
        if (name !== step) return [[name, item]];
        if (more.length === 0 && kind === "remove") return [];
        if (more.length === 0 && kind === "rename") return [[key, item]];
        return [[name, change(item, more)]];
      }),
    );
  };
  return change(root, path);
}

const fromEntries = (entries: readonly (readonly [string, Json])[]): Json => Object.fromEntries(entries);

/** Configurations, half of them with mistakes put in. */
export const anyConfiguration: fc.Arbitrary<Json> = fc
  .tuple(
    fc.oneof({ arbitrary: configuration(300), weight: 3 }, { arbitrary: configuration(12), weight: 1 }),
    fc.oneof(
      { arbitrary: fc.constant([]), weight: 3 },
      { arbitrary: fc.array(mutation, { minLength: 1, maxLength: 3 }), weight: 2 },
    ),
  )
  .map(([json, mutations]) => mutations.reduce(mutate, json));

/** Texts of files: JSON and YAML as they should be, and with a few characters changed. */
export const anyText: fc.Arbitrary<{ readonly path: string; readonly text: string }> = fc
  .tuple(
    anyConfiguration,
    pick(["c.json", "c.json5", "c.yaml"]),
    fc.array(
      fc.tuple(
        fc.nat(4000),
        fc.nat(5),
        pick(['"', "{", "}", "\n", "\t", ",", ":", "#", "\\", "&a ", "*a", "!!x "]),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([json, path, cuts]) => {
    let text = JSON.stringify(json, null, 1);
    for (const [at, length, put] of cuts) {
      const start = at % (text.length + 1);
      text = text.slice(0, start) + put + text.slice(start + length);
    }
    return { path, text };
  });
