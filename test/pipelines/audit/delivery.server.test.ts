import { readdirSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { auditSink, isSound, type SinkFindings } from "../../../src/pipelines/audit/audit-sink.js";
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
import { located, locatedText } from "../../support/pipelines/located.js";
import { PlayedFeed } from "../../support/pipelines/played-feed.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";
import { type RecordingServer, startRecordingServer } from "../../support/pipelines/recording-server.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";

let receiver: RecordingServer;
beforeAll(async () => {
  receiver = await startRecordingServer();
});
beforeEach(() => {
  receiver.clear();
  receiver.answer(({ body }) => ({ status: 200, body: queueAnswer(body) }));
});
afterAll(() => receiver.stop());

/** What a queue says when it has taken all messages; webhooks may answer anything. */
function queueAnswer(body: string): string {
  const entries: readonly { readonly Id: string }[] = JSON.parse(body).Entries ?? [];
  return JSON.stringify({ Successful: entries.map(({ Id }) => ({ Id })) });
}

interface Envelope {
  readonly sequence: number;
  readonly op: string;
  readonly row: { readonly id: string; readonly who: string };
}

/** Changes that have arrived, of either receiver. */
function received(): readonly Envelope[] {
  return receiver.requests.flatMap(({ body }) => {
    const json = JSON.parse(body);
    const messages: readonly { readonly MessageBody: string }[] = json.Entries ?? [];
    return json.Entries ? messages.map(({ MessageBody }) => JSON.parse(MessageBody)) : json;
  });
}

const definitions = {
  webhook: (): PlannedSink["definition"] => ({
    type: "webhook",
    name: locatedText("out"),
    settings: { url: locatedText(`${receiver.url}/hook`), batch_size: located(5) },
  }),
  sqs_sink: (): PlannedSink["definition"] => ({
    type: "sqs_sink",
    name: locatedText("out"),
    settings: {
      queue_url: locatedText(`${receiver.url}/1/rows`),
      secret_name: locatedText("KEY"),
      region: locatedText("eu-west-1"),
    },
  }),
};

describe.each(["webhook", "sqs_sink"] as const)("an audit of a receiver: %s", (type) => {
  it("keeps how rows were computed", async () => {
    const random = randomOf(1);
    const played: Played = { chain: new PlayedChain(random, 8), feed: new PlayedFeed(random) };
    for (let count = 0; count < 12; count += 1) played.chain.mine();
    const world = auditWorld(played, sinkWorld({ folder: testFolder(), secrets: { KEY: "id:secret" } }));
    const { plan, sink } = filesPlan(definitions[type]());
    await expectKeptLineage(plan, sink, world, played);
  });

  /** A receiver that has all rows of a chain, whose blocks are final but for the last eight. */
  async function sent(key: readonly string[] = ["id"]) {
    const random = randomOf(3);
    const played: Played = { chain: new PlayedChain(random, 8), feed: new PlayedFeed(random) };
    for (let count = 0; count < 40; count += 1) played.chain.mine();
    const folder = testFolder();
    const world = auditWorld(played, sinkWorld({ folder, secrets: { KEY: "id:secret" } }));
    const { plan, sink: planned } = filesPlan(definitions[type]());
    const sink = { ...planned, schema: { ...planned.schema, key } };
    const flow = { plan, sink, owner: { flow: plan.name, sources: ["played"] } };
    const audit = (request = verifies): Promise<SinkFindings> => auditSink(plan, sink, world, request);
    const before = await audit();
    expect([before.sources[0]?.ranges, before.rows, readdirSync(folder)]).toEqual([0, undefined, []]);
    const write = async (): Promise<void> => {
      await writeAll(flow, sink, await openSink(sink, flow.owner, world), played);
    };
    await write();
    return { ...played, folder, audit, write, world, flow, sink };
  }

  /** Makes the source say something else of a block. */
  function alter({ blocks }: PlayedChain, number: number): void {
    const block = blocks[number] ?? expect.unreachable();
    const [id = [], at = [], who = [], amount = []] = block.rows.columns;
    blocks[number] = {
      ...block,
      rows: { ...block.rows, columns: [id, at, who, amount.map(() => "7")] },
    };
  }

  it("finds a range that its source now reports differently, and sends it again if the user trusts the source", async () => {
    const { chain, audit, write } = await sent();
    expect(isSound(await audit())).toBe(true);
    const last = Math.max(...received().map(({ sequence }) => sequence));
    receiver.clear();
    const number = chain.blocks.findIndex(({ rows }) => rows.count > 1);
    const ids = chain.blocks[number]?.rows.columns[0];
    alter(chain, number);
    const found = await audit();
    expect(found.sources[0]?.differing).toHaveLength(1);
    expect([isSound(found), found.rows]).toEqual([false, undefined]);
    await audit(repairs);
    expect(receiver.requests).toEqual([]);
    await audit({ ...repairs, trustsSource: true });
    const again = received();
    expect(again.map(({ row }) => row.id)).toEqual(expect.arrayContaining([...(ids ?? [])]));
    expect(new Set(again.map(({ op }) => op))).toEqual(new Set(["u"]));
    expect(Math.min(...again.map(({ sequence }) => sequence))).toBe(last + 1);
    expect(isSound(await audit())).toBe(true);
    // The sink goes on where it was, and nothing is sent twice.
    receiver.clear();
    await write();
    expect(receiver.requests).toEqual([]);
    expect(isSound(await audit())).toBe(true);
  });

  it("does not send rows again that a later block has changed", async () => {
    const { chain, audit } = await sent(["who"]);
    receiver.clear();
    // The ledger has one entry for all final blocks, and the last rows of each key come from blocks that may be undone.
    alter(
      chain,
      chain.blocks.findIndex(({ rows }) => rows.count > 0),
    );
    await audit({ ...repairs, trustsSource: true });
    const open = chain.blocks.slice(-8).flatMap(({ rows }) => rows.columns[2] ?? []);
    expect(received().filter(({ row }) => open.includes(row.who))).toEqual([]);
    expect(isSound(await audit())).toBe(true);
  });

  it("reports rows that were begun and may not have arrived, while the sink is open", async () => {
    const { chain, folder, audit, flow, sink, world } = await sent();
    chain.mine();
    while (chain.blocks.at(-1)?.rows.count === 0) chain.mine();
    receiver.answer(() => ({ status: 503 }));
    const writer = await openSink(sink, flow.owner, world);
    await expect(writeAll(flow, sink, writer, { chain, feed: new PlayedFeed(randomOf(1)) })).rejects.toThrow(
      "503",
    );
    const reopened = await openSink(sink, flow.owner, world);
    const files = readdirSync(folder, { recursive: true });
    const found = await audit();
    expect(found.unproved).toEqual([
      expect.stringMatching(
        /^Changes that were begun and may not have arrived: \d+\. Send them with: graphloom pipeline run$/,
      ),
    ]);
    expect(readdirSync(folder, { recursive: true })).toEqual(files);
    await reopened.close();
  });
});
