import { type Database, DatabaseError, type Sql } from "../../../src/store/database/database.js";
import { sendNotification } from "../../../src/store/database/notify.js";

/** Codes of failures that pass: resources, limits, locks, the operator, the system, conflicts, the connection. */
export const passingCodes: readonly (string | undefined)[] = [
  "53000",
  "53100",
  "53200",
  "53300",
  "53400",
  "54000",
  "54023",
  "55000",
  "55006",
  "55P03",
  "57014",
  "57P01",
  "57P02",
  "57P03",
  "58000",
  "58030",
  "58P01",
  "40001",
  "40P01",
  "40003",
  "08000",
  "08003",
  "08006",
  "25006",
  undefined,
];

/** A step that fails once. */
export interface Fault {
  /** Which step: every statement, every commit, the answer to each commit and every notification is one, from 1. */
  readonly step: number;
  readonly code: string | undefined;
  /** Whether the statement takes effect before it fails, as when the connection is lost with the answer. */
  readonly isLate?: boolean;
}

/** A database in which a step fails on command. */
export interface FaultyDatabase extends Database {
  /** Arms a fault, and counts from 1 again. Without one, it only counts. */
  arm(fault?: Fault): void;
  /** The steps since then. */
  steps(): number;
  /** Whether the fault has happened. */
  hasFailed(): boolean;
}

/** The same database, in which single steps fail. */
export function faultyDatabase(database: Database): FaultyDatabase {
  let armed: Fault | undefined;
  let count = 0;
  const step = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    count += 1;
    const fault = armed?.step === count ? armed : undefined;
    if (fault && !fault.isLate) throw failure(fault);
    const result = await ask();
    if (fault) throw failure(fault);
    return result;
  };
  const faulty = (sql: Sql): Sql => {
    const { copy } = sql;
    return {
      ...sql,
      query: (...asked) => step(() => sql.query(...asked)),
      run: (script) => step(() => sql.run(script)),
      ...(copy && { copy: (...asked) => step(() => copy(...asked)) }),
    };
  };
  return {
    provider: database.provider,
    query: (...asked) => step(() => database.query(...asked)),
    run: (script) => step(() => database.run(script)),
    transaction: async (work, options) => {
      const messages = new Map<string, readonly [channel: string, payload: string]>();
      const notify = (channel: string, payload: string): void =>
        void messages.set(`${channel} ${payload}`, [channel, payload]);
      const result = await database.transaction(async (sql) => {
        const done = await work({ ...faulty(sql), notify });
        // The commit is refused.
        await step(async () => undefined);
        return done;
      }, options);
      // The commit's answer is lost.
      await step(async () => undefined);
      const outside = { query: (...asked: Parameters<Sql["query"]>) => step(() => database.query(...asked)) };
      for (const [channel, payload] of messages.values()) await sendNotification(outside, channel, payload);
      return result;
    },
    listen: (channel, hear) => database.listen(channel, hear),
    close: () => database.close(),
    arm(fault) {
      armed = fault;
      count = 0;
    },
    steps: () => count,
    hasFailed: () => armed !== undefined && count >= armed.step,
  };
}

function failure({ code }: Fault): DatabaseError {
  // Without an answer of the database, there is the error of the connection.
  return new DatabaseError("injected", code === undefined ? { cause: new Error("lost") } : { code });
}
