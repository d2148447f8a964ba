import { expect, it } from "vitest";
import { auditSink, isMended, isSound, type SinkFindings } from "../../../src/pipelines/audit/audit-sink.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { AdoptedEntity } from "../../../src/pipelines/sources/entities/adopted-entity.js";
import { EntityContents } from "../../../src/pipelines/sources/entities/entity-contents.js";
import {
  EntitySource,
  type EntitySourceOptions,
} from "../../../src/pipelines/sources/entities/entity-source.js";
import { type Database, SQL, type SqlFragment } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import { bigInt, remove, set, text as textValue } from "../../runtime/store/values.js";
import { describeDatabase } from "../../support/database/databases.js";
import { backUp } from "../../support/database/gone-back.js";
import { auditWorld, repairs, verifies } from "../../support/pipelines/audited-pipeline.js";
import {
  type IndexedSubgraph,
  indexedSubgraph,
  readingOf,
} from "../../support/pipelines/indexed-subgraph.js";
import { onlySql, openEngine, text } from "../../support/pipelines/law-pipeline.js";
import { PlayedFeed } from "../../support/pipelines/played-feed.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";
import { type Draw, drawFrom } from "../../support/pool/draw.js";

const schema = "type Account @entity { id: ID!, owner: String!, amount: BigInt! }";
/** Filters, and changes keys when the amount does. */
const query = `
  SELECT 'small ' || id AS id, owner, amount, block_number, vid FROM entity WHERE amount < 500 AND owner <> 'c'
  UNION ALL SELECT 'large ' || id, upper(owner), amount - 1, block_number, vid FROM entity WHERE amount >= 500`;
const seeds = Number(process.env.GRAPHLOOM_AUDIT_SEEDS ?? 1);

/** How the sink reads the entity. */
type Reading = Pick<EntitySourceOptions, "withRows" | "withHistory" | "finalOnly">;

const everything: Reading = { withRows: true, withHistory: false, finalOnly: false };

/** An entity that was written into a table, and audits of the table. */
interface Audited {
  readonly subgraph: IndexedSubgraph;
  /** Writes what has changed. @param most batches after which it stops */
  run(most?: number): Promise<void>;
  audit(request?: Parameters<typeof auditSink>[3]): Promise<SinkFindings>;
  /** All that the sink keeps. */
  content(): Promise<readonly unknown[]>;
}

describeDatabase("an audit of the rows of an entity", false, ({ provider, fresh }) => {
  let written: Database;

  async function audited(reading: Reading): Promise<Audited> {
    const database = await fresh();
    await migrate(database);
    written = database;
    await written.run(
      SQL`drop schema if exists graphloom_flows cascade; drop schema if exists audited cascade`,
    );
    const subgraph = await indexedSubgraph(database, schema);
    const options = (): EntitySourceOptions =>
      readingOf(database, [subgraph.part("Account")], { ...reading, limit: 3 });
    const { columns } = options();
    const engine = await openEngine();
    await engine.createTable("entity", columns);
    const key = [reading.withHistory ? "vid" : "id"];
    const schemaOfRows = { columns: await engine.createView("chosen", query), key };
    engine.close();
    const settings = { secret_name: text("db"), schema: text("audited"), table: text("chosen") };
    const sink: PlannedSink = {
      name: "out",
      from: "chosen",
      schema: schemaOfRows,
      definition: { type: "postgres", name: text("out"), settings },
    };
    const plan: PipelinePlan = {
      name: "test",
      job: false,
      sinks: [sink],
      operations: [],
      functions: [],
      sources: [
        {
          name: "entity",
          definition: { type: "subgraph_entity", name: text("entity"), settings: {} },
          schema: { columns, key: ["id"] },
        },
      ],
      transforms: [
        {
          name: "chosen",
          definition: { type: "sql", name: text("chosen"), settings: { sql: text(query) } },
          reads: ["entity"],
          schema: schemaOfRows,
        },
      ],
    };
    const random = randomOf(1);
    const world = auditWorld(
      { chain: new PlayedChain(random), feed: new PlayedFeed(random) },
      {
        secret: () => "postgres://localhost/flow",
        openDatabase: async () => ({
          provider: written.provider,
          query: (...given) => written.query(...given),
          run: (script) => written.run(script),
          listen: (...given) => written.listen(...given),
          transaction: (...given) => written.transaction(...given),
          close: async () => undefined,
        }),
        openSource: () => undefined,
        openContents: () => new EntityContents(options()),
        openAdopted: () => new AdoptedEntity(options()),
      },
    );
    return {
      subgraph,
      run: async (most = Number.POSITIVE_INFINITY) => {
        const program = await openProgram(plan, sink, onlySql);
        const writer = await openSink(sink, { flow: plan.name, sources: ["entity"] }, world);
        const stop = new AbortController();
        let count = 0;
        const onProgress = (): void => {
          count += 1;
          if (count >= most) stop.abort();
        };
        await runSink(sink, writer, program, () => new EntitySource(options()), {
          signal: stop.signal,
          onProgress,
        });
        await writer.close();
        await program.close();
      },
      audit: (request = verifies) => auditSink(plan, sink, world, request),
      content: async () => {
        const contents = [];
        for (const table of [
          SQL`audited.chosen`,
          SQL`graphloom_flows.positions`,
          SQL`graphloom_flows.ledger`,
        ])
          contents.push(await written.query(SQL`select * from ${table} t order by t::text`));
        return contents;
      },
    };
  }

  /** A block with several changes, or a reorganisation. */
  async function happen(subgraph: IndexedSubgraph, draw: Draw, step: number): Promise<void> {
    if (subgraph.length > 4 && draw.happens(0.25)) {
      await subgraph.undo(1 + draw.below(4));
      return;
    }
    const changes = Array.from({ length: 1 + draw.below(5) }, () => {
      const id = draw.one(["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
      if (draw.happens(0.2)) return remove("Account", id);
      const amount = bigInt(BigInt(draw.below(1_000)));
      return set("Account", id, { owner: textValue(draw.one(["a", "b", "c"])), amount });
    });
    const last = new Map(changes.map((change) => [change.id, change]));
    await subgraph.commit([...last.values()], (step + 1) * (subgraph.length + 1));
  }

  /** Deletes, alters and adds rows. @returns what an audit should say */
  async function damage(draw: Draw, withHistory: boolean): Promise<readonly string[]> {
    const rows = await written.query(SQL`select id, vid from audited.chosen order by vid`);
    const wrong: string[] = [];
    for (const [index, { id = "", vid = "" }] of rows.entries()) {
      const kind = index < 3 ? index : draw.below(8);
      const [own, other] = withHistory ? [vid, String(-Number(vid))] : [id, `${id}!`];
      const change = async (statement: SqlFragment): Promise<void> => {
        await written.query(statement, [vid ?? ""]);
      };
      if (kind === 0) await change(SQL`delete from audited.chosen where vid = $1::bigint`);
      else if (kind === 1)
        await change(SQL`update audited.chosen set owner = 'nobody' where vid = $1::bigint`);
      else if (kind === 2)
        await change(
          withHistory
            ? SQL`insert into audited.chosen select id, owner, amount, block_number, -vid from audited.chosen where vid = $1::bigint`
            : SQL`insert into audited.chosen select id || '!', owner, amount, block_number, vid from audited.chosen where vid = $1::bigint`,
        );
      const name = kind === 2 ? `foreign ${other}` : kind === 1 ? `altered ${own} owner` : `missing ${own}`;
      if (kind < 3) wrong.push(name);
    }
    return wrong.sort();
  }

  function listed({ rows }: SinkFindings): readonly string[] {
    return (rows?.first ?? [])
      .map(({ kind, key, columns = [] }) => [kind, ...Object.values(key), ...columns].join(" "))
      .sort();
  }

  it.skipIf(provider === "pglite").each([
    ["as they are", everything, 0],
    ["with their history", { ...everything, withHistory: true }, 0],
    ["of final blocks", { ...everything, finalOnly: true }, 60],
  ] as const)(
    "an audit of entities finds each row that was deleted, altered or added, %s, and repairs only these",
    async (_, reading, step) => {
      for (let seed = 1; seed <= seeds; seed += 1) {
        const draw = drawFrom(seed);
        const { subgraph, run, audit, content } = await audited(reading);
        for (let count = 0; count < 15; count += 1) await happen(subgraph, draw, step);
        // The sink has not read all rows, and some that it has read change meanwhile.
        for (const most of [3, Number.POSITIVE_INFINITY]) {
          await run(most);
          for (let count = 0; count < 5; count += 1) await happen(subgraph, draw, step);
          const before = await content();
          const sound = await audit();
          expect([isSound(sound), sound.unproved, sound.isWhole], `seed ${seed}`).toEqual([true, [], true]);
          const wrong = await damage(draw, reading.withHistory);
          const damaged = await content();
          expect(listed(await audit()), `seed ${seed}`).toEqual(wrong);
          expect(await content()).toEqual(damaged);
          expect(listed(await audit(repairs))).toEqual(wrong);
          expect(await content()).toEqual(before);
          expect(isSound(await audit())).toBe(true);
        }
      }
    },
  );

  const account = (id: string, amount: number) =>
    set("Account", id, { owner: textValue("a"), amount: bigInt(BigInt(amount)) });

  it.skipIf(provider === "pglite")(
    "an audit of entities trusts the entity over the ledger only if the user asks for it",
    async () => {
      const { subgraph, run, audit, content } = await audited(everything);
      await subgraph.commit([account("a", 1), account("b", 2)]);
      await run();
      const before = await content();
      await written.query(SQL`update graphloom_flows.ledger set rows = rows + 1, sum = sum + 5`);
      await written.query(SQL`delete from audited.chosen where id = 'small a'`);
      const [source] = (await audit()).sources;
      expect(source?.differing).toMatchObject([{ recorded: 3, found: 2, isMended: false }]);
      const damaged = await content();
      await audit(repairs);
      expect(await content()).toEqual(damaged);
      await audit({ ...repairs, trustsSource: true });
      expect(await content()).toEqual(before);
    },
  );

  it.skipIf(provider === "pglite")("an audit of entities reports what it cannot prove", async () => {
    const { subgraph, run, audit } = await audited({ ...everything, withRows: false });
    await subgraph.commit([account("a", 1), account("b", 2)]);
    await run();
    await subgraph.commit([account("b", 3), account("c", 4)]);
    await run();
    await subgraph.commit([account("a", 5), account("b", 6)]);
    const found = await audit();
    expect([isSound(found), found.isWhole, found.sources[0]?.compared]).toEqual([true, false, "some rows"]);
    expect(found.unproved).toEqual([
      `Rows of ${subgraph.build} that were there before the sink began were not compared.`,
    ]);
    await written.query(SQL`delete from audited.chosen`);
    expect(listed(await audit())).toEqual(["missing small b", "missing small c"]);
    await written.query(SQL`delete from graphloom.feed_readers`);
    expect((await audit()).unproved).toEqual([
      `Rows of ${subgraph.build} were not compared. Its changes were not kept, because the reader was removed.`,
    ]);
    await written.query(SQL`delete from graphloom.flow_readings`);
    expect((await audit()).unproved).toEqual([
      "The database of the subgraphs does not know how far the sink has read, so its rows were not compared. To let it go on, run: graphloom pipeline adopt",
    ]);
  });

  it.skipIf(provider === "pglite").each([
    ["current rows", everything],
    ["all versions", { ...everything, withHistory: true }],
  ] as const)(
    "an audit of entities adopts a sink with %s whose position is unknown to the entity",
    async (_, reading) => {
      const { subgraph, run, audit } = await audited(reading);
      for (const amount of [1, 2]) await subgraph.commit([account("a", amount), account("b", 900)]);
      await run();
      for (const amount of [1, 2]) await subgraph.commit([account("a", amount), account("c", 900 + amount)]);
      await run();
      const restore = await backUp(written, [subgraph.part("Account").layout.namespace]);
      await subgraph.commit([account("a", 3), account("lost", 4), remove("Account", "b")]);
      await run();
      await subgraph.commit([account("lost", 5)]);
      await run();
      await restore();
      await subgraph.goOn();
      await subgraph.commit([account("a", 6), account("d", 7)]);
      await expect(run()).rejects.toThrow("run: graphloom pipeline adopt");
      // Only what an audit would find is mended.
      const adopted = await audit({ ...repairs, trustsSource: true, adopts: true });
      expect(isMended(adopted)).toBe(true);
      expect(listed(adopted).length).toBeGreaterThan(2);
      await subgraph.commit([account("d", 8), remove("Account", "c")]);
      await run();
      const found = await audit();
      expect([isSound(found), found.isWhole]).toEqual([true, true]);
      expect(await ids()).toEqual(reading.withHistory ? expect.arrayContaining(["d"]) : ["a", "b", "d"]);
    },
  );

  it.skipIf(provider === "pglite").each([
    ["final blocks", { ...everything, finalOnly: true }],
    ["what came after it began", { ...everything, withRows: false }],
  ])(
    "an audit of entities does not adopt a sink that accepts only %s, which it could not repair",
    async (what, reading) => {
      const { subgraph, run, audit } = await audited(reading);
      await subgraph.commit([account("a", 1)]);
      await subgraph.commit([], 1_000);
      await run();
      await written.query(SQL`delete from graphloom.flow_readings; delete from graphloom.feed_readers`);
      await expect(audit({ ...repairs, trustsSource: true, adopts: true })).rejects.toThrow(
        `takes only ${what}`,
      );
      expect(await written.query(SQL`select name from graphloom.feed_readers`)).toEqual([]);
      await expect(run()).rejects.toThrow("run: graphloom pipeline adopt");
    },
  );

  /** The accounts in the table, in their order. */
  async function ids(): Promise<readonly string[]> {
    const found = await written.query(SQL`select id from audited.chosen order by id`);
    return [...new Set(found.map(({ id }) => (id ?? "").replace(/^\w+ /, "").toLowerCase()))].sort();
  }

  it.skipIf(provider === "pglite")(
    "an audit of entities does not treat pruned versions as a fault of the sink",
    async () => {
      const { subgraph, run, audit } = await audited({ ...everything, withHistory: true });
      for (const amount of [1, 2, 3]) await subgraph.commit([account("a", amount)]);
      await run();
      const { layout, table, deployment } = subgraph.part("Account");
      await written.query(
        SQL`delete from ${quoteNames(layout.namespace, table.name)} where upper(block_range) <= 2`,
      );
      await written.query(SQL`update graphloom.deployments set earliest_block = 2 where id = $1::integer`, [
        String(deployment),
      ]);
      const found = await audit();
      expect([isSound(found), found.isWhole]).toEqual([true, false]);
      expect(found.unproved).toEqual([
        `The history of ${subgraph.build} was pruned: versions that ended up to block 2 were not compared.`,
      ]);
      await written.query(SQL`update audited.chosen set owner = 'nobody' where amount = 3`);
      expect((await audit()).rows?.counts.altered).toBe(1);
    },
  );
});
