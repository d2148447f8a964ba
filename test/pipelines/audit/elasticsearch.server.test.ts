import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type AuditRequest,
  auditSink,
  isSound,
  type SinkFindings,
} from "../../../src/pipelines/audit/audit-sink.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { testFolder } from "../../support/folder.js";
import {
  auditWorld,
  type Played,
  repairs,
  verifies,
  writeAll,
} from "../../support/pipelines/audited-pipeline.js";
import { filesPlan } from "../../support/pipelines/expect-audited-files.js";
import { expectKeptLineage } from "../../support/pipelines/expect-kept-lineage.js";
import { type LawPipeline, lawPipeline } from "../../support/pipelines/law-pipeline.js";
import { located, locatedText } from "../../support/pipelines/located.js";
import { PlayedFeed } from "../../support/pipelines/played-feed.js";
import { PlayedSearch } from "../../support/pipelines/played-search.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";
import { type RecordingServer, startRecordingServer } from "../../support/pipelines/recording-server.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";

const seeds = Number(process.env.GRAPHLOOM_AUDIT_SEEDS ?? 1);

let server: RecordingServer;
let flow: LawPipeline;
let sink: PlannedSink;
beforeAll(async () => {
  server = await startRecordingServer();
  flow = await lawPipeline();
  const settings = {
    index: locatedText("transfers"),
    secret_name: locatedText("SEARCH"),
    batch_size: located(50),
  };
  sink = { ...flow.sink, definition: { type: "elasticsearch", name: locatedText("out"), settings } };
});
afterAll(() => server.stop());

interface Audited {
  readonly search: PlayedSearch;
  readonly played: Played;
  write(): Promise<void>;
  audit(request?: AuditRequest): Promise<SinkFindings>;
  /** Does something before documents are read the next time. */
  meanwhile(work: () => Promise<void>): void;
}

it("an audit of an index keeps how rows were computed", async () => {
  const search = new PlayedSearch();
  server.answer((request) => search.answer(request));
  const random = randomOf(1);
  const played = { chain: new PlayedChain(random, 8), feed: new PlayedFeed(random) };
  for (let count = 0; count < 12; count += 1) played.chain.mine();
  const world = auditWorld(played, sinkWorld({ folder: testFolder(), secrets: { SEARCH: server.url } }));
  const planned = filesPlan(sink.definition);
  await expectKeptLineage(planned.plan, planned.sink, world, played);
});

/** An index that was written through reorganisations. */
async function written(seed: number): Promise<Audited> {
  const search = new PlayedSearch();
  server.answer((request) => search.answer(request));
  const random = randomOf(seed);
  const played = { chain: new PlayedChain(random, 8), feed: new PlayedFeed(random) };
  let waiting: (() => Promise<void>) | undefined;
  const real = sinkWorld({ folder: testFolder(), secrets: { SEARCH: server.url } });
  const outgoing: typeof real.outgoing = {
    send: async (request) => {
      const work = request.url.endsWith("/_mget") ? waiting : undefined;
      if (work) waiting = undefined;
      await work?.();
      return real.outgoing.send(request);
    },
  };
  const world = auditWorld(played, { ...real, outgoing });
  const write = async (): Promise<void> => {
    await writeAll(flow, sink, await openSink(sink, flow.owner, world), played);
  };
  for (let count = 0; count < 30; count += 1) played.chain.mine();
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 4; count += 1) played.feed.change();
    played.chain.reorganise(1 + Math.floor(random() * 8));
    await write();
  }
  return {
    search,
    played,
    write,
    audit: (request = verifies) => auditSink(flow.plan, sink, world, request),
    meanwhile: (work) => {
      waiting = work;
    },
  };
}

/** Documents by id, without their versions. */
function contentOf({ documents }: PlayedSearch): unknown {
  return [...documents]
    .filter(([, { source }]) => source !== undefined)
    .map(([id, { source }]) => [id, source])
    .sort();
}

function listed({ rows }: SinkFindings): readonly string[] {
  return (rows?.first ?? [])
    .map(({ kind, key, columns = [] }) => [kind, ...Object.values(key), ...columns].join(" "))
    .sort();
}

it(`an audit of an index finds each wrong document, and repairs only wrong ones, for ${seeds} schedules`, async () => {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { search, played, write, audit } = await written(seed);
    const before = contentOf(search);
    expect(isSound(await audit()), `seed ${seed}`).toBe(true);
    const random = randomOf(seed + 1_000);
    const wrong: string[] = [];
    for (const [id, { version, source }] of [...search.documents]) {
      if (source === undefined) continue;
      const kind = random();
      // Other programs raise the version of what they write.
      if (kind < 0.05) {
        search.documents.set(id, { version: version + 1, source: undefined });
        wrong.push(`missing ${id}`);
      } else if (kind < 0.1) {
        search.documents.set(id, {
          version: version + 1_000,
          source: JSON.stringify({ ...JSON.parse(source), who: 1 }),
        });
        wrong.push(`altered ${id} who`);
      } else if (kind < 0.15) {
        search.documents.set(`${id}!`, { version: 1, source });
        wrong.push(`foreign ${id}!`);
      }
    }
    expect(wrong.length).toBeGreaterThan(2);
    const damaged = [...search.documents];
    expect(listed(await audit()), `seed ${seed}`).toEqual(wrong.sort());
    expect([...search.documents]).toEqual(damaged);
    server.clear();
    expect(listed(await audit(repairs))).toEqual(wrong);
    const sent = server.requests.filter(({ path }) => path === "/_bulk").map(({ body }) => body);
    expect(sent.join("").match(/^\{"(?:index|delete)":/gm)).toHaveLength(wrong.length);
    expect(contentOf(search)).toEqual(before);
    expect(isSound(await audit())).toBe(true);
    // The sink goes on, with versions that are higher than those of others.
    played.chain.reorganise(8);
    await write();
    expect(isSound(await audit())).toBe(true);
  }
});

it("an audit of an index does not report rows that the sink writes during the audit", async () => {
  const { played, write, audit, meanwhile } = await written(1);
  played.chain.reorganise(8);
  meanwhile(write);
  await expect(audit()).rejects.toThrow("The pipeline has written documents meanwhile.");
  expect(isSound(await audit())).toBe(true);
});
