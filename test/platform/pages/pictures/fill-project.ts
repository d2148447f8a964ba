import { EdgeCounts } from "../../../../src/platform/edge/counts.js";
import { NodeCounts } from "../../../../src/platform/figures/node-counts.js";
import { addApiKey } from "../../../../src/platform/people/api-keys.js";
import { noteAct } from "../../../../src/platform/people/audit.js";
import { addMember } from "../../../../src/platform/people/members.js";
import { addUser } from "../../../../src/platform/people/users.js";
import { addPipeline, addPipelineVersion } from "../../../../src/platform/pipelines/pipeline-rows.js";
import { hashOf } from "../../../../src/platform/sealing/hashed.js";
import { addEvents } from "../../../../src/platform/webhooks/outbox.js";
import { addWebhook } from "../../../../src/platform/webhooks/webhooks.js";
import { type Database, SQL } from "../../../../src/store/database/database.js";
import { quoteName } from "../../../../src/store/database/quote.js";
import { findDeployment, openDeployment } from "../../../../src/store/deployments/deployments.js";
import { makeChain, place } from "../../../support/data/made-chain.js";

const project = "project_2";
/** The end of the link of an invitation. */
export const invitationToken = "picture";
const schema = `type Pool @entity { id: Bytes! base: Token! quote: Token! feeTier: Int! volume: BigDecimal! }
  type Token @entity { id: Bytes! symbol: String! decimals: Int! }
  type Swap @entity(immutable: true) { id: ID! pool: Pool! amount: BigInt! note: String timestamp: BigInt! }`;

/** What the subgraph that is filled is called. */
export interface Filled {
  readonly deployment: string;
  readonly name: string;
  readonly version: string;
}

/** Fills the pictured project with all that its pages can show, for pictures of all pages. @param now milliseconds */
export async function fillProject(database: Database, filled: Filled, now: number): Promise<void> {
  await addRows(database, filled, now);
  await addPeople(database);
  await addPlaces(database, now);
  await addReceivers(database, filled, now);
  await addPipelines(database);
  await addTables(database);
}

/** Counts of requests to two nodes, one of which fails now and then. */
export function countedNodes(now: number): NodeCounts {
  const counts = new NodeCounts(() => now);
  const { askedNode } = counts.meters;
  const refused = 'HTTP status 403: {"message":"The plan of this key does not include archive requests"}';
  for (let index = 0; index < 1_240; index++) {
    askedNode("mainnet", index % 41 === 3 ? "limited" : "answered", 0.034, "https://eth.example.com");
    if (index % 10 === 0) askedNode("mainnet", "away", 10, "https://a-second-node.example.net:8545", refused);
  }
  askedNode("base", "answered", 1.26, "https://base.example.com");
  return counts;
}

/** The addresses of those nodes. */
export const pictureNodes: ReadonlyMap<string, readonly string[]> = new Map([
  ["base", ["https://base.example.com/v2/key"]],
  ["mainnet", ["https://eth.example.com/v2/key", "https://a-second-node.example.net:8545"]],
]);

async function addRows(database: Database, { deployment }: Filled, now: number): Promise<void> {
  await openDeployment(database, { deployment, network: "mainnet", schema, startBlock: 12_369_621 });
  const opened = await findDeployment(database, deployment);
  const own = (table: string) => SQL`${quoteName(opened?.namespace ?? "")}.${quoteName(table)}`;
  const address = SQL`decode(lpad(to_hex(i * 7919), 40, 'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'), 'hex')`;
  await database.query(
    SQL`insert into ${own("token")} (vid, id, symbol, decimals, block_range)
      select i, ${address}, 'TOKEN' || i, 18, int4range(12369621 + i, null) from generate_series(1, 24) i`,
  );
  await database.query(
    SQL`insert into ${own("pool")} (vid, id, base, quote, fee_tier, volume, block_range)
      select i, ${address}, ${address}, ${address}, 3000, i * 1234567.890123, int4range(12400000 + i, null)
        from generate_series(1, 48) i`,
  );
  await database.query(
    SQL`insert into ${own("swap")} (vid, id, pool, amount, note, timestamp, block$)
      select i, 'swap-' || i, ${address}, 1e24::numeric / i, case i % 7 when 0 then repeat('a long note about this swap ', 12) end,
        $1::numeric + i * 12, 23880000 + i from generate_series(1, 400) i`,
    [String(Math.floor(now / 1000) - 4_800)],
  );
  await database.query(
    SQL`update graphloom.deployments set head_number = 23884912, head_hash = '0xaa' where deployment = $1::text`,
    [deployment],
  );
}

async function addPeople(database: Database): Promise<void> {
  const people = [
    ["ann@example.com", "Ann Example", "Owner"],
    ["bob.with.a.rather.long.address@subdomain.of.example.org", "Bob", "Editor"],
    ["carol@example.com", "Carol", "Viewer"],
  ] as const;
  for (const [email, name, role] of people) {
    await addUser(database, { id: email, email, name }, {});
    await addMember(database, project, email, role);
  }
  await database.query(
    SQL`insert into graphloom.invitations (id, project, email, role, hash, expires_at)
      values ('one', $1::text, 'dan@example.com', 'Viewer', $2::text, now() + interval '5 days')`,
    [project, hashOf(invitationToken)],
  );
  await addApiKey(database, { id: "ci", project, name: "CI", role: "Editor", key: "gl_ci" });
  await addApiKey(database, { id: "old", project, name: "Old laptop", role: "Viewer", key: "gl_old" });
  await database.query(SQL`update graphloom.api_keys set revoked_at = now() where id = 'old'`);
  const acts = [
    ["subgraph.deploy", "uniswap-v3/1.2.0"],
    ["subgraph.tag", "uniswap-v3/prod to 1.2.0"],
    ["secret.create", "POOLS_DB"],
    ["key.create", "CI (ci) as Editor"],
    ["member.invite", "dan@example.com as Viewer"],
    ["edge-endpoint.create", "web"],
    ["webhook.create", "swaps"],
  ];
  for (const [action = "", subject = ""] of acts)
    await noteAct(database, {
      project,
      actor: { id: "ann@example.com", name: "Ann Example" },
      action,
      subject,
      address: "192.0.2.7",
    });
}

async function addPlaces(database: Database, now: number): Promise<void> {
  await database.query(
    SQL`insert into graphloom.secrets (project, name, type, description, sealed_value) values
      ($1::text, 'POOLS_DB', 'jdbc', 'The database of the analysts', '\\x00'),
      ($1::text, 'QUEUE', 'kafka', null, '\\x00')`,
    [project],
  );
  await database.query(
    SQL`insert into graphloom.secret_uses (project, secret, used_by) values ($1::text, 'POOLS_DB', 'the pipeline "transfers"')`,
    [project],
  );
  await database.query(
    SQL`insert into graphloom.edge_endpoints (project, name, product, key_hash, sealed_key, allowed_domains, paused_at) values
      ($1::text, 'web', 'rpc', 'one', '\\x00', array['app.example.com', 'www.example.com'], null),
      ($1::text, 'analysts', 'data', 'two', '\\x00', array[]::text[], now())`,
    [project],
  );
  const counts = new EdgeCounts(database, () => now);
  for (let index = 0; index < 40; index++) counts.add({ project, name: "web" }, 120, index % 5 === 0 ? 3 : 0);
  await counts.write();
}

async function addReceivers(database: Database, filled: Filled, now: number): Promise<void> {
  const common = {
    project,
    subgraph: filled.name,
    version: filled.version,
    secret: new Uint8Array([1]),
    retries: 3,
    retryInterval: 1,
    timeout: 5,
    owesStart: false,
    holder: "00000000-0000-4000-8000-000000000001",
  };
  for (const [name, entity] of [
    ["swaps", "swap"],
    ["pools", "pool"],
  ] as const) {
    const id = `picture_${name}`;
    await addWebhook(database, { ...common, id, name, entity, url: `https://${name}.example.com/hook` });
    const events = Array.from({ length: 30 }, (_, index) => ({
      ...({ op: "INSERT", block: 23_880_000 + index, entityKey: BigInt(index), old: null } as const),
      new: { id: `swap-${index}`, vid: String(index) },
      id: `00000000-0000-8000-8000-${String(name === "swaps" ? index : 100 + index).padStart(12, "0")}`,
    }));
    await addEvents(database, id, events);
    await database.query(
      SQL`update graphloom.webhook_events set
          status = case when seq % 9 = 0 then 'failed' when seq % 4 = 0 then 'pending' else 'delivered' end,
          attempts = case when seq % 9 = 0 then 4 else 1 end, attempted_at = $2::timestamptz, duration = 182,
          answer_status = case when seq % 9 = 0 then 503 when seq % 4 = 0 then null else 200 end,
          error = case when seq % 9 = 0 then 'The receiver answered with status 503.' end
        where webhook = $1::text`,
      [id, new Date(now - 120_000).toISOString()],
    );
    await database.query(
      SQL`insert into graphloom.webhook_figures (webhook, step, minute, delivered, retried, failed, pending)
        select $1::text, 5, $2::integer - i * 5, 4 + (i * 17) % 6, (i * 7) % 3, case when i % 80 = 0 then 4 else 0 end, i % 5
          from generate_series(0, 287) i`,
      [id, String(Math.floor(now / 300_000) * 5)],
    );
  }
  await database.query(
    SQL`update graphloom.webhooks set rests_until = $1::timestamptz, failures = 12 where id = 'picture_pools'`,
    [new Date(now + 900_000).toISOString()],
  );
}

async function addPipelines(database: Database): Promise<void> {
  for (const [name, status] of [
    ["transfers", "INACTIVE"],
    ["balances", "PAUSED"],
  ] as const) {
    const named = { project, name };
    await addPipeline(database, { ...named, form: "pipeline", isJob: false, status });
    const node = { columns: [], key: [] };
    await addPipelineVersion(database, named, {
      definition: definitionOf(name),
      variables: {},
      abis: [],
      size: "s",
      description: "Large transfers",
      document: { name, sources: { transfers: { type: "dataset", dataset_name: "base.erc20_transfers" } } },
      topology: [
        { ...node, name: "transfers", kind: "source", type: "dataset", reads: [] },
        { ...node, name: "large", kind: "transform", type: "sql", reads: ["transfers"] },
        { ...node, name: "analysts", kind: "sink", type: "postgres", reads: ["large"] },
      ],
    });
  }
}

function definitionOf(name: string): string {
  return `name: ${name}
sources:
  transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: latest }
transforms:
  large:
    type: sql
    sql: select * from transfers where amount > 1e21
    primary_key: id
sinks:
  analysts: { type: postgres, from: large, schema: public, table: transfers, secret_name: POOLS_DB }
`;
}

async function addTables(database: Database): Promise<void> {
  const made = { chain: "ethereum", firstBlock: 5, head: 1_009, final: 1_003 };
  await makeChain(database, made);
  await place(database, made, "transfers", 1_007);
}
