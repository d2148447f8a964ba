import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { config } from "../harness.js";
import { shellWords } from "../shell-words.js";
import { useApi } from "./harness.js";

/*
 * Command lines that scripts and guides in public repositories have for a tool with the same words. Their names and options
 * are as they are there; tokens, passwords and hosts are not. Each does what it says, or is refused with an exit code that a
 * script notices and with what to do instead.
 */

const api = useApi();

type Line = readonly [line: string, code: number, said: RegExp];

const contract = "0x44661459e3c092358559d8459e585EA201D04231";
const hash = "Qmaj3MHPQ5AecbPuzUyLo9rFvuQwcAYpkXrf3dTUPV8rRu";
const nowhere = "http://127.0.0.1:1";
const first = "royco-vault-1/0.0.22";

const lines: readonly Line[] = [
  // Deployments.
  [`subgraph deploy ${first} --path .`, 0, /royco-vault-1\/0\.0\.22/],
  [
    "subgraph deploy dungeon-delvers/v2.0.0.0 --path ./build --token $TOKEN",
    0,
    /dungeon-delvers\/v2\.0\.0\.0/,
  ],
  ["subgraph deploy ink-eth-balances/1.0.0", 0, /ink-eth-balances\/1\.0\.0/],
  ["subgraph deploy polymarket/0.1 --path ./build/", 0, /polymarket\/0\.1/],
  ["subgraph deploy secure-value-reserve/1.0.1 --token $TOKEN", 0, /secure-value-reserve\/1\.0\.1/],
  [
    "subgraph deploy genesis-dev-421613/1.0.0 --path . --start-block 49293101",
    0,
    /genesis-dev-421613\/1\.0\.0/,
  ],
  [
    'subgraph deploy metokens/v0.0.2 --path . --description "Fresh deployment for Mirror pipeline - fixed block hash mismatch"',
    0,
    /metokens\/v0\.0\.2/,
  ],
  ["subgraph deploy eduverse-lms/1.0.0 --from-abi config/eduverse-config.json --tag prod", 0, /prod/],
  [
    "subgraph deploy atlas-v1/1.0.0 --network story-aeneid-testnet --start-block 11797578",
    2,
    /--network requires a subgraph to build/,
  ],
  [
    "subgraph deploy kitegarden/1.0.0 --path ./subgraph --network kite-ai-testnet",
    2,
    /--network requires a subgraph to build/,
  ],
  [
    "subgraph deploy veritasvault/etherlink-mainnet --network etherlink-mainnet --from-config subgraph.yaml",
    2,
    /from-config/,
  ],
  [
    "subgraph deploy eduverse/v1.0.0 --from-abi ./configs/eduverse-subgraph-config.json",
    1,
    /eduverse-subgraph-config/,
  ],
  [`subgraph deploy x2y2/v1 --from-ipfs-hash ${hash} --ipfs-gateway ${nowhere}`, 3, /127\.0\.0\.1:1/],
  [`subgraph deploy poap/1.0.0 --from-url ${nowhere}/subgraphs/name/poap`, 3, /127\.0\.0\.1:1/],
  ["subgraph deploy sushiswap/v3-next --path . --graft-from sushiswap/v3-robinhood", 3, /v3-robinhood/],
  [
    `subgraph deploy zora/2 --path . --graft-from ${first} --start-block 10`,
    3,
    /none of its blocks has been indexed/,
  ],
  [
    `subgraph deploy poap/2 --from-abi --contract ${contract} --network mainnet --start-block 1`,
    2,
    /graphloom init/,
  ],
  // Tags.
  [`subgraph tag create ${first} --tag latest`, 0, /latest/],
  [`subgraph tag create ${first} --tag prod --token $TOKEN`, 0, /prod/],
  ["subgraph tag create genesis-dev-421613/1.0.0 -t 421613", 0, /421613/],
  ["subgraph tag delete genesis-dev-421613/1.0.0 -t 421613", 2, /--force/],
  ["subgraph tag delete genesis-dev-421613/1.0.0 -t 421613 --force", 0, /421613/],
  ["subgraph tag create --tag prod", 2, /<nameAndVersion> is missing/],
  // Lists, logs and settings.
  [`subgraph list ${first}`, 0, /royco-vault-1\/0\.0\.22/],
  [`subgraph log ${first} --levels=warn --no-follow`, 0, /Nothing was logged/],
  [`subgraph log ${first} --since 10m --filter warn --no-follow`, 0, /Nothing was logged/],
  [`subgraph log ${first} --tail`, 2, /Unknown argument: tail/],
  [`subgraph update ${first} --public-endpoint true`, 2, /disabled/],
  [`subgraph update ${first} --start-block 123456`, 2, /start-block/],
  ["subgraph delete polymarket/0.1", 2, /--force/],
  // Webhooks.
  [
    `subgraph webhook create ${first} --name my-webhook --entity pool --url https://example.com/hook --secret my-secret`,
    0,
    /my-webhook/,
  ],
  [
    `subgraph webhook create ${first} --name 1155-base-sepolia-create-token-3 --entity zora_create_token --url https://webhook.site/max`,
    3,
    /it has pool/,
  ],
  [
    `subgraph webhook create ${first} --endpoint https://example.com --secret s --events VaultTransaction,VaultEvent`,
    2,
    /name|entity/,
  ],
  [
    `subgraph webhook add ${first} --url "https://yourdomain.com/api/webhooks" --secret "s"`,
    2,
    /webhook create/,
  ],
  ["subgraph webhook delete my-webhook", 2, /--force/],
  ["subgraph webhook delete --name my-webhook -f", 0, /Deleted[\s\S]*deprecated/],
  // Projects of a subgraph.
  ["subgraph init", 2, /--from-config <file>/],
  [
    `subgraph init eduverse/v1.0.0 --contract ${contract} --network manta-pacific-sepolia --start-block 5326332 --contract-name CourseFactory --deploy`,
    2,
    /--abi is missing/,
  ],
  [
    `subgraph init payperprompt/v1 --abi ./subgraph/abis --contract ${contract} --network kite-ai-testnet --contract-name APIRegistry --start-block 0`,
    1,
    /subgraph\/abis/,
  ],
  // Secrets.
  [
    `secret create --name PS_ADMIN_SECRET --value '{\n  "type": "jdbc",\n  "protocol": "postgresql",\n  "host": "db.example.com",\n  "port": 5432,\n  "databaseName": "postgres",\n  "user": "ps_admin",\n  "password": "1a@@b"\n}'`,
    0,
    /PS_ADMIN_SECRET \(jdbc\)/,
  ],
  [
    `secret create --name COMPOSE_WEBHOOK_AUTH --value '{"type": "httpauth", "secretKey": "Authorization", "secretValue": "Bearer abc"}'`,
    0,
    /COMPOSE_WEBHOOK_AUTH \(httpauth\)/,
  ],
  [
    'secret create --name WEBHOOK_AUTH --value "{\\"type\\":\\"httpauth\\",\\"secretKey\\":\\"Authorization\\",\\"secretValue\\":\\"Bearer abc\\"}"',
    0,
    /WEBHOOK_AUTH \(httpauth\)/,
  ],
  [
    `secret create --name A_KAFKA_SECRET --value '{ "type": "kafka", "bootstrapServers": "b.example.com:9092", "securityProtocol": "SASL_SSL", "saslMechanism": "PLAIN", "saslJaasUsername": "u", "saslJaasPassword": "p" }'`,
    0,
    /A_KAFKA_SECRET \(kafka\)/,
  ],
  ['secret create FAROLINK_PG --value "postgres://u:p@db.example.com/x"', 2, /--name <name>/],
  [
    `secret create --name LUMEN_LATER_DB --value '{"type":"jdbc","url":"jdbc:postgresql://host:5432/db","username":"user","password":"p"}'`,
    2,
    /url/,
  ],
  [`secret create --name PS_ADMIN --value '{ "type": "sql", "protocol": "postgresql" }'`, 2, /jdbc/],
  ["secret create PROJECT_KEY abcdef", 2, /--name <name>/],
  ["secret create --name COMPOSE_AUTH --type httpauth", 2, /--value/],
  ["secret create --name MY_POSTGRES_SECRET", 2, /--value/],
  ["secret update PS_ADMIN_SECRET postgres://u:p@h/d", 2, /--value/],
  // The rest.
  ["dataset list --output json", 0, /raw_logs/],
  ["dataset get ethereum.raw_logs --outputFormat json", 0, /raw_logs/],
  ["login --token $TOKEN", 0, /Logged in/],
  ["project list --token $TOKEN", 0, /PROJECT/],
  ["pipeline --help", 0, /pipeline apply/],
  ["turbo inspect justhoot-near-dcl-swaps-dev -n parsed_swaps --print", 3, /Not found/],
  ["turbo restart smart-account-signers --clear-state", 3, /Method not allowed/],
  [
    "indexed sync decoded-logs --contract-address 0xdAC17F958D2ee523a2206206994597C13D831ec7",
    2,
    /graphloom external-data\?/,
  ],
  ["compose deploy", 2, /no command "compose"; it has/],
  ["edge create", 2, /no command "edge"; it has/],
];

it(`${lines.length} commands of public repositories do what they say, or are refused`, async () => {
  const all = await api();
  for (const [path, bytes] of sampleBuild().files) {
    mkdirSync(dirname(join(all.home, "build", path)), { recursive: true });
    writeFileSync(join(all.home, "build", path), bytes);
  }
  mkdirSync(join(all.home, "config"));
  writeFileSync(join(all.home, "config/eduverse-config.json"), config());
  const wrong: string[] = [];
  for (const [line, code, said] of lines) {
    const words = shellWords(line.replaceAll("$TOKEN", all.server.token));
    // Nothing is indexed here.
    const wait = line.startsWith("subgraph deploy") && code === 0 ? ["--wait", "none"] : [];
    const ended = await all.run([...words, ...wait]);
    const text = `${ended.out}${ended.err}`;
    const isRight = ended.code === code && said.test(text) && (code !== 2 || ended.out === "");
    if (!isRight) wrong.push(`${line}: ${ended.code}: ${text.slice(0, 300)}`);
  }
  expect(wrong).toEqual([]);
});
