import type { HostedStorage } from "../../../src/hosting/engine.js";
import { shownRow } from "../../../src/platform/webhooks/shown-row.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import { rowJson } from "../../../src/store/tables/row-json.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { bigInt, block, bool, int, remove, set } from "../../runtime/store/values.js";
import type { Draw } from "../../support/pool/draw.js";
import type { ReceivedEvent, ReceivedRow, ReceiverFault } from "../../support/server/webhook-receiver.js";

const faults: readonly ReceiverFault[] = ["fails", "hangs", "disconnects", "lies"];
/**
 * A receiver that fails on a third of all deliveries.
 * @param mostFaults the most failures of one event, fewer than its attempts
 */
export function unreliable(draw: Draw, mostFaults = 8): (event: ReceivedEvent) => ReceiverFault | undefined {
  const suffered = new Map<string, number>();
  return ({ id }) => {
    const times = suffered.get(id) ?? 0;
    if (times >= mostFaults || !draw.happens(1 / 3)) return undefined;
    suffered.set(id, times + 1);
    return draw.one(faults);
  };
}

/** Writes changes of accounts in blocks, and can revert the last blocks. */
export class Chain {
  readonly #store: Store;
  readonly #draw: Draw;
  readonly #blocks: { readonly number: number; readonly fork: string }[] = [];
  readonly #ids: number;
  #forks = 0;
  written = 0;
  reversals = 0;

  constructor(store: Store, draw: Draw, ids: number) {
    this.#store = store;
    this.#draw = draw;
    this.#ids = ids;
  }

  /** Writes a block with a number of changes. */
  async grow(size: number): Promise<void> {
    const number = (this.#blocks.at(-1)?.number ?? 0) + 1;
    const fork = `f${this.#forks}x`;
    const changes = new Map<string, EntityChange>();
    for (let index = 0; index < size; index++) {
      const id = `account ${this.#draw.below(this.#ids)}`;
      changes.set(id, this.#draw.happens(0.15) ? remove("Account", id) : this.#account(id));
    }
    await this.#store.commit(block(number, fork), { changes: [...changes.values()], dataSources: [] });
    this.#blocks.push({ number, fork });
    this.written += changes.size;
  }

  /** Reverts the last blocks. */
  async reorganise(blocks: number): Promise<void> {
    this.#blocks.splice(-blocks, blocks);
    const last = this.#blocks.at(-1);
    await this.#store.revert(last && block(last.number, last.fork));
    this.#forks += 1;
    this.reversals += 1;
  }

  #account(id: string): EntityChange {
    const balance = bigInt(BigInt(this.#draw.below(2 ** 40)) ** 2n);
    return set("Account", id, { balance, moves: int(this.written), isOpen: bool(this.#draw.happens(0.5)) });
  }
}

/** The current rows, in the form that receivers get. */
export async function currentAccounts(
  database: Database,
  { layout }: HostedStorage,
): Promise<ReadonlyMap<string, ReceivedRow>> {
  const table = layout.tables.find(({ name }) => name === "account");
  if (!table) throw new Error("there are no accounts");
  const rows = await database.query(
    SQL`select lower(t.block_range) as from, ${rowJson(table, SQL`t`)} as row
      from ${quoteNames(layout.namespace, table.name)} t where upper_inf(t.block_range)`,
  );
  return new Map(
    rows.map(({ from, row }) => {
      const shown = shownRow(table, JSON.parse(row ?? "{}"), { from: Number(from) }) as ReceivedRow;
      return [shown.id, shown];
    }),
  );
}

/** The rows of a table, by id. */
export function sorted(rows: ReadonlyMap<string, ReceivedRow>): readonly ReceivedRow[] {
  return [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
