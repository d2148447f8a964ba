import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { handlersOf, leavesErrors } from "./support/architecture/handlers.js";

const inThread = "a failure ends the thread, and the event error tells its parent";
const inChild = "a failure ends the process, after joinParent has told its parent";
const inCommand = "a failure ends the command, and main.ts reports it as a bug";

/** Files whose handlers may fail, and where their failures go. */
const reasons: Readonly<Record<string, string>> = {
  "base/failures.ts": "a failure of the log itself has nowhere to go",
  "base/meters.ts": "meters count at once, and their failures reach who counts",
  "cli/compile/while-compiling.ts": inCommand,
  "cli/dev/develop.ts": inCommand,
  "cli/hosted-pipeline/inspect/show-view.ts": inCommand,
  "cli/main.ts": inCommand,
  "cli/lsp/serve-lsp.ts": inCommand,
  "cli/mcp/serve-mcp.ts": inCommand,
  "cli/terminal/ask.ts": inCommand,
  "cli/terminal/output.ts": inCommand,
  "cli/terminal/screen.ts": inCommand,
  "hosting/embedded/run-deployment.ts": inThread,
  "hosting/embedded/thread-world.ts": "only threads and child processes have such a world",
  "machine/compiler/asc-worker.ts": inThread,
  "machine/processes/join-parent.ts": inChild,
  "pipelines/machine/quickjs/script-worker.ts": inThread,
  "pipelines/host/pipeline-worker.ts": inChild,
  "store/database/pglite/pglite-worker.ts": inThread,
};
/** Files that make emitters of errors, and who hears them. */
const hearers: Readonly<Record<string, string>> = {
  "cli/lsp/serve-lsp.ts": "the connection hears them",
  "machine/open-ens-names.ts": "for await throws what the stream emits",
  "machine/processes/guard-connections.ts": "pg gets the socket, and hears them",
  "machine/processes/join-parent.ts": "Channels hears them",
  "store/database/postgres/gathering-client.ts": "pg hears them",
  "store/database/postgres/server-place.ts": "its client never connects",
};

/** Files that turn an error of any kind into words by themselves, and why. */
const wordings: Readonly<Record<string, string>> = {
  "base/failures.ts": "for the log",
  "base/lock-file.ts": "what the system says of a lock",
  "cli/mcp/workshop-worker.ts": "for the log of the server",
  "cli/terminal/bug-report.ts": "for a report",
  "cli/terminal/output.ts": "what the system says of an output",
  "compiler/asc/asc-run.ts": "for the report of a compiler that has crashed",
  "compiler/project/project-abis.ts": "what the parser of JSON says of the user's text",
  "hosting/embedded/archive-port.ts": "only the code of what the system says",
  "machine/compiler/asc-worker.ts": "for the report of a compiler that has crashed",
  "machine/open-tracing.ts": "what the SDK says of a collector, cut and escaped",
  "query/query-body.ts": "what the parser of JSON says of the user's text",
  "runtime/chain/rpc/rpc-answers.ts": "an error in the answer of a node, which is a text",
  "testing/matchstick/test-module.ts": "only the place in the code of the user's test",
};

const src = fileURLToPath(new URL("../src/", import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file: file.replaceAll("\\", "/"), text: readFileSync(join(src, file), "utf8") }));

it("every handler of an event or a timer, and all work in the background, reports its failures", () => {
  const unsafe = files.flatMap(({ file, text }) => handlersOf(file, text)).filter(({ isSafe }) => !isSafe);
  const fileOf = ({ place }: (typeof unsafe)[number]): string => place.split(":")[0] ?? "";
  expect(unsafe.filter((one) => !Object.hasOwn(reasons, fileOf(one))).map(({ place }) => place)).toEqual([]);
  expect([...new Set(unsafe.map(fileOf))].sort()).toEqual(Object.keys(reasons).sort());
});

it("every emitter whose errors would end the process has a listener for errors", () => {
  const found = files.filter(({ text }) => leavesErrors(text)).map(({ file }) => file);
  expect(found.sort()).toEqual(Object.keys(hearers).sort());
});

it("only messageOf writes an error of unknown type into text for users", () => {
  const taken =
    /instanceof Error\s*\? \(?\w+(?:\.\w+)*\.(?:message|stack)|String\((?:error|cause|problem|thrown)\)/;
  const found = files.filter(({ text }) => taken.test(text)).map(({ file }) => file);
  expect(found.sort()).toEqual(Object.keys(wordings).sort());
});

it.each([
  ["an event", 'socket.on("data", (piece) => this.take(piece));'],
  ["an event whose handler is elsewhere", 'socket.on("data", take);'],
  ["an event whose handler waits", 'socket.on("data", async () => resolve());'],
  ["a timer", "setInterval(() => look(), 5);"],
  ["an aborted signal", 'signal.addEventListener("abort", () => stream.close());'],
  ["a property", "worker.onmessage = (message) => take(message);"],
  ["a callback", "connection.query(sql, (error, rows) => resolve(rows.map(read)));"],
  ["a request", "createServer((request, response) => answer(request, response));"],
  ["a promise that nothing waits for", "void this.run();"],
  ["a part of one", "run().then((end) => resolve(end), reject).finally(() => forget());"],
  ["an executor that waits", "new Promise(async (resolve) => resolve(await work()));"],
  ["a function that throws", 'const fail = () => { throw new Error("x"); };\nsocket.once("end", fail);'],
])("the rule sees %s", (_, code) => {
  expect(handlersOf("a.ts", code).filter(({ isSafe }) => !isSafe)).toHaveLength(1);
});

it.each([
  ["what a guard passes on", 'socket.on("data", guarded((piece) => this.take(piece), reject));'],
  ["what only settles", 'socket.on("end", () => resolve(5)).on("error", reject);'],
  ["a function of the file that only settles", 'const end = () => resolve();\nsocket.once("end", end);'],
  ["a promise that settles another", "run().then(resolve, reject);"],
])("the rule lets pass %s", (_, code) => {
  expect(handlersOf("a.ts", code).filter(({ isSafe }) => !isSafe)).toEqual([]);
});
