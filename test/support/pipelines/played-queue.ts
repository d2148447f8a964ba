import type { Operation } from "../../../src/pipelines/changes/net-changes.js";
import type { LawRow } from "./law-pipeline.js";
import type { PlayedAnswer, RecordedRequest } from "./recording-server.js";

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly MessageDeduplicationId: string;
}

interface Message {
  readonly op: Operation;
  readonly row: LawRow;
}

/** A FIFO queue, and the rows that one who reads its messages in their order has. */
export class PlayedQueue {
  readonly #bodies = new Map<string, string>();
  readonly #rows = new Map<string, LawRow>();
  readonly #groups = new Map<string, string>();
  /** Messages that the queue had already. */
  repeats = 0;

  get rows(): readonly LawRow[] {
    return [...this.#rows.values()].map((row) => ({ ...row, block_number: String(row.block_number) }));
  }

  /** Takes messages. @param fails whether one is not taken, though others of its request are */
  answer({ body }: RecordedRequest, fails: () => boolean): PlayedAnswer {
    const { Entries: entries } = JSON.parse(body) as { readonly Entries: readonly Entry[] };
    const failed = entries.filter(() => fails());
    const taken = entries.filter((entry) => !failed.includes(entry));
    try {
      for (const entry of taken) this.#take(entry);
    } catch (error) {
      return { status: 404, body: String(error) };
    }
    const answer = {
      Successful: taken.map(({ Id }) => ({ Id, MessageId: `m-${Id}` })),
      Failed: failed.map(({ Id }) => ({ Id, SenderFault: false, Code: "InternalError" })),
    };
    return { status: 200, body: JSON.stringify(answer) };
  }

  #take({ MessageBody: body, MessageGroupId: group, MessageDeduplicationId: id }: Entry): void {
    const before = this.#bodies.get(id);
    if (before !== undefined && before !== body) throw new Error(`message ${id} has changed`);
    if (before !== undefined) this.repeats += 1;
    if (before !== undefined) return;
    this.#bodies.set(id, body);
    const { op, row }: Message = JSON.parse(body);
    if ((this.#groups.get(row.id) ?? group) !== group) throw new Error(`${row.id} is in two groups`);
    this.#groups.set(row.id, group);
    if (this.#rows.has(row.id) !== (op !== "i")) throw new Error(`${op} ${row.id} is out of order`);
    if (op === "d") this.#rows.delete(row.id);
    else this.#rows.set(row.id, row);
  }
}
