import { archiveCommands } from "./archive/archive-commands.js";
import { buildCommand, codegenCommand } from "./build/build-command.js";
import { cacheCommand } from "./cache/cache-command.js";
import { checkCommand } from "./check/check-command.js";
import { compareCommand } from "./compare/compare-command.js";
import { compileCommand } from "./compile/compile-command.js";
import { explainCommand } from "./compile/explain-command.js";
import { completionCommand } from "./completion/completion-command.js";
import { dataCommands } from "./data/data-commands.js";
import { datasetCommands } from "./dataset/dataset-commands.js";
import { deployCommand } from "./deploy/deploy-command.js";
import { devCommand } from "./dev/dev-command.js";
import { diffCommand } from "./diff/diff-command.js";
import { docsCommand } from "./docs/docs-command.js";
import { doctorCommand } from "./doctor/doctor-command.js";
import { dumpCommand, restoreCommand } from "./dump/dump-commands.js";
import { externalDataCommands } from "./external-data/external-data-commands.js";
import { guideCommand } from "./guide/guide-command.js";
import { streamCommands } from "./hosted-pipeline/server-commands.js";
import { hostedSinkCommands } from "./hosted-sink/hosted-sink-commands.js";
import { initCommand } from "./init/init-command.js";
import { loginCommand, logoutCommand } from "./login/login-commands.js";
import { lspCommand } from "./lsp/lsp-command.js";
import { mapCommand } from "./map/map-command.js";
import { mcpCommand } from "./mcp/mcp-command.js";
import { pipelineCommands } from "./pipeline/pipeline-commands.js";
import { poiCommand } from "./poi/poi-command.js";
import { projectCommands } from "./project/project-commands.js";
import { planCommand } from "./run/plan/plan-command.js";
import { runCommand } from "./run/run-command.js";
import { schemaCommand } from "./schema/schema-command.js";
import { secretCommands } from "./secret/secret-commands.js";
import { serveCommand } from "./serve/serve-command.js";
import { listCommand } from "./subgraph/list-command.js";
import { logCommand } from "./subgraph/log-command.js";
import { managementCommands } from "./subgraph/management-commands.js";
import { tagCommands } from "./subgraph/tag-commands.js";
import { webhookCommands } from "./subgraph/webhook-commands.js";
import { telemetryCommands } from "./telemetry/telemetry-commands.js";
import { type Command, group } from "./terminal/command.js";
import { testCommand } from "./test/test-command.js";
import { whyCommand } from "./why/why-command.js";

const subgraphCommands = group({
  name: "subgraph",
  describe: "Generate, deploy and manage subgraphs",
  usage: "$0 subgraph <command>\n\nGenerate, deploy and manage subgraphs",
  demand: "No command given. Try: graphloom subgraph deploy --help",
  commands: [
    initCommand,
    deployCommand,
    listCommand,
    ...managementCommands,
    tagCommands,
    webhookCommands,
    logCommand,
  ],
});

/** All commands, in the order in which the help lists them. */
export const commands: readonly Command[] = [
  guideCommand,
  subgraphCommands,
  projectCommands,
  secretCommands,
  hostedSinkCommands,
  pipelineCommands,
  streamCommands,
  datasetCommands,
  dataCommands,
  codegenCommand,
  buildCommand,
  compileCommand,
  checkCommand,
  explainCommand,
  docsCommand,
  mcpCommand,
  lspCommand,
  mapCommand,
  schemaCommand,
  diffCommand,
  planCommand,
  runCommand,
  testCommand,
  devCommand,
  serveCommand,
  compareCommand,
  whyCommand,
  poiCommand,
  doctorCommand,
  dumpCommand,
  restoreCommand,
  archiveCommands,
  cacheCommand,
  externalDataCommands,
  loginCommand,
  logoutCommand,
  telemetryCommands,
  completionCommand(() => commands.map(({ shape }) => shape)),
];
