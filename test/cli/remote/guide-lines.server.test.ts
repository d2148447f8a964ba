import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { config } from "../harness.js";
import { shellWords } from "../shell-words.js";
import { useApi } from "./harness.js";

/*
 * Command lines as public scripts and guides for other tools have them, in an order in which they could run. Each does what
 * it says, or is refused with an exit code that a script notices.
 */

const api = useApi();

type Guide = readonly [line: string, code: number, said: RegExp];

/** Nothing is indexed here. */
const build = "--path ./build --wait none";
const guides: readonly Guide[] = [
  // Help and versions.
  ["--version", 0, /^1\.2\.3\n$/],
  ["-v", 0, /^1\.2\.3\n$/],
  ["help", 0, /graphloom subgraph/],
  ["whoami", 2, /Did you mean graphloom project list\?/],
  // Deployments.
  [`subgraph deploy poap/1.0.0 ${build}`, 0, /poap\/1\.0\.0/],
  [`subgraph deploy poap/1.0.0-demo+docs ${build}`, 0, /poap\/1\.0\.0-demo\+docs/],
  [`subgraph deploy poap/3f2a1bc ${build}`, 0, /poap\/3f2a1bc/],
  [`subgraph deploy poap/v2 ${build} --tag staging`, 0, /poap\/v2/],
  [`subgraph deploy ${build} poap/1.1.0 --tag latest`, 0, /poap\/1\.1\.0/],
  [`subgraph deploy poap/1.2.0 ${build} --description nightly`, 0, /poap\/1\.2\.0/],
  [`subgraph deploy poap/1.3.0 ${build} --private`, 0, /poap\/1\.3\.0/],
  [`subgraph deploy poap/1.3.0 ${build} --skip-deployed`, 0, /1\.3\.0/],
  [`subgraph deploy poap/1.4.0 ${build} --remove-graft`, 0, /poap\/1\.4\.0/],
  [`subgraph deploy poap/1.5.0 ${build} --tag one,two`, 0, /one[\s\S]*two/],
  [
    "subgraph deploy poap/1.6.0 --from-abi config.json --enable-call-handlers --wait none",
    0,
    /poap\/1\.6\.0/,
  ],
  [`subgraph deploy poap/1.7.0 ${build} --enable-call-handlers`, 2, /requires a configuration/],
  [`subgraph deploy poap/2 --version 2 ${build}`, 2, /Unknown argument: version/],
  [`subgraph deploy poap/2.0.0 --path ./nowhere`, 1, /nowhere/],
  [`subgraph deploy poap ${build}`, 2, /version/],
  [`subgraph deploy`, 2, /<nameAndVersion> is missing/],
  [`subgraph deploy poap/3.0.0 --from-abi`, 2, /graphloom init/],
  [`subgraph deploy poap/3.0.0 ${build} --from-ipfs-hash`, 2, /from-ipfs-hash/],
  [`subgraph deploy poap/3.0.0 --from-abi missing.json`, 1, /missing\.json/],
  [`subgraph deploy poap/3.0.0 ${build} --prune auto`, 2, /Unknown argument: prune/],
  // Tags.
  ["subgraph tag create poap/1.0.0 --tag prod", 0, /prod/],
  ["subgraph tag create poap/1.1.0 --tag prod", 0, /prod/],
  ["subgraph tag create poap/1.1.0 -t canary", 0, /canary/],
  ["subgraph tag update poap/prod --version 1.2.0", 2, /Did you mean graphloom subgraph tag create\?/],
  ["subgraph tag update poap/1.2.0 --tag prod", 2, /Did you mean graphloom subgraph tag create\?/],
  ["subgraph tag create poap/9.9.9 --tag prod", 3, /9\.9\.9/],
  ["subgraph tag create poap/1.2.0", 2, /tag/],
  ["subgraph tag delete poap/1.1.0 --tag canary -f", 0, /canary/],
  ["subgraph tag delete poap/1.1.0 --tag canary --force", 3, /canary/],
  ["subgraph tag list poap", 2, /Did you mean graphloom subgraph list\?/],
  // Lists and state.
  ["subgraph list", 0, /poap\/1\.0\.0/],
  ["subgraph list poap", 0, /poap\/prod -> 1\.1\.0/],
  ["subgraph list poap/1.1.0", 0, /poap\/1\.1\.0/],
  ["subgraph list poap/prod", 0, /1\.1\.0/],
  ["subgraph list --filter tags", 0, /prod/],
  ["subgraph list --filter deployments", 0, /1\.0\.0/],
  ["subgraph list --summary", 0, /poap/],
  ["subgraph list absent/1.0.0", 3, /absent/],
  ["subgraph get poap/1.0.0", 2, /Did you mean graphloom subgraph list <name>\?/],
  ["subgraph status poap/1.0.0", 2, /Did you mean graphloom subgraph list <name>\?/],
  ["subgraph info poap/1.0.0", 2, /Did you mean graphloom subgraph list <name>\?/],
  ["subgraph create poap", 2, /Did you mean graphloom subgraph deploy/],
  ["subgraph logs poap/1.0.0", 2, /Did you mean graphloom subgraph log\?/],
  ["subgraph log poap/1.0.0 --since 1h --no-follow", 0, /Nothing was logged/],
  [
    "subgraph log poap/1.0.0 --format json --levels error,warn --interval 5 --no-follow",
    0,
    /Nothing was logged/,
  ],
  ["subgraph log poap/1.0.0 --format xml", 2, /pretty/],
  ["subgraph pause poap/1.0.0", 0, /poap\/1\.0\.0/],
  ["subgraph start poap/1.0.0", 0, /poap\/1\.0\.0/],
  ["subgraph update poap/1.0.0 --public-endpoint disabled", 0, /poap\/1\.0\.0/],
  ["subgraph update poap/1.0.0 --private-endpoint enabled", 0, /poap\/1\.0\.0/],
  ["subgraph update poap/1.0.0 --public-endpoint off", 2, /disabled/],
  // Webhooks.
  ["subgraph webhook list-entities poap/1.0.0", 0, /\w/],
  [
    "subgraph webhook create poap/1.0.0 --name w --url https://example.com/in --entity nothing",
    3,
    /no entity nothing/,
  ],
  ["subgraph webhook list", 0, /./],
  ["subgraph webhook delete absent -f", 3, /absent/],
  // Secrets.
  ["secret create --name DB --value @db.json", 0, /DB \(jdbc\)/],
  ["secret create --name DB --value @db.json", 3, /DB/],
  ["secret create --name NEON --value @neon.json", 0, /NEON \(jdbc\)/],
  ["secret create --name ODD --value @odd.json", 2, /the field "tls", which jdbc does not have/],
  ['secret create --name PG --value "postgres://user:pw@db.example.com:5432/d"', 0, /PG \(jdbc\)/],
  ['secret create --name CH --value "https://user:pw@ch.example.com:8443/d"', 0, /CH \(clickHouse\)/],
  ['secret create --name BUCKET --value "AKIAEXAMPLE:verysecret"', 2, /JSON object/],
  ["secret create --name ES --value @elastic.json", 0, /ES \(elasticSearch\)/],
  ["secret create --name OS --value @opensearch.json", 0, /OS \(opensearch\)/],
  ["secret create --name QUEUE --value @sqs.json", 0, /QUEUE \(sqs\)/],
  ["secret create --name DYNAMO --value @dynamo.json", 0, /DYNAMO \(dynamodb\)/],
  ["secret create --name PUB --value @pubsub.json", 0, /PUB \(pubsub\)/],
  ["secret create --name BROKEN --value {", 2, /JSON/],
  ["secret list", 0, /DB +jdbc/],
  ["secret reveal DB", 0, /db\.example\.com/],
  ["secret get DB", 2, /Did you mean graphloom secret reveal\?/],
  ["secret update DB --value @db.json --description mine", 0, /DB/],
  ["secret delete DB -f", 0, /DB/],
  ["secret delete DB --force", 3, /DB/],
  ["secret set DB", 2, /Did you mean graphloom secret create\?/],
  // Projects.
  ["project list", 0, /./],
  ["project users list", 0, /./],
  ["project get", 2, /Did you mean graphloom project list\?/],
  ["project users invite --emails not-an-address --role Viewer", 2, /address/],
  ["project create --name second", 3, /Log in with an account/],
  ["project update --name renamed", 0, /renamed/],
  ["project leave --projectId absent", 2, /absent/],
  ["project users update --email absent@example.com --role Editor", 3, /needs the role Admin/],
  ["project users remove --email absent@example.com", 3, /needs the role Admin/],
  ["hosted-sink create --type postgres", 3, /./],
  ["hosted-sink create --type mysql", 2, /postgres/],
  // Pipelines and data sets.
  ["pipeline list", 0, /./],
  ["pipeline get absent", 3, /Not found/],
  ["pipeline apply absent.yaml --status ACTIVE", 1, /absent\.yaml/],
  ["pipeline logs absent", 2, /Did you mean graphloom pipeline monitor\?/],
  ["pipeline status absent", 2, /Did you mean graphloom pipeline info\?/],
  ["turbo apply absent.yaml", 1, /absent\.yaml/],
  ["dataset list", 0, /./],
  ["dataset list --group ethereum --output yaml", 0, /raw_blocks/],
  ["dataset list --outputFormat csv", 2, /table/],
  ["dataset get ethereum.raw_blocks", 0, /./],
  ["dataset get ethereum.raw_blocks -v 1.0.0", 0, /1\.0\.0/],
  ["dataset get polygon.raw_blocks", 2, /matic/],
  ["dataset get ethereum.transactions", 0, /raw_transactions/],
  // Data for the folder: without a node, nothing is read.
  ["external-data sync raw-blocks", 2, /--rpc/],
  ["external-data sync raw-blocks --network ethereum", 2, /--rpc/],
  ["external-data sync raw-transactions --network base", 2, /--rpc/],
  ["external-data sync raw-logs --contract-address 0xdAC17F958D2ee523a2206206994597C13D831ec7", 2, /--rpc/],
  ["external-data sync decoded-logs --network ethereum", 2, /--rpc/],
  ["external-data sync raw-logs --data-version 1.0.0", 2, /data-version/],
  ["external-data sync events", 2, /raw-logs/],
  // Ends.
  ["subgraph delete poap/v2 -f", 3, /used by the tag "staging"/],
  ["subgraph tag delete poap/v2 --tag staging -f", 0, /staging/],
  ["subgraph delete poap/v2 -f", 0, /poap\/v2/],
  ["subgraph delete poap/v2 --force", 3, /poap\/v2/],
  ["subgraph rm poap/1.0.0", 2, /Did you mean graphloom subgraph delete\?/],
  ["subgraph delete poap/1.1.0 -f", 3, /prod/],
  ["telemetry disable", 0, /./],
  ["logout", 0, /./],
];

/** Secrets of the kinds that have no short form. */
const secretValues = {
  elastic: { type: "elasticSearch", host: "https://es.example.com:9200", username: "u", password: "p" },
  opensearch: { type: "opensearch", host: "https://os.example.com:9200", username: "u", password: "p" },
  sqs: { type: "sqs", accessKey: "AKIAEXAMPLE", secretAccessKey: "s", region: "us-east-1" },
  dynamo: { type: "dynamodb", accessKey: "AKIAEXAMPLE", secretAccessKey: "s", region: "us-east-1" },
  pubsub: { type: "pubsub", projectId: "p", serviceAccountJson: "{}" },
};

it(`${guides.length} commands of guides do what the guides say, or are refused`, async () => {
  const all = await api();
  for (const [path, bytes] of sampleBuild().files) {
    mkdirSync(dirname(join(all.home, "build", path)), { recursive: true });
    writeFileSync(join(all.home, "build", path), bytes);
  }
  const place = { type: "jdbc", protocol: "postgres", host: "db.example.com", port: 5432, databaseName: "d" };
  const jdbc = { ...place, user: "u", password: "p" };
  writeFileSync(join(all.home, "db.json"), JSON.stringify(jdbc));
  writeFileSync(join(all.home, "neon.json"), JSON.stringify({ ...jdbc, ssl: true }));
  for (const [name, value] of Object.entries(secretValues)) {
    writeFileSync(join(all.home, `${name}.json`), JSON.stringify(value));
  }
  writeFileSync(join(all.home, "config.json"), config());
  writeFileSync(join(all.home, "odd.json"), JSON.stringify({ ...jdbc, tls: true }));
  expect(guides.length).toBeGreaterThan(60);
  const wrong: string[] = [];
  for (const [line, code, said] of guides) {
    const ended = await all.run(shellWords(line));
    const text = `${ended.out}${ended.err}`;
    // A refusal says nothing on standard output, which a script may read.
    const isRight = ended.code === code && said.test(text) && (code !== 2 || ended.out === "");
    if (!isRight) wrong.push(`${line}: ${ended.code}: ${text.slice(0, 300)}`);
  }
  expect(wrong).toEqual([]);
});
