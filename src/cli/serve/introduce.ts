import { visible } from "../../base/text/visible.js";
import { CredentialsError, createCredentialStore } from "../../machine/logins/credentials.js";
import type { DoorAddresses } from "../../platform/doors/settings.js";
import type { StartedServer } from "../../platform/start-server.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ServePlan } from "./serve-arguments.js";

/** A server that was just started. */
interface RememberedServer {
  /** Base address of its API. */
  readonly apiUrl: string;
  /** The owner's key, if one was just created. */
  readonly newKey?: string | undefined;
}

/** The result of storing a server's key. */
interface Remembered {
  /** Lines that report what was stored and what to type next. */
  readonly lines: readonly string[];
  /** The file that stores a new key; absent without a new key, or when it could not be stored. */
  readonly path?: string;
}

/** What to print about a server besides its addresses. */
export interface Introduction {
  readonly plan: Pick<ServePlan, "nodes" | "graphNode" | "metrics">;
  readonly version: string;
  /** Text for people, or one line of JSON, which goes to the log and so contains no sign-in secrets. */
  readonly format: "text" | "json";
}

/** Prints the addresses of a server and stores the owner's key. */
export async function introduce(
  server: StartedServer,
  introduction: Introduction,
  terminal: Terminal,
): Promise<void> {
  const { address, project, newKey, platform } = server;
  const apiUrl = `${address}/api/v1`;
  const remembered = await rememberServer({ apiUrl, newKey }, terminal);
  const networks = [...new Set(platform.hosting.engines.flatMap((engine) => engine.networks))];
  const { plan, version, format } = introduction;
  const hasMetrics = plan.metrics !== "off";
  if (format === "json") {
    const { path } = remembered;
    const said = {
      level: "info",
      time: new Date(platform.world.now()).toISOString(),
      msg: "serving",
      version,
      address,
      api: apiUrl,
      project,
      networks,
      engines: platform.hosting.engines.map(({ name }) => name),
      ...(hasMetrics && { metrics: `${address}/metrics` }),
      ...(server.doors && { graph_node: server.doors }),
      ...(path !== undefined && { token_file: path }),
      // It could not be stored, so this is the only place to find it.
      ...(newKey !== undefined && path === undefined && { token: newKey }),
    };
    return terminal.out(`${JSON.stringify(said)}\n`);
  }
  const known = [...networks.map(visible), ...(plan.graphNode ? ["every network of graph-node"] : [])];
  const lines = [
    `graphloom ${version} serves at ${address}`,
    `  dashboard       ${await dashboardAddress(server, terminal)}`,
    `  management API  ${apiUrl}`,
    `  explorer        ${apiUrl}/docs`,
    `  queries         ${address}/api/public/${project}/subgraphs/<name>/<version>/gn`,
    ...(hasMetrics
      ? [`  metrics         ${address}/metrics${plan.metrics === "key" ? ", with a key" : ""}`]
      : []),
    ...doorLines(server.doors),
    `  indexes         ${known.join(", ") || "nothing"}`,
    ...(plan.nodes.size === 0 && !plan.graphNode
      ? ["  No node is configured. To index subgraphs, pass --rpc <network>=<url>."]
      : []),
    ...remembered.lines,
  ];
  terminal.out(`${lines.join("\n")}\n`);
}

/** Explains how to use graph-cli, and where to find its deployments. */
export function doorLines(doors: DoorAddresses | undefined): readonly string[] {
  if (!doors) return [];
  return [
    `  graph deploy    --node ${doors.admin} --ipfs ${doors.ipfs}`,
    `  graph-node      queries ${doors.queries}/subgraphs/name/<name>, status ${doors.status}/graphql`,
  ];
}

/** The address of the dashboard; on a terminal, with a code that signs its user in once. */
async function dashboardAddress(server: StartedServer, { isTty }: Terminal): Promise<string> {
  const code = isTty ? await server.signInCode() : undefined;
  return code === undefined ? `${server.address}/` : `${server.address}/sign-in?code=${code}`;
}

/**
 * Stores a server's key for the command line of the same user. Its API becomes the default, unless the user is logged
 * in to a different one.
 */
async function rememberServer({ apiUrl, newKey }: RememberedServer, terminal: Terminal): Promise<Remembered> {
  const store = createCredentialStore(terminal.env ?? {});
  const key = newKey === undefined ? [] : [`The owner's token, shown only once: ${newKey}`];
  try {
    const { apiUrl: current, logins } = await store.read();
    const isKnown = newKey !== undefined || logins.has(apiUrl);
    if (!isKnown) {
      const lines = [
        "You have no token for this server. Create one with graphloom serve --new-key, or store one with graphloom login.",
      ];
      return { lines };
    }
    const isDefault = current === undefined || current === apiUrl || !logins.has(current);
    if (newKey !== undefined || (isDefault && current !== apiUrl)) {
      await store.write({
        apiUrl: isDefault ? apiUrl : current,
        logins:
          newKey === undefined ? logins : new Map([...logins, [apiUrl, { token: newKey, kind: "key" }]]),
      });
    }
    const kept =
      newKey === undefined ? [] : [`It is stored in ${visible(store.path)}, which only you can read.`];
    const next = isDefault
      ? "graphloom subgraph deploy, list and all other commands now use this server."
      : `You are logged in to ${visible(current)}. To use this server, add --api-url ${apiUrl} to graphloom subgraph ….`;
    return { lines: [...key, ...kept, next], ...(newKey !== undefined && { path: store.path }) };
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    return { lines: [...key, `It could not be stored: ${visible(error.message)}`] };
  }
}
