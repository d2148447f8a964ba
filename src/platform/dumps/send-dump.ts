import type { Readable } from "node:stream";
import { InternalError } from "../../base/invariant.js";
import { guarded, inBackground } from "../../base/turns/guarded.js";
import { type DumpPosition, framesOf } from "../../dumps/dump-parts.js";
import { dumpSlice } from "../../dumps/dump-slice.js";
import { ownSource } from "../../dumps/dump-source.js";
import type { HostedStorage } from "../../hosting/engine.js";
import { SQL } from "../../store/database/database.js";
import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { type EntryName, nameIn, requireEntry } from "../subgraphs/find-subgraph.js";
import { openEntities } from "../subgraphs/read-subgraphs.js";
import type { SubgraphVersion } from "../subgraphs/versions.js";
import { WorkDesk } from "../work-desk.js";
import { asProblem } from "./as-problem.js";
import { DumpAnswer } from "./dump-answer.js";
import { type DumpLimits, dumpWords } from "./dump-limits.js";

type Own = Pick<Platform, "database" | "hosting" | "memory" | "world">;

/** Milliseconds after which the database ends a transaction that does nothing: more than clients get. */
const idleTransaction = 120_000;

/** Sends dumps to clients, within limits. */
export class DumpSender {
  readonly #platform: Own;
  readonly #limits: DumpLimits;
  readonly #desk: WorkDesk;
  readonly #open = new Set<DumpAnswer>();
  /** When the audit log got its last entry, in milliseconds since 1970. */
  readonly #noted = new Map<string, number>();

  constructor(platform: Own, limits: DumpLimits) {
    this.#platform = platform;
    this.#limits = limits;
    this.#desk = new WorkDesk(limits, dumpWords);
  }

  /**
   * Sends what a client lacks of a version's data, as of one moment, or a part if there is much. It reads in one
   * transaction, which waits for the client with PostgreSQL, but not with PGlite, where everything else would wait.
   * @param gone aborted when the client leaves
   * @param fail receives failures after the answer has begun
   * @returns the answer's body, once it has begun
   * @throws Problem `forbidden`, `subgraph-not-found`, `conflict` if the client's position is on blocks that are gone,
   *   `unprocessable` if there is nothing to dump, `rate-limited` or `unavailable` beyond limits; DatabaseError
   */
  async send(
    caller: Caller,
    named: EntryName,
    position: DumpPosition,
    gone: AbortSignal,
    fail: (error: unknown) => void,
  ): Promise<Readable> {
    requireRole(caller, "Viewer");
    const { database, memory, world } = this.#platform;
    const entry = await requireEntry(database, nameIn(caller, named));
    const storage = await this.#storage(entry);
    memory?.require();
    const free = this.#desk.take(caller);
    const answer = new DumpAnswer(world, this.#limits.idle);
    this.#open.add(answer);
    try {
      await this.#note(caller, entry);
      return await new Promise<Readable>((resolve, reject) => {
        let hasBegun = false;
        const begin = (): void => {
          hasBegun = true;
          resolve(answer.body);
        };
        const work = async (): Promise<void> => {
          try {
            const end = await this.#write(storage, entry, position, answer, gone, begin);
            // A client that has the end may ask for the rest at once.
            await answer.drained();
            free();
            for (const frame of end) answer.push(frame);
            answer.end();
          } catch (error) {
            const isLeft = answer.signal.aborted || gone.aborted;
            answer.cut(interrupted());
            if (!hasBegun) reject(asProblem(error));
            else if (!isLeft) fail(error);
          } finally {
            const forget = guarded(() => void this.#open.delete(answer), fail);
            answer.signal.addEventListener("abort", forget, { once: true });
            if (answer.signal.aborted) forget();
            free();
          }
        };
        inBackground(work(), fail);
      });
    } catch (error) {
      answer.cut(interrupted());
      this.#open.delete(answer);
      free();
      throw error;
    }
  }

  /** Cuts all answers, because the server closes. Their clients continue elsewhere, or later. */
  close(): void {
    for (const answer of this.#open) answer.cut(interrupted());
  }

  /** @throws Problem */
  async #storage(entry: SubgraphVersion): Promise<HostedStorage> {
    const storage = await openEntities(this.#platform, entry);
    if (!storage)
      throw new Problem(
        "unprocessable",
        `${entry.name}/${entry.version} has not indexed a block yet. Dump it once it has.`,
      );
    if (!storage.isForeign) return storage;
    throw new Problem(
      "unprocessable",
      "A graph-node indexes this subgraph. Dump it from its database: graphloom dump --graph-node --database postgres://…",
    );
  }

  /** Large dumps take many requests, which are one deed. */
  async #note(caller: Caller, { name, version }: SubgraphVersion): Promise<void> {
    const { database, world } = this.#platform;
    const { notesApart } = this.#limits;
    const deed = JSON.stringify([caller.project, caller.id, name, version]);
    const now = world.now();
    for (const [other, at] of this.#noted) if (now - at >= notesApart) this.#noted.delete(other);
    if (this.#noted.has(deed)) return;
    await noteChange(database, caller, "subgraph.dump", `${name}/${version}`);
    this.#noted.set(deed, now);
  }

  async #write(
    { database }: Pick<HostedStorage, "database">,
    { deployment }: SubgraphVersion,
    position: DumpPosition,
    answer: DumpAnswer,
    gone: AbortSignal,
    begin: () => void,
  ): Promise<readonly Uint8Array[]> {
    const { world } = this.#platform;
    const { longest, slice } = this.#limits;
    const signal = AbortSignal.any([gone, answer.signal, world.timeout(longest)]);
    // Others can use the database while a transaction waits.
    const waits = database.provider === "postgres";
    return database.transaction(
      async (sql) => {
        if (waits) await sql.run(SQL`set local idle_in_transaction_session_timeout = ${idleTransaction}`);
        const source = await ownSource(sql, deployment);
        let usedAt = world.now();
        const parts = dumpSlice(sql, source, position, slice[database.provider], () => world.now());
        for await (const part of parts) {
          if (part.kind === "end") return [...framesOf(part)];
          for (const frame of framesOf(part)) {
            answer.push(frame);
            begin();
            if (!waits) continue;
            await answer.room();
            // A slow client takes long for the rows of one statement.
            if (world.now() - usedAt < idleTransaction / 4) continue;
            await sql.query(SQL`select 1`);
            usedAt = world.now();
          }
          signal.throwIfAborted();
        }
        throw new InternalError("a part of a dump has no end");
      },
      { snapshot: true, signal },
    );
  }
}

/** For a client that has no byte yet, and tries again. */
function interrupted(): Problem {
  return new Problem("unavailable", "The server could not send the dump. Repeat the request.", {
    retryAfter: 1,
  });
}
