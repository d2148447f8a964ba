import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addApiKey } from "../../src/platform/people/api-keys.js";
import { beginSession } from "../../src/platform/people/sign-in/sessions.js";
import { joinFragments, type Row, SQL, type SqlFragment } from "../../src/store/database/database.js";
import { quoteName, quoteText } from "../../src/store/database/quote.js";
import { arrayText } from "../../src/store/database/sql-array.js";
import { onEither } from "../support/database/databases.js";
import { type FaultyDatabase, faultyDatabase } from "../support/database/faulty-database.js";
import { drawFrom } from "../support/pool/draw.js";
import { isPropertyCampaign, propertySeed } from "../support/property/property-run.js";
import {
  type Change,
  changesOf,
  type Made,
  pipelineChanges,
  sendChange,
} from "../support/server/every-change.js";
import { addPerson } from "../support/server/people.js";
import { startWholeServer, type WholeServer } from "../support/server/whole-server.js";

/** A full disk, no memory, no connection, and a limit such as that of the queue of notifications. */
const codes = ["53100", "53200", "53300", "54000"];
/** How a change is answered that was done before. */
const done = [200, 201, 202, 204, 303, 400, 404, 409, 422];
const anything = [expect.anything(), expect.anything()];
const draw = drawFrom(propertySeed);
/** Every so many steps of a change fail. The suite has no time for all of them. */
const stride = isPropertyCampaign ? 1 : 2;
/** Tables that servers write by themselves. */
const besides =
  /^(?:audit|deployments|feed_readers|webhook_(?:events|figures|outcomes)|.*(?:_lines|_figures|_counts))$/;

const databases = onEither();
let database: FaultyDatabase;
let server: WholeServer;
let caller: { readonly token: string; readonly session: string };
let changes: readonly Change[];
const made: Made = { task: "", snapshot: "" };

beforeAll(async () => {
  database = faultyDatabase(await databases.fresh());
  server = await startWholeServer(database, { taskLease: 2_000, look: 1_000 });
  const { project } = server;
  const owner = await addPerson(database, "changes@example.com", { [project]: "Owner" });
  const { email } = await addPerson(database, "changed@example.com", { [project]: "Viewer" });
  const key = "key_noted";
  for (const id of [key, `${key}_2`])
    await addApiKey(database, { id, project, name: id, role: "Viewer", key: `gl_${id}` });
  caller = { token: owner.token, session: (await beginSession(database, owner.id, "browser")).token };
  changes = changesOf(project, email, key);
  contents = await contentsOfAll();
});
afterAll(() => server.close());

/** Columns that servers write by themselves, and those that say what something is used for at the moment. */
const moving = [
  "last_used_at",
  "seen_at",
  "held_until",
  "holder",
  "holder_process",
  "next_at",
  "failures",
  "rests_until",
  "runtime",
  "seen_generation",
  "error",
  "sinks",
  "nodes",
  "memory",
  "starts",
  "deaths",
  "died_generation",
  "retry_at",
  "request",
  "requested_at",
  "begins",
  "replaced_version",
  "progress",
  "result",
  "ended_at",
];

/** What people have made, by table. */
let contents: SqlFragment;
async function catalog(): Promise<readonly Row[]> {
  return database.query(contents, [arrayText(moving)]);
}

/** Reads the contents of all tables in one statement. */
async function contentsOfAll(): Promise<SqlFragment> {
  const tables = await database.query(
    SQL`select tablename as name from pg_tables where schemaname = 'graphloom' order by tablename`,
  );
  const reads = tables.flatMap(({ name }) =>
    name == null || besides.test(name)
      ? []
      : [
          SQL`select ${quoteText(name)} as name, (select string_agg(row::text, e'\n' order by row) as text
            from (select to_jsonb(t) - $1::text[] as row from graphloom.${quoteName(name)} t) as r
            where coalesce(row->>'cause', 'request') = 'request') as text`,
        ],
  );
  return joinFragments(reads, SQL` union all `);
}

async function acts(): Promise<number> {
  const [row] = await database.query(SQL`select count(*) as count from graphloom.audit`);
  return Number(row?.count);
}

/** Makes a change, which fails at one step after the other, or at every other one, until it succeeds. */
async function persist(change: Change): Promise<void> {
  const [route] = change;
  let before = await catalog();
  for (let step = 1 + draw.below(stride); ; step += stride) {
    const count = await acts();
    const isLate = draw.happens(0.25);
    database.arm({ step, code: codes[step % codes.length], isLate });
    const [status, , text] = await sendChange(server, caller, change, made);
    const hasFailed = database.hasFailed();
    database.arm();
    if (status < 400) return;
    const isEarly = status === 409 || /Pause it first|is just ending/.test(text);
    if (route.includes("/pipelines/") && isEarly) {
      // The change before it is not done yet, or not seen.
      await sleep(50);
      before = await catalog();
      step -= stride;
      continue;
    }
    const at = { route, step, isLate };
    expect({ ...at, status, text, hasFailed }).toEqual({
      ...at,
      status: 503,
      text: expect.stringContaining("Try again"),
      hasFailed: true,
    });
    // Without its entry, nothing of the change is there.
    if ((await acts()) === count) expect({ ...at, left: await catalog() }).toEqual({ ...at, left: before });
    else {
      const again = await sendChange(server, caller, change, made);
      expect({ ...at, again }).toEqual({ ...at, again: [expect.toBeOneOf(done), ...anything] });
      return;
    }
  }
}

it("a change that fails at any statement is undone or done, and can be repeated", async () => {
  for (const change of changes) await persist(change);
}, 300_000);

it("a change of a pipeline that fails at any statement is undone or done, and can be repeated", async () => {
  for (const change of pipelineChanges) {
    await persist(change);
    const [task] = await database.query(
      SQL`select id from graphloom.pipeline_tasks where pipeline = 'noted' order by created_at desc limit 1`,
    );
    made.task = task?.id ?? made.task;
    const [snapshot] = await database.query(
      SQL`select id from graphloom.pipeline_snapshots where pipeline = 'noted'`,
    );
    made.snapshot = snapshot?.id ?? made.snapshot;
  }
  expect(await database.query(SQL`select from graphloom.pipelines where name = 'noted'`)).toEqual([]);
}, 300_000);
