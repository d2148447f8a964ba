import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AuditRequest,
  type AuditWorld,
  auditSink,
  isMended,
  isSound,
  type SinkFindings,
} from "../../../src/pipelines/audit/audit-sink.js";
import { openClickHouse } from "../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { openMysqlDatabase } from "../../../src/pipelines/machine/mysql/open-mysql.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import { type ClickHouse, ClickHouseError } from "../../../src/pipelines/sinks/clickhouse-server.js";
import type { MysqlDatabase } from "../../../src/pipelines/sinks/mysql-database.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { AdoptedEntity } from "../../../src/pipelines/sources/entities/adopted-entity.js";
import { EntityContents } from "../../../src/pipelines/sources/entities/entity-contents.js";
import {
  EntitySource,
  type EntitySourceOptions,
} from "../../../src/pipelines/sources/entities/entity-source.js";
import { type Database, SQL, uncheckedSql } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { bigInt, remove, set, text as textValue } from "../../runtime/store/values.js";
import { describeDatabase } from "../../support/database/databases.js";
import { backUp } from "../../support/database/gone-back.js";
import { useFolder } from "../../support/folder.js";
import { auditWorld, repairs, verifies } from "../../support/pipelines/audited-pipeline.js";
import { cutMysql } from "../../support/pipelines/cut-mysql.js";
import {
  type IndexedSubgraph,
  indexedSubgraph,
  readingOf,
} from "../../support/pipelines/indexed-subgraph.js";
import { onlySql, text } from "../../support/pipelines/law-pipeline.js";
import { PlayedFeed } from "../../support/pipelines/played-feed.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";
import {
  type ClickHouseServer,
  lackOfClickHouse,
  startClickHouse,
} from "../../support/servers/clickhouse.js";
import { type MariaDbServer, mariaDbMissing, startMariaDb } from "../../support/servers/mariadb.js";

const schema = "type Account @entity { id: ID!, owner: String!, amount: BigInt! }";
const adopts: AuditRequest = { ...repairs, trustsSource: true, adopts: true };

/** A server that holds the rows of a sink. */
interface RowServer {
  readonly definition: PlannedSink["definition"];
  /** How the sink is opened. */
  readonly world: Partial<AuditWorld>;
  /** The rows that a reader sees, as `id owner amount`. */
  rows(): Promise<readonly string[]>;
  /** How it is opened so that its connection is lost after some requests. */
  cut(requests: number): Partial<AuditWorld>;
  /** Requests between two interruptions that are tried. */
  readonly step: number;
  /** Loses the positions, as a restore of the table alone does. */
  losePositions(): Promise<void>;
  empty(): Promise<void>;
}

/** How the sink reads the entity. */
type Reading = Pick<EntitySourceOptions, "withRows" | "withHistory" | "finalOnly">;

const current: Reading = { withRows: true, withHistory: false, finalOnly: false };

const account = (id: string, amount: number, owner = "a") =>
  set("Account", id, { owner: textValue(owner), amount: bigInt(BigInt(amount)) });

/** An entity that is written into a table, and audits of the table. */
interface Written {
  readonly subgraph: IndexedSubgraph;
  readonly database: Database;
  run(): Promise<void>;
  audit(request?: AuditRequest, world?: Partial<AuditWorld>): Promise<SinkFindings>;
  /** What the entity is now, as `rows` of the table has it. */
  expected(): Promise<readonly string[]>;
}

/** Tests of a sink whose rows and positions are on a server of its own. */
function testAdoption(name: string, server: () => RowServer): void {
  describeDatabase(`the adoption of a sink of ${name}`, false, ({ provider, fresh }) => {
    async function written(reading: Reading, settings: object = {}): Promise<Written> {
      const database = await fresh();
      await migrate(database);
      await server().empty();
      const subgraph = await indexedSubgraph(database, schema);
      const options = (): EntitySourceOptions =>
        readingOf(database, [subgraph.part("Account")], { ...reading, limit: 3 });
      const { columns } = options();
      const { definition, world: opening } = server();
      const schemaOfRows = { columns, key: [reading.withHistory ? "vid" : "id"] };
      const sink = {
        name: "out",
        from: "entity",
        schema: schemaOfRows,
        definition: { ...definition, settings: { ...definition.settings, ...settings } },
      } as PlannedSink;
      const plan: PipelinePlan = {
        name: "test",
        job: false,
        sinks: [sink],
        transforms: [],
        operations: [],
        functions: [],
        sources: [
          {
            name: "entity",
            definition: { type: "subgraph_entity", name: text("entity"), settings: {} },
            schema: schemaOfRows,
          },
        ],
      };
      const random = randomOf(1);
      const worldOf = (given: Partial<AuditWorld> = {}): AuditWorld =>
        auditWorld(
          { chain: new PlayedChain(random), feed: new PlayedFeed(random) },
          {
            ...opening,
            openSource: () => undefined,
            openContents: () => new EntityContents(options()),
            openAdopted: () => new AdoptedEntity(options()),
            ...given,
          },
        );
      return {
        subgraph,
        database,
        run: async () => {
          const program = await openProgram(plan, sink, onlySql);
          try {
            const writer = await openSink(sink, { flow: plan.name, sources: ["entity"] }, worldOf());
            try {
              await runSink(sink, writer, program, () => new EntitySource(options()), {
                signal: new AbortController().signal,
                onProgress: () => undefined,
              });
            } finally {
              await writer.close();
            }
          } finally {
            await program.close();
          }
        },
        audit: (request = verifies, world) => auditSink(plan, sink, worldOf(world), request),
        expected: async () => {
          const { layout } = subgraph.part("Account");
          const found = await database.query(
            SQL`select id, owner, amount from ${uncheckedSql(`"${layout.namespace}".account`)}
              ${reading.withHistory ? SQL`` : SQL`where upper_inf(block_range)`}`,
          );
          return found.map(({ id, owner, amount }) => `${id} ${owner} ${amount}`).sort();
        },
      };
    }

    it.skipIf(provider === "pglite").each([
      ["current rows", current],
      ["all versions", { ...current, withHistory: true }],
    ] as const)(
      "an adopted sink continues with %s, and repairs only rows that an audit would report",
      async (_, reading) => {
        const { subgraph, database, run, audit, expected } = await written(reading);
        for (const amount of [1, 2])
          await subgraph.commit([account("a", amount), account("b", 9), account("same", 1)]);
        await run();
        const restore = await backUp(database, [subgraph.part("Account").layout.namespace]);
        await subgraph.commit([account("a", 3), account("lost", 4), remove("Account", "b")]);
        await run();
        await subgraph.commit([account("lost", 5)]);
        await run();
        await restore();
        await subgraph.goOn();
        await subgraph.commit([account("a", 6), account("d", 7)]);
        await expect(run()).rejects.toThrow("run: graphloom pipeline adopt");
        const adopted = await audit(adopts);
        expect(isMended(adopted)).toBe(true);
        // The rows that are as they should be are left alone.
        const told = (adopted.rows?.first ?? []).map(({ kind, key }) =>
          [kind, ...Object.values(key)].join(" "),
        );
        expect(told.length).toBeGreaterThan(2);
        if (!reading.withHistory)
          expect(told.sort()).toEqual(["altered a", "foreign lost", "missing b", "missing d"]);
        expect(await server().rows()).toEqual(await expected());
        await subgraph.commit([account("d", 8), remove("Account", "b")]);
        await run();
        expect(await server().rows()).toEqual(await expected());
        const found = await audit();
        expect([isSound(found), found.isWhole, found.unproved]).toEqual([true, true, []]);
      },
    );

    it.skipIf(provider === "pglite")("an adopted sink restarts after an interruption", async () => {
      const { subgraph, database, run, audit, expected } = await written(current);
      await subgraph.commit([account("a", 1), account("b", 2)]);
      await run();
      await database.run(SQL`delete from graphloom.flow_readings; delete from graphloom.feed_readers`);
      await subgraph.commit([account("a", 3), account("c", 4), remove("Account", "b")]);
      let cuts = 0;
      for (let requests = 0, isDone = false; !isDone; requests += server().step) {
        isDone = await audit(adopts, server().cut(requests)).then(
          () => true,
          () => false,
        );
        if (isDone) break;
        cuts += 1;
        await expect(run()).rejects.toThrow("run: graphloom pipeline adopt");
        // What it has begun to keep is let go of.
        expect(await database.query(SQL`select name from graphloom.feed_readers`)).toEqual([]);
      }
      expect(cuts).toBeGreaterThan(3);
      expect(await server().rows()).toEqual(await expected());
      await subgraph.commit([account("c", 5)]);
      await run();
      expect(await server().rows()).toEqual(await expected());
    });

    it.skipIf(provider === "pglite")(
      "an adopted sink is refused if its positions are lost, with instructions",
      async () => {
        const { subgraph, database, run, audit } = await written(current);
        await subgraph.commit([account("a", 1)]);
        await run();
        await database.run(SQL`delete from graphloom.flow_readings; delete from graphloom.feed_readers`);
        await server().losePositions();
        const before = await server().rows();
        await expect(audit(adopts)).rejects.toThrow(
          "Sink out cannot be adopted. It has no position: either it was not written yet, or its positions were not restored with its rows. To begin again, write to another place, or empty this one.",
        );
        expect(await server().rows()).toEqual(before);
      },
    );

    it.skipIf(provider === "pglite").each([
      ["final blocks", { ...current, finalOnly: true }],
      ["what came after it began", { ...current, withRows: false }],
    ])("an adopted sink is refused if the sink accepts only %s, with instructions", async (what, reading) => {
      const { subgraph, database, run, audit } = await written(reading);
      await subgraph.commit([account("a", 1)]);
      await subgraph.commit([], 1_000);
      await run();
      await database.run(SQL`delete from graphloom.flow_readings; delete from graphloom.feed_readers`);
      const before = await server().rows();
      await expect(audit(adopts)).rejects.toThrow(
        `Sink out takes only ${what}, so what it should hold now is unknown. To begin again, write to another table, or drop this one.`,
      );
      expect(await server().rows()).toEqual(before);
      expect(await database.query(SQL`select name from graphloom.feed_readers`)).toEqual([]);
    });
  });
}

const mariaDb: { server?: MariaDbServer; asked?: MysqlDatabase } = {};

describe.skipIf(mariaDbMissing !== undefined)("with MariaDB", () => {
  beforeAll(async () => {
    mariaDb.server = await startMariaDb();
    mariaDb.asked = await openMysqlDatabase(mariaDb.server.address(""));
  });
  afterAll(async () => {
    await mariaDb.asked?.close();
    await mariaDb.server?.stop();
  });

  testAdoption("MariaDB", () => {
    const address = mariaDb.server?.address("") ?? "";
    const ask = async (statement: string) => mariaDb.asked?.run(statement);
    return {
      definition: {
        type: "mysql_sink",
        name: text("out"),
        settings: { secret_name: text("db"), schema: text("adopted"), table: text("accounts") },
      },
      world: { secret: () => "mysql://localhost/adopted", openMysql: () => openMysqlDatabase(address) },
      rows: async () => {
        const answer = await ask("select concat_ws(' ', id, owner, amount) as row from adopted.accounts");
        return (answer?.rows ?? []).map(({ row }) => row ?? "").sort();
      },
      step: 2,
      cut: (requests) => {
        let left = requests;
        return { openMysql: async () => cutMysql(await openMysqlDatabase(address), () => left-- > 0) };
      },
      losePositions: async () => void (await ask("delete from adopted.graphloom_flows_positions")),
      empty: async () => void (await ask("drop database if exists adopted")),
    };
  });
});

const clickHouse: { server?: ClickHouseServer; asked?: ClickHouse } = {};

describe.skipIf(lackOfClickHouse() !== undefined)("with ClickHouse", () => {
  const folder = useFolder();
  beforeAll(async () => {
    clickHouse.server = await startClickHouse(folder);
    clickHouse.asked = await openClickHouse(clickHouse.server.address);
  });
  afterAll(async () => {
    await clickHouse.asked?.close();
    await clickHouse.server?.stop();
  });

  testAdoption("ClickHouse", () => ({
    definition: {
      type: "clickhouse",
      name: text("out"),
      settings: { secret_name: text("ch"), database: text("adopted"), table: text("accounts") },
    },
    world: {
      secret: () => clickHouse.server?.secret,
      openClickHouse,
      clock: { timeout: (milliseconds) => AbortSignal.timeout(milliseconds), now: () => 0 },
    },
    rows: async () => {
      const rows = await clickHouse.asked?.query(
        "SELECT concat(id, ' ', owner, ' ', toString(amount)) AS row FROM adopted.accounts FINAL",
      );
      return (rows ?? []).map(({ row }) => String(row)).sort();
    },
    step: 4,
    cut: (requests) => {
      let left = requests;
      const tried = async <T>(work: () => Promise<T>): Promise<T> => {
        if (left <= 0) throw new ClickHouseError("the test has cut the connection", undefined);
        left -= 1;
        return work();
      };
      return {
        openClickHouse: async (address) => {
          const server = await openClickHouse(address);
          return {
            query: (...given) => tried(() => server.query(...given)),
            run: (...given) => tried(() => server.run(...given)),
            insert: (...given) => tried(() => server.insert(...given)),
            close: () => server.close(),
          };
        },
      };
    },
    losePositions: async () => clickHouse.asked?.run("TRUNCATE TABLE adopted.graphloom_flow_states"),
    empty: async () => clickHouse.asked?.run("DROP DATABASE IF EXISTS adopted"),
  }));
});
