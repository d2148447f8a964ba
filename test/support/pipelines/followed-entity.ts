import type { AuditWorld } from "../../../src/pipelines/audit/audit-sink.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { AdoptedEntity } from "../../../src/pipelines/sources/entities/adopted-entity.js";
import { EntityContents } from "../../../src/pipelines/sources/entities/entity-contents.js";
import {
  type EntityPart,
  EntitySource,
  type EntitySourceOptions,
} from "../../../src/pipelines/sources/entities/entity-source.js";
import type { Database } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { world as machine } from "../database/databases.js";
import { auditWorld } from "./audited-pipeline.js";
import { readingOf } from "./indexed-subgraph.js";
import { onlySql, text } from "./law-pipeline.js";
import { PlayedFeed } from "./played-feed.js";
import { PlayedChain } from "./played-source.js";
import { randomOf } from "./random.js";

/** A pipeline that follows an entity. */
export interface FollowingPipeline {
  /** Writes what there is. @throws what the pipeline ends with */
  drain(): Promise<void>;
  end(): Promise<void>;
}

/** A flow that brings an entity into a table as it is. */
export interface FollowedEntity {
  readonly plan: PipelinePlan;
  readonly sink: PlannedSink;
  readonly world: AuditWorld;
  /** Opens the sink, writes what there is, and waits for more. @throws SinkError, SourceError */
  follow(): Promise<FollowingPipeline>;
}

/**
 * A flow of an entity into table `followed.accounts`.
 * @param database that of the subgraphs
 * @param address that of the table
 */
export function followedEntity(database: Database, part: EntityPart, address: string): FollowedEntity {
  const options = (more: Partial<EntitySourceOptions> = {}): EntitySourceOptions =>
    readingOf(database, [part], more);
  const schema = { columns: options().columns, key: ["id"] };
  const settings = { secret_name: text("db"), schema: text("followed"), table: text("accounts") };
  const sink: PlannedSink = {
    name: "out",
    from: "entity",
    schema,
    definition: { type: "postgres", name: text("out"), settings },
  };
  const source = { type: "subgraph_entity", name: text("entity"), settings: {} } as const;
  const plan: PipelinePlan = {
    name: "test",
    job: false,
    sinks: [sink],
    transforms: [],
    operations: [],
    functions: [],
    sources: [{ name: "entity", definition: source, schema }],
  };
  const random = randomOf(1);
  const world = auditWorld(
    { chain: new PlayedChain(random), feed: new PlayedFeed(random) },
    {
      secret: () => address,
      openDatabase: (at) => openDatabase(at, machine),
      openSource: () => undefined,
      openContents: () => new EntityContents(options()),
      openAdopted: () => new AdoptedEntity(options()),
    },
  );
  const follow = async (): Promise<FollowingPipeline> => {
    const writer = await openSink(sink, { flow: plan.name, sources: ["entity"] }, world);
    const program = await openProgram(plan, sink, onlySql);
    let isEnding = false;
    let goOn = (): void => undefined;
    let rest = (): void => undefined;
    let resting = new Promise<void>((resolve) => {
      rest = resolve;
    });
    const wait = (): Promise<boolean> => {
      const next = new Promise<boolean>((resolve) => {
        goOn = () => resolve(!isEnding);
      });
      rest();
      return next;
    };
    const run = runSink(sink, writer, program, () => new EntitySource(options({ ends: false, wait })), {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    }).finally(async () => {
      await program.close();
      await writer.close();
    });
    const rested = async (): Promise<void> => {
      await Promise.race([resting, run]);
    };
    await rested();
    return {
      drain: async () => {
        resting = new Promise((resolve) => {
          rest = resolve;
        });
        goOn();
        await rested();
      },
      end: async () => {
        isEnding = true;
        goOn();
        await run;
      },
    };
  };
  return { plan, sink, world, follow };
}
