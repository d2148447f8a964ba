import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AuditRequest,
  auditSink,
  isSound,
  type SinkFindings,
} from "../../../src/pipelines/audit/audit-sink.js";
import { replaySink } from "../../../src/pipelines/audit/replay-sink.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import type { Kafka, KafkaRecord } from "../../../src/pipelines/sinks/kafka-client.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import {
  auditWorld,
  listed,
  type Played,
  plainPipeline,
  playThrough,
  repairs,
  verifies,
  writeAll,
} from "../../support/pipelines/audited-pipeline.js";
import { expectKeptLineage } from "../../support/pipelines/expect-kept-lineage.js";
import { foldTopic } from "../../support/pipelines/folded-topic.js";
import { type LawPipeline, lawPipeline, text } from "../../support/pipelines/law-pipeline.js";
import { expectReturn } from "../../support/pipelines/returned-pipeline.js";
import { startKafka } from "../../support/servers/kafka.js";
import { kafkaMissing, openTestKafka } from "../../support/servers/kafka-client.js";

describe.skipIf(kafkaMissing !== undefined)(
  `an audit of a topic${kafkaMissing ? `: ${kafkaMissing}` : ""}`,
  () => {
    let server: Awaited<ReturnType<typeof startKafka>>;
    let kafka: Kafka;
    let flow: LawPipeline;

    beforeAll(async () => {
      server = await startKafka();
      kafka = await openTestKafka({ brokers: [server.address], isTls: false });
      const law = await lawPipeline();
      const settings = { secret_name: text("kafka"), topic: text("chosen") };
      const definition = { type: "kafka", name: text("out"), settings } as PlannedSink["definition"];
      flow = { ...law, sink: { ...law.sink, definition } };
    });
    afterAll(async () => {
      await kafka?.close();
      await server?.stop();
    });

    const worldOf = (played: Played) =>
      auditWorld(played, {
        secret: () => JSON.stringify({ bootstrapServers: server.address }),
        openKafka: openTestKafka,
      });
    const audit = (played: Played, request: AuditRequest): Promise<SinkFindings> =>
      auditSink(flow.plan, flow.sink, worldOf(played), request);

    /** The last record of each key that is there, with its partition. */
    async function last(): Promise<readonly (KafkaRecord & { readonly partition: number })[]> {
      const records = new Map<string, KafkaRecord & { readonly partition: number }>();
      for (const [partition, range] of (await kafka.ranges("chosen")).entries())
        for await (const { key, value, headers } of kafka.read("chosen", partition, range)) {
          const name = Buffer.from(key ?? "").toString();
          records.delete(name);
          if (headers.get("dbz.op") !== "d") records.set(name, { key, value, headers, partition });
        }
      return [...records.values()];
    }

    const idOf = ({ key }: KafkaRecord): string => JSON.parse(Buffer.from(key ?? "").toString()).id;

    it("finds each row that was deleted, altered, repeated or added, and repairs only these", async () => {
      const write = async (played: Played): Promise<void> =>
        writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, worldOf(played)), played);
      const played = await playThrough(1, write, { blocks: 12, rounds: 2 });
      expect(isSound(await audit(played, verifies))).toBe(true);
      const { rows } = await foldTopic(kafka, "chosen");
      const [deleted, altered, repeated, copied] = await last();
      if (!deleted || !altered || !repeated || !copied) throw new Error("there are too few rows");
      const value = JSON.parse(Buffer.from(altered.value ?? "").toString());
      const others = { ...copied, key: Buffer.from('{"id":"x"}') };
      await kafka.send("chosen", [
        { ...deleted, value: null, headers: new Map() },
        { ...altered, value: Buffer.from(JSON.stringify({ ...value, who: "nobody" })), headers: new Map() },
        repeated,
        { ...others, headers: new Map() },
      ]);
      const wrong = [
        `missing ${idOf(deleted)}`,
        `altered ${idOf(altered)} who`,
        `doubled ${idOf(repeated)}`,
        "foreign x",
      ].sort();
      const ends = await kafka.ranges("chosen");
      expect(listed(await audit(played, verifies))).toEqual(wrong);
      expect(await kafka.ranges("chosen")).toEqual(ends);
      expect(listed(await audit(played, repairs))).toEqual(wrong);
      expect(isSound(await audit(played, verifies))).toBe(true);
      expect((await last()).map((record) => JSON.parse(String(record.value))).sort(byId)).toEqual(
        [...rows.values()].sort(byId),
      );
      played.chain.mine();
      await write(played);
      expect(isSound(await audit(played, verifies))).toBe(true);
    });

    it("accepts a topic whose sink was restored from a snapshot", async () => {
      const settings = { secret_name: text("kafka"), topic: text("returned") };
      await expectReturn({
        worldOf,
        mayBeginAnew: false,
        flow: plainPipeline(["id"], "kafka", settings),
        content: async () => [...(await foldTopic(kafka, "returned")).rows.values()].sort(byId),
      });
    });

    it("keeps how its rows were computed", async () => {
      const settings = { secret_name: text("kafka"), topic: text("changing") };
      const { plan, sink } = plainPipeline(["id"], "kafka", settings);
      const played = await playThrough(5, async () => undefined, { blocks: 12, rounds: 1 });
      await expectKeptLineage(plan, sink, worldOf(played), played);
    });

    it("gets the rows of a range again, marked as replayed", async () => {
      const settings = { secret_name: text("kafka"), topic: text("replayed") };
      const { plan, sink, owner } = plainPipeline(["id"], "kafka", settings);
      const played = await playThrough(
        5,
        async (now) => writeAll({ plan, sink, owner }, sink, await openSink(sink, owner, worldOf(now)), now),
        { blocks: 12, rounds: 1 },
      );
      const world = worldOf(played);
      const before = await foldTopic(kafka, "replayed");
      const rows = played.chain.blocks.slice(0, 4).flatMap((block) => block.rows.columns[0] ?? []);
      const request = {
        range: { from: 0, to: 3 },
        onRange: () => undefined,
        confirm: async () => true,
      };
      expect(await replaySink(plan, sink, world, request)).toEqual({
        rows: rows.length,
        overtaken: 0,
        isSent: true,
      });
      const again: string[] = [];
      for (const [partition, range] of (await kafka.ranges("replayed")).entries())
        for await (const record of kafka.read("replayed", partition, range))
          if (record.headers.get("graphloom.replay") === "true") again.push(idOf(record));
      expect(again.sort()).toEqual([...rows].sort());
      const after = await foldTopic(kafka, "replayed");
      expect([after.rows, after.repeats]).toEqual([before.rows, 0]);
      expect(isSound(await auditSink(plan, sink, world, verifies))).toBe(true);
    });

    const byId = (one: unknown, other: unknown): number =>
      String((one as { readonly id: string }).id) < String((other as { readonly id: string }).id) ? -1 : 1;
  },
);
