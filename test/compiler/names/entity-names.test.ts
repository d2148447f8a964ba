import { describe, expect, it } from "vitest";
import { EntityNames, entityNameProblem } from "../../../src/compiler/names/entity-names.js";

const groups: readonly (readonly [why: string, names: string])[] = [
  ["graph-node refuses it", "Boolean ID Int BigDecimal String Bytes BigInt Query Subscription"],
  [
    "graph-node's API has a type of that name",
    "Int8 Timestamp Float Mutation OrderDirection Block_height BlockChangedFilter _Meta_ _Block_ " +
      "_SubgraphErrorPolicy_ _Log_ _LogArgument_ _LogMeta_ LogLevel Aggregation_interval Aggregation_current _Schema_",
  ],
  ["GraphQL keeps it", "__Foo __schema __"],
  ["the compiler hangs", "Entity"],
  ["the generated schema imports it", "Value ValueKind TypedMap store"],
  ["the generated schema uses it", "Array assert changetype i32 i64 boolean string"],
  [
    "codegen cannot format it",
    "void null true false this delete new class import in export function default enum return for instanceof const " +
      "super switch typeof var while with catch debugger if case finally throw try break continue do else extends " +
      "implements readonly keyof unique infer",
  ],
  [
    "it is a syntax error",
    "interface static await async yield let of package private protected public type declare namespace module " +
      "abstract get set as is",
  ],
  ["it has no column", "_ ___"],
  ["it is too long", "A".repeat(64)],
];

describe.each(groups)("a name is reserved because %s:", (_, names) => {
  it.each(names.split(" "))("%s", (name) => {
    const { name: given, reason } = new EntityNames().claim(name);
    expect(given).not.toBe(name);
    expect(given).toMatch(/Entity$/);
    expect(entityNameProblem(given)).toBeUndefined();
    expect(reason).toBeDefined();
  });
});

it.each(
  (
    "Transfer Error Event Map Set Number Object Date Math Symbol Function Result Wrapped Block Transaction Log Call " +
    "Tuple SmartContract Address ByteArray JSONValue ethereum log crypto A_b _Foo Foo_ Loader number any undefined"
  ).split(" "),
)("the entity name %s is not reserved", (name) => {
  expect(new EntityNames().claim(name)).toEqual({ name });
});

describe("entity names that clash", () => {
  it.each([
    ["the table", ["NFTMinted", "NftMinted"], ["NFTMinted", "NftMintedEntity"]],
    ["the table, by underscores", ["FooBar", "Foo_Bar"], ["FooBar", "Foo_BarEntity"]],
    ["a plural", ["Transfer", "Transfers"], ["Transfer", "TransfersEntity"]],
    ["a plural, the other way round", ["Transfers", "Transfer"], ["Transfers", "TransferEntity"]],
    ["an irregular plural", ["Leaf", "Leaves"], ["Leaf", "LeavesEntity"]],
    ["the singular alone", ["AToken", "Atoken"], ["AToken", "AtokenEntity"]],
    ["the name", ["Foo", "Foo", "Foo"], ["Foo", "FooEntity", "FooEntity2"]],
    ["a filter type", ["Foo", "Foo_filter"], ["Foo", "Foo_filterEntity"]],
    ["a filter type before", ["Foo_filter", "Foo"], ["Foo_filter", "FooEntity"]],
    ["an order type", ["Foo", "Foo_orderBy"], ["Foo", "Foo_orderByEntity"]],
    ["a loader", ["Foo", "FooLoader"], ["Foo", "FooLoaderEntity"]],
    ["its table and query field", ["_Meta", "Meta"], ["_Meta", "MetaEntity"]],
    ["nothing", ["Foo", "FooBar", "Bar"], ["Foo", "FooBar", "Bar"]],
  ])("in %s get distinct names", (_, names, want) => {
    const entities = new EntityNames();
    expect(names.map((name) => entities.claim(name).name)).toEqual(want);
  });

  it("give the reason of the clash", () => {
    const entities = new EntityNames();
    entities.claim("Transfer");
    expect(entities.claim("Transfers").reason).toBe(
      'would share a table or a query with the entity "Transfer"',
    );
    expect(entities.claim("Entity").reason).toBe("is a name that graph-node or the generated code uses");
  });
});
