import fc from "fast-check";
import { expect, test } from "vitest";
import type { Store } from "../../../src/runtime/store/store.js";
import type { Entity, EntityChange } from "../../../src/subgraph/schema/entity.js";
import { propertyRun } from "../../support/property/property-run.js";
import { block, list, none, remove, set, text } from "./values.js";

const schema = `
  type Mutable @entity { id: ID!, ref: Mutable, refs: [Mutable!] }
  type Fixed @entity(immutable: true) { id: ID!, ref: Mutable, refs: [Mutable!] }
`;
const types = ["Mutable", "Fixed"];
const ids = ["a", "b", "c", "d"];

/** An address that identifies the fork. */
function addressOf(fork: string): string {
  return `0x${Buffer.from(fork).toString("hex")}`;
}

/** A store that keeps a full copy of everything at every block. */
class NaiveStore {
  readonly copies: { readonly number: number; readonly fork: string; readonly state: Map<string, Entity> }[] =
    [];

  get state(): ReadonlyMap<string, Entity> {
    return this.copies.at(-1)?.state ?? new Map();
  }

  commit(number: number, fork: string, changes: readonly EntityChange[]): void {
    const state = new Map(this.state);
    for (const change of changes) {
      const key = `${change.type} ${change.id}`;
      if (change.kind === "set") state.set(key, change.entity);
      else state.delete(key);
    }
    this.copies.push({ number, fork, state });
  }

  allows(change: EntityChange): boolean {
    return change.type !== "Fixed" || !this.state.has(`Fixed ${change.id}`);
  }

  all(type: string, at: number): Entity[] {
    const state = this.copies.findLast(({ number }) => number <= at)?.state ?? new Map<string, Entity>();
    return ids.flatMap((id) => state.get(`${type} ${id}`) ?? []);
  }

  related(type: string, field: string, id: string): Entity[] {
    return this.all(type, Number.POSITIVE_INFINITY).filter((entity) => {
      const value = entity.get(field);
      const items = value?.kind === "Array" ? value.value : value ? [value] : [];
      return items.some((item) => item.kind === "String" && item.value === id);
    });
  }
}

type Step =
  | { readonly kind: "commit"; readonly skip: number; readonly changes: readonly EntityChange[] }
  | { readonly kind: "revert"; readonly share: number }
  | { readonly kind: "expect"; readonly type: string; readonly id: string };

const anyId = fc.constantFrom(...ids);
const anySet: fc.Arbitrary<EntityChange> = fc
  .tuple(fc.constantFrom(...types), anyId, fc.option(anyId), fc.array(anyId, { maxLength: 3 }))
  .map(([type, id, ref, refs]) =>
    set(type, id, { ref: ref === null ? none : text(ref), refs: list(...refs.map(text)) }),
  );
const anyChange = fc.oneof(
  { weight: 3, arbitrary: anySet },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...types), anyId).map(([type, id]) => remove(type, id)) },
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("commit" as const),
      skip: fc.integer({ min: 1, max: 3 }),
      changes: fc.uniqueArray(anyChange, { maxLength: 5, selector: ({ type, id }) => `${type} ${id}` }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("revert" as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("expect" as const),
      type: fc.constantFrom(...types),
      id: anyId,
    }),
  },
);

async function run(step: Step, index: number, store: Store, model: NaiveStore): Promise<void> {
  const fork = `f${index}`;
  // A store may answer it during any later step.
  if (step.kind === "expect") return store.expect?.(step.type, step.id);
  if (step.kind === "revert") {
    model.copies.length = Math.floor(step.share * model.copies.length);
    const last = model.copies.at(-1);
    await store.revert(last && block(last.number, last.fork));
    return;
  }
  const number = (model.copies.at(-1)?.number ?? 0) + step.skip;
  const refused = step.changes.some((change) => !model.allows(change));
  const writes = {
    changes: step.changes,
    dataSources: [{ template: "T", address: addressOf(fork), creationBlock: number }],
  };
  if (refused) {
    await expect(store.commit(block(number, fork), writes)).rejects.toThrow("is immutable");
    return;
  }
  await store.commit(block(number, fork), writes);
  model.commit(number, fork, step.changes);
}

async function expectSame(store: Store, model: NaiveStore): Promise<void> {
  const last = model.copies.at(-1);
  expect(await store.head()).toEqual(last && block(last.number, last.fork));
  expect((await store.dataSources()).map(({ address }) => address)).toEqual(
    model.copies.map(({ fork }) => addressOf(fork)),
  );
  expect((await store.recentBlocks(99)).map(({ number }) => number)).toEqual(
    model.copies.map(({ number }) => number).reverse(),
  );
  for (const type of types) {
    expect(await store.all(type)).toEqual(model.all(type, Number.POSITIVE_INFINITY));
    for (let at = 0; at <= (last?.number ?? 0); at++)
      expect(await store.all(type, at)).toEqual(model.all(type, at));
    for (const id of ids) {
      expect(await store.get(type, id)).toEqual(model.state.get(`${type} ${id}`));
      for (const field of ["ref", "refs"]) {
        expect(await store.related(type, field, id)).toEqual(model.related(type, field, id));
      }
    }
  }
}

/** The state of a feed that starts empty and applies every change up to a block. */
async function expectFeed(store: Store, model: NaiveStore): Promise<void> {
  let after = -1;
  const feed = new Map<string, Entity>();
  for (const { number, state } of model.copies) {
    const changes = await store.changes(after, number);
    expect(changes.map(({ vid }) => vid)).toEqual(
      changes.map(({ vid }) => vid).toSorted((a, b) => (a < b ? -1 : 1)),
    );
    for (const { type, id, entity, to } of changes) {
      if (to === undefined || to > number) feed.set(`${type} ${id}`, entity);
      else feed.delete(`${type} ${id}`);
    }
    expect(new Map([...feed].sort())).toEqual(new Map([...state].sort()));
    after = number;
  }
}

/** Applies random operations both to a store and to a model that keeps a full copy of everything at every block. */
export function testAgainstModel(create: (schema: string) => Store | Promise<Store>, runs = 150): void {
  test("the store agrees with a model that keeps a full copy per block", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 30 }), fc.boolean(), async (steps, lookEarly) => {
        const store = await create(schema);
        const model = new NaiveStore();
        for (const [index, step] of steps.entries()) {
          await run(step, index, store, model);
          // The first query builds an index of references, which must then follow all writes.
          if (lookEarly) await expectSame(store, model);
        }
        await expectSame(store, model);
        await expectFeed(store, model);
      }),
      propertyRun(runs),
    );
  });
}
