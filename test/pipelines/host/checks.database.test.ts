import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { hearFailures } from "../../../src/base/failures.js";
import { unexpectedFailure } from "../../../src/base/text/message-of.js";
import { TooMuchWaitingError } from "../../../src/base/turns/fair-turns.js";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import type { PipelineEngine, PipelineHost } from "../../../src/pipelines/host/pipeline-engine.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import { type Database, DatabaseError } from "../../../src/store/database/database.js";
import { describeDatabase, world } from "../../support/database/databases.js";
import { until } from "../../support/until.js";

/* Checks run in processes of their own. One that asks for a secret waits until the server answers, here for ever. */

const definition = (sink = "{ type: blackhole, from: blocks }") => ({
  text: `
name: checked
sources: { blocks: { type: dataset, dataset_name: base.raw_blocks } }
sinks: { stored: ${sink} }
`,
  variables: {},
});
const endless = definition("{ type: postgres, from: blocks, table: t, secret_name: SLOW }");

function hostOf(project: string, onAsked: () => void = () => undefined): PipelineHost {
  return {
    project,
    secret: () => {
      onAsked();
      return new Promise(() => undefined);
    },
    builds: async () => [],
    subgraphs: async () => [],
    shows: async () => false,
    isPaused: async () => false,
  };
}

describeDatabase("checks of definitions", false, (databases) => {
  let database: Database;
  const engines: PipelineEngine[] = [];
  const engine = (
    checkTime: number,
    reach: { readonly allowsPrivate: boolean; readonly listed: readonly string[] } = {
      allowsPrivate: true,
      listed: [],
    },
  ): PipelineEngine => {
    const made = pipelinesOn({ verify: "bloom", checkTime })(
      { database, world, nodes: new Nodes(new Map(), world) },
      reach,
    );
    engines.push(made);
    return made;
  };
  const patient = new AbortController().signal;

  beforeAll(async () => {
    database = await databases.fresh();
  });
  afterAll(() => Promise.all(engines.map((one) => one.close())));

  it("checks run one at a time for each project, so that no project delays another", async () => {
    const { check } = engine(600_000);
    const gone = new AbortController();
    let begun = 0;
    const hostile = hostOf("hostile", () => {
      begun += 1;
    });
    const asked = Array.from({ length: 9 }, () => check(endless, hostile, gone.signal));
    for (const one of asked) one.catch(() => undefined);
    await expect(check(endless, hostile, patient)).rejects.toThrow(TooMuchWaitingError);
    await until(() => begun === 1);
    const { findings, meaning } = await check(definition(), hostOf("other"), patient);
    expect([findings, meaning?.name, begun]).toEqual([[], "checked", 1]);
    gone.abort(new Error("the client has gone"));
    for (const one of asked) await expect(one).rejects.toThrow("the client has gone");
    expect(await check(definition(), hostOf("hostile"), patient)).toMatchObject({ findings: [] });
  });

  it("a check fetches an ABI once, where the server lets pipelines reach", async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end('[{ "type": "event", "name": "Sent", "inputs": [] }]');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/abi.json`;
    const decoding = {
      text: `
name: decoded
sources: { logs: { type: dataset, dataset_name: base.raw_logs } }
transforms:
  sent: { sql: "SELECT id, evm_log_decode(fetch_abi('${url}'), topics, data).name AS n FROM logs", primary_key: id }
sinks: { stored: { type: blackhole, from: sent } }
`,
      variables: {},
    };
    const made = engine(600_000);
    const { findings, meaning } = await made.check(decoding, hostOf("a"), patient);
    expect([findings, asked, meaning?.abis[0]?.abi]).toEqual([
      [],
      1,
      '[{"type":"event","name":"Sent","inputs":[]}]',
    ]);
    const again = await made.check({ ...decoding, abis: meaning?.abis ?? [] }, hostOf("a"), patient);
    expect([again.findings, again.meaning?.abis, asked]).toEqual([[], meaning?.abis, 1]);
    const closed = engine(600_000, { allowsPrivate: false, listed: [] });
    const refused = await closed.check(decoding, hostOf("a"), patient);
    expect(refused.findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the ABI at http:.*cannot be used: .*private/),
    ]);
    expect(asked).toBe(1);
  });

  it("checks report that the database is unreachable, and so does a run, which is then restarted", async () => {
    const made = engine(600_000);
    const host: PipelineHost = {
      ...hostOf("a"),
      secret: () => Promise.reject(new DatabaseError("too many clients", { code: "53300" })),
    };
    const why = "The server's database does not answer: too many clients";
    const answer = made.check(endless, host, patient);
    await expect(answer).rejects.toEqual(new DatabaseError(why));
    const order = { flow: "a/checked", definition: endless, size: "s", begins: "continue", host } as const;
    const nothing = () => undefined;
    const hearer = { started: nothing, state: nothing, nodes: nothing, lines: nothing, rows: nothing };
    expect(await made.run(order, hearer).ended).toEqual({
      kind: "failed",
      why,
      mayPass: true,
      ofDatabase: true,
    });
  });

  it("checks end after a time limit, including checks before a run", async () => {
    const { check } = engine(1_000);
    const sentence = "It took longer than 1 seconds and was stopped.";
    await expect(check(endless, hostOf("a"), patient)).rejects.toThrow(sentence);
    const toCome = { flow: "a/checked", size: "s" } as const;
    await expect(check(endless, hostOf("a"), patient, toCome)).rejects.toThrow(sentence);
  });

  it("checks end when their pipeline starts, or when the client leaves", async () => {
    const { check } = engine(600_000);
    const gone = new AbortController();
    const host = hostOf("a", () => gone.abort(new Error("the client has gone")));
    const checking = check(endless, host, gone.signal, { flow: "a/checked", size: "s" });
    await expect(checking).rejects.toThrow("the client has gone");
  });

  it("checks do not show a server error to the user, but log it", async () => {
    const heard: string[] = [];
    const stop = hearFailures((stack) => heard.push(stack));
    const host: PipelineHost = {
      ...hostOf("a"),
      secret: () => {
        throw new TypeError("Cannot read properties of undefined (reading 'split')");
      },
    };
    const { check } = engine(600_000);
    await expect(check(endless, host, patient)).rejects.toThrow(new Error(unexpectedFailure));
    stop();
    expect(heard).toEqual([expect.stringContaining("Cannot read properties of undefined")]);
  });
});
