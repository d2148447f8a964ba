import fc from "fast-check";
import type { JsonEntry } from "../abi/abi-of.js";
import { dictionary, fromEntries, type Json, pick, record } from "./arbitraries.js";
import { type KnownAbi, known, signature } from "./known-abis.js";
import { traps } from "./texts.js";
import {
  argumentsFor,
  callScope,
  eventScope,
  type Field,
  parameterFields,
  plainFields,
  resultField,
  type Scope,
} from "./typed-values.js";

/** The size of a generated configuration. */
export interface Wishes {
  readonly dataSources: { readonly minLength: number; readonly maxLength: number };
  readonly templates: { readonly minLength: number; readonly maxLength: number };
  readonly chains: readonly string[];
  /** Whether every instance has an enrichment; half of them otherwise. */
  readonly enriched: boolean;
  /** Whether some fields hold values that look right and are wrong. */
  readonly trapped: boolean;
}

const withEvents = known.filter(({ events }) => events.length > 0);

/** The parts of a handler: its trigger, and the names in scope of its expressions. */
interface Trigger {
  readonly abi: KnownAbi;
  readonly entry: JsonEntry;
  readonly scope: Scope;
}

/** Instances without a mistake: all names exist, and all expressions have the right type. */
export function soundInstances(wishes: Wishes): fc.Arbitrary<readonly Json[]> {
  const { minLength, maxLength } = wishes.dataSources;
  return fc.uniqueArray(pick(withEvents), { minLength, maxLength }).chain((abis) => {
    const sources = fc.tuple(...abis.map((abi, index) => dataSource(abi, index, wishes)));
    const creators = abis.filter((abi) => announcements(abi).length > 0);
    if (creators.length === 0) return sources;
    const templates = fc.uniqueArray(pick(withEvents), wishes.templates);
    const made = templates.chain((list) => fc.tuple(...list.map((abi) => template(abi, creators, wishes))));
    return fc.tuple(sources, made).map(([first, second]) => [...first, ...second]);
  });
}

function dataSource(abi: KnownAbi, index: number, wishes: Wishes): fc.Arbitrary<Json> {
  return record(
    {
      abi: fc.constant(abi.name),
      address: fc.constant(`0x${(index + 1).toString(16).padStart(40, "0")}`),
      startBlock: fc.nat(2 ** 31 - 1),
      chain: pick(wishes.chains),
      enrich: enrich(abi, wishes),
    },
    ["abi", "address", "startBlock", "chain", ...(wishes.enriched ? ["enrich"] : [])],
  );
}

/** The events that can announce a contract, each with a parameter that holds its address. */
const announcements = ({ events }: KnownAbi): readonly (readonly [JsonEntry, string])[] =>
  events.flatMap((event) =>
    (event.inputs ?? []).flatMap(({ type, name = "" }) =>
      type === "address" && /^[a-z]\w+$/.test(name) ? [[event, name] as const] : [],
    ),
  );

function template(abi: KnownAbi, creators: readonly KnownAbi[], wishes: Wishes): fc.Arbitrary<Json> {
  const source = pick(creators).chain((creator) =>
    pick(announcements(creator)).map(([event, addressParam]) => ({
      abi: creator.name,
      eventSignature: signature(event),
      addressParam,
    })),
  );
  const required = ["abi", "source", ...(wishes.enriched ? ["enrich"] : [])];
  return record({ abi: fc.constant(abi.name), source, enrich: enrich(abi, wishes) }, required);
}

/** The functions whose calls can be indexed by name: those that change state, once each. */
const indexable = ({ functions }: KnownAbi): readonly JsonEntry[] =>
  functions.filter(
    ({ stateMutability, name }) =>
      (stateMutability === "nonpayable" || stateMutability === "payable") &&
      functions.filter((other) => other.name === name).length === 1,
  );

function enrich(abi: KnownAbi, { trapped }: Wishes): fc.Arbitrary<Json> {
  const triggers: Trigger[] = [
    ...abi.events.map((entry) => ({ abi, entry, scope: eventScope })),
    ...indexable(abi).map((entry) => ({ abi, entry, scope: callScope })),
  ];
  const handlers = pick(triggers).chain((trigger) =>
    handler(trigger, trapped).map((made) => [signature(trigger.entry), made] as const),
  );
  const imports = fc.subarray(["BigDecimal", "log", "Address", "store"]);
  return record(
    {
      options: record({ debugging: fc.boolean(), imports }, []),
      handlers: dictionary(handlers, { minLength: 1, maxLength: 3 }),
    },
    ["handlers"],
  );
}

/** A function that can be called, with arguments. */
interface Callable {
  readonly entry: JsonEntry;
  readonly params: string;
}

function handler(trigger: Trigger, trapped: boolean): fc.Arbitrary<Json> {
  const callable = trigger.abi.reads.flatMap((entry): Callable[] => {
    const isAlone = trigger.abi.functions.filter(({ name }) => name === entry.name).length === 1;
    const isView = entry.stateMutability === "view" || entry.stateMutability === "pure";
    const params = argumentsFor(entry, trigger.scope);
    return isAlone && isView && params !== undefined ? [{ entry, params }] : [];
  });
  return fc.subarray(callable, { maxLength: Math.min(3, callable.length) }).chain((called) => {
    const refs = ["first", "second", "third"].slice(0, called.length);
    const results = called.flatMap(({ entry }, index) => resultField(entry, refs[index] ?? ""));
    const fields = [
      ...plainFields(trigger.scope),
      ...parameterFields(trigger.entry, trigger.scope),
      ...results,
      ...results,
    ];
    const calls = fc
      .tuple(...called.map((callable, index) => call(callable, refs.slice(0, index), trigger.scope)))
      .map((made) => fromEntries(made.map((value, index) => [refs[index] ?? "", value])));
    const wrong = trapped ? trapsFor(trigger, refs) : [];
    return record({ calls, entities: entities(fields, wrong, trigger) }, [
      "entities",
      ...(called.length > 0 ? ["calls"] : []),
    ]);
  });
}

function call({ entry, params }: Callable, earlier: string[], { contract }: Scope): fc.Arbitrary<Json> {
  const condition = record(
    { pre: pick(["true", `${contract} != Address.zero()`]), post: pick(["true", "!result.reverted"]) },
    [],
  );
  const name = entry.name ?? "";
  return record(
    {
      name: pick([name, name, signature(entry)]),
      params: fc.constant(params),
      source: pick([contract, `0x${"0a".repeat(20)}`]),
      depends_on: fc.subarray(earlier),
      required: fc.boolean(),
      declared: fc.boolean(),
      conditions: condition,
    },
    ["name", ...(params === "" ? [] : ["params"])],
  );
}

/** The traps for this trigger, without those that name something missing. */
function trapsFor({ scope, entry }: Trigger, refs: readonly string[]): readonly Field[] {
  const parameter = entry.inputs?.find(({ name }) => /^[a-z]\w+$/.test(name ?? ""))?.name;
  return traps.flatMap(([key, value]): Field[] => {
    if (value.includes("$p") && parameter === undefined) return [];
    if (value.includes("calls.first") && refs.length === 0) return [];
    if (scope.trigger === "call" && value.includes("receipt")) return [];
    const said = value
      .replaceAll("event.params.$p", `${scope.parameters}.${parameter}`)
      .replaceAll("event.address", scope.contract)
      .replaceAll(/event\.(?=block|transaction)/g, `${scope.trigger}.`);
    return [[key, said]];
  });
}

function entities(
  fields: readonly Field[],
  wrong: readonly Field[],
  { scope, entry }: Trigger,
): fc.Arbitrary<Json> {
  const right = fc.subarray([...fields], { minLength: 1, maxLength: 5 });
  const some = fc.subarray([...wrong], { maxLength: Math.min(1, wrong.length) });
  const mapping = fc.tuple(right, some).map((lists) => fromEntries(lists.flat()));
  const id = pick(['"x"', `${scope.contract}.toHexString()`, `${scope.trigger}.block.number.toString()`]);
  const listed = (explicit: boolean) =>
    fc.array(record({ id, mapping, explicit_id: fc.constant(explicit) }, ["id", "mapping", "explicit_id"]), {
      minLength: 1,
      maxLength: 2,
    });
  return record(
    {
      Balance: mapping,
      Payment_: mapping,
      Leg: listed(false),
      Account: listed(true),
      ...(entry.name === undefined ? {} : { [entry.name]: mapping }),
    },
    [],
  );
}
