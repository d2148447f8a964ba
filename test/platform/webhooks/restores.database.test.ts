import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { beginWebhook } from "../../../src/platform/webhooks/begin.js";
import { collectChanges, sourceOf } from "../../../src/platform/webhooks/collect.js";
import { fedWebhook, hold } from "../../../src/platform/webhooks/feeding.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, block, bool, int, remove, set } from "../../runtime/store/values.js";
import { describeDatabase } from "../../support/database/databases.js";
import { backUp, type Restore } from "../../support/database/gone-back.js";
import { propertyRun } from "../../support/property/property-run.js";
import type { ReceivedRow } from "../../support/server/webhook-receiver.js";
import { currentAccounts } from "./chaos.js";
import { makePlatform, schema } from "./harness.js";

/** A step of a schedule. A branch is a digit; a path of digits is a chain, and names its last block. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("grow" as const), branch: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("reorganise" as const),
      depth: fc.integer({ min: 1, max: 3 }),
      branch: fc.nat(1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("return" as const) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("deliver" as const), count: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("backUp" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restore" as const), which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
);

/** What a block does to accounts. It follows from the block, so one that comes back does the same. */
function changesOf(path: string): readonly EntityChange[] {
  const number = path.length;
  const branch = Number(path.at(-1));
  const ids = [(number + branch) % 3, (number * 2 + branch * 2 + 1) % 5];
  return [...new Set(ids)].map((id, index) =>
    (number + branch + index) % 5 === 0
      ? remove("Account", `a${id}`)
      : set("Account", `a${id}`, {
          balance: bigInt(BigInt(number % 3)),
          moves: int(branch),
          isOpen: bool(true),
        }),
  );
}

interface Told {
  readonly id: string;
  readonly op: string;
  readonly old: ReceivedRow | null;
  readonly new: ReceivedRow | null;
}

/** Receivers as the manual describes them: one ignores ids that it knows, one keeps the highest `vid`. */
class Receivers {
  readonly contents = new Map<string, string>();
  readonly #versions = new Map<string, ReceivedRow>();
  readonly #highest = new Map<string, ReceivedRow>();

  take({ id, ...event }: Told): void {
    this.#keepHighest(event);
    const content = JSON.stringify(event);
    const known = this.contents.get(id);
    if (known !== undefined) {
      expect(content, `the event ${id} says the same again`).toBe(known);
      return;
    }
    this.contents.set(id, content);
    const row = event.new ?? event.old;
    if (event.new) this.#versions.set(event.new.vid, event.new);
    else this.#versions.delete(row?.vid ?? "");
  }

  #keepHighest({ old, new: fresh }: Omit<Told, "id">): void {
    const row = fresh ?? old;
    if (!row) throw new Error("an event without rows");
    const kept = this.#highest.get(row.id);
    if (kept && BigInt(kept.vid) > BigInt(row.vid)) return;
    if (fresh) this.#highest.set(row.id, fresh);
    else if (kept) this.#highest.delete(row.id);
  }

  tables(): readonly (readonly ReceivedRow[])[] {
    return [[...this.#versions.values()], [...this.#highest.values()]].map((rows) =>
      rows.filter(({ block_range: range }) => range.endsWith(",)")),
    );
  }
}

describeDatabase("receivers of a server whose database goes back in time", false, ({ fresh }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });

  test("a receiver has the rows of the tables after a restore, without rows of blocks that were replaced after the backup", async () => {
    const entities = readEntitySchema(schema);
    const seen = { restores: 0, returns: 0, repeats: 0, exact: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
        const made = await makePlatform(database);
        const storage = [...made.hosting.storages.values()][0];
        if (!storage) throw new Error("there is a deployment");
        const wanted = {
          deployment: storage.deployment.deployment,
          schema,
          network: "mainnet",
          startBlock: 0,
        };
        const open = async (): Promise<Store> =>
          openStore(database, await openDeployment(database, wanted), {
            entities,
            dataSources: [],
            templates: [],
          });
        let store = await open();
        const { id } = await made.create({ webhook_url: "http://127.0.0.1:1/" });
        const holder = "00000000-0000-4000-8000-000000000000";
        await hold(database, id, { holder, time: 60_000 });
        await beginWebhook(database, storage, { id, entity: "account" }, holder);

        const receivers = new Receivers();
        /** The chain of the node, the chain in the database, and the chain before the last reorganisation. */
        let [path, indexed, before] = ["", "", ""];
        /** Blocks that were undone, and when. */
        const undone: string[] = [];
        const backups: { readonly restore: Restore; readonly indexed: string; readonly undone: number }[] =
          [];
        const doubtful = new Set<string>();

        const index = async (): Promise<void> => {
          const common = commonOf(indexed, path);
          if (common.length < indexed.length) {
            for (let last = indexed; last.length > common.length; last = last.slice(0, -1)) undone.push(last);
            await store.revert(common === "" ? undefined : at(common));
          }
          for (let number = common.length + 1; number <= path.length; number++) {
            const part = path.slice(0, number);
            await store.commit(at(part), { changes: changesOf(part), dataSources: [] });
          }
          indexed = path;
        };
        const deliver = async (count: number): Promise<void> => {
          const webhook = await fedWebhook(database, id);
          if (!webhook?.cursor) throw new Error("the webhook has begun");
          const source = sourceOf(database, storage, webhook, { mostPending: 1_000, batch: 500 });
          await collectChanges(source, webhook.cursor);
          const rows = await database.query(
            SQL`update graphloom.webhook_events e set status = 'delivered' from (
                select seq from graphloom.webhook_events where webhook = $1::text and status = 'pending'
                  order by seq limit $2::integer) p where e.seq = p.seq
              returning e.seq, e.id, e.op, e.old, e.new`,
            [id, String(count)],
          );
          const inOrder = [...rows].sort((one, other) => Number(one.seq) - Number(other.seq));
          for (const row of inOrder) {
            const told: Told = {
              id: row.id ?? "",
              op: row.op ?? "",
              old: JSON.parse(row.old ?? "null"),
              new: JSON.parse(row.new ?? "null"),
            };
            if (receivers.contents.has(told.id)) seen.repeats += 1;
            receivers.take(told);
            // The answer was lost.
            if (Number(row.seq) % 3 === 0) receivers.take(told);
          }
        };

        for (const one of steps) {
          if (one.kind === "grow") path += one.branch;
          else if (one.kind === "reorganise" && path !== "") {
            before = path;
            const stays = path.slice(0, Math.max(0, path.length - one.depth));
            path = stays + String(1 - Number(path.at(stays.length))) + one.branch;
          } else if (one.kind === "return") {
            if (before !== "") seen.returns += 1;
            [path, before] = [before === "" ? path : before, path];
          } else if (one.kind === "deliver") await deliver(one.count);
          else if (one.kind === "backUp")
            backups.push({
              restore: await backUp(database, [storage.layout.namespace]),
              indexed,
              undone: undone.length,
            });
          else if (one.kind === "restart") store = await open();
          else if (one.kind === "restore" && backups.length > 0) {
            const at = one.which % backups.length;
            const backup = backups[at];
            if (!backup) continue;
            // A later backup is of a time that has not been.
            backups.splice(at + 1);
            const lost = [...undone.slice(backup.undone)];
            for (let last = indexed; last.length > commonOf(indexed, path).length; last = last.slice(0, -1))
              lost.push(last);
            for (const block of lost) for (const change of changesOf(block)) doubtful.add(change.id);
            await backup.restore();
            store = await open();
            indexed = backup.indexed;
            seen.restores += 1;
          }
          await index();
        }
        await deliver(1_000);

        const rows = [...(await currentAccounts(database, storage)).values()];
        const certain = (all: readonly ReceivedRow[]): readonly ReceivedRow[] =>
          all.filter((row) => !doubtful.has(row.id)).sort((one, other) => (one.id < other.id ? -1 : 1));
        for (const table of receivers.tables()) expect(certain(table)).toEqual(certain(rows));
        if (doubtful.size === 0) seen.exact += 1;
        await made.ask("DELETE", "/subgraphs/webhooks/hook");
      }),
      propertyRun(60),
    );
    expect(Object.values(seen).every((count) => count > 5)).toBe(true);
  }, 600_000);
});

/** The block that a path leads to. */
function at(path: string): { readonly number: number; readonly hash: string } {
  return block(path.length, `${path}x`);
}

function commonOf(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}
