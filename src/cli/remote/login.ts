import { ApiProblem } from "../../api/problem.js";
import { createCredentialStore } from "../../node/credentials.js";
import { UsageError } from "../terminal/usage-error.js";
import { exitCodes, type World } from "../terminal/world.js";
import { apiUrlOf, openApi, type RemoteArguments, tokenOf } from "./session.js";

/** What `login` was given. */
export interface LoginArguments extends RemoteArguments {
  readonly browser?: boolean | undefined;
}

/** Far more than any token. */
const longestInput = 65_536;

/** Checks a token and stores it for its API, which is used from then on; the exit code. */
export async function login(args: LoginArguments, world: World): Promise<number> {
  if (args.browser === true)
    throw new UsageError(
      "Signing in with a browser is not built yet: create an API key in the project's settings and use graphloom login --no-browser",
    );
  const store = createCredentialStore(world.env ?? {});
  const stored = await store.read();
  const url = apiUrlOf(args.apiUrl ?? (world.env?.GRAPHLOOM_API_URL || stored.apiUrl));
  const token = tokenOf(args.token || (await readToken(url, world)), url);
  await prove(url, token, args, world);
  await store.write({ apiUrl: url, tokens: new Map([...stored.tokens, [url, token]]) });
  world.out(`Logged in to ${url}. The token is in ${store.path}, which only you can read.\n`);
  return exitCodes.clean;
}

/** Forgets the token of an API; the exit code. */
export async function logout(args: RemoteArguments, world: World): Promise<number> {
  const store = createCredentialStore(world.env ?? {});
  const { apiUrl, tokens } = await store.read();
  const given = args.apiUrl ?? (world.env?.GRAPHLOOM_API_URL || apiUrl);
  const url = given === undefined ? undefined : apiUrlOf(given);
  if (url === undefined || !tokens.has(url)) {
    world.out(url === undefined ? "Nobody is logged in.\n" : `Nobody is logged in to ${url}.\n`);
    return exitCodes.clean;
  }
  const rest = new Map([...tokens].filter(([each]) => each !== url));
  await store.write({ ...(apiUrl !== url && { apiUrl }), tokens: rest });
  world.out(`Logged out of ${url}: its token is gone from ${store.path}.\n`);
  return exitCodes.clean;
}

/** Asks for it, or reads what is piped in. */
async function readToken(url: string, world: World): Promise<string | undefined> {
  if (world.ask) {
    world.err(`Create an API key in the settings of your project, then paste it here; it is not shown.\n`);
    return world.ask(`Token for ${url}: `, { hidden: true });
  }
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of world.stdin ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > longestInput) break;
  }
  return text;
}

/** A token that the API does not take is not stored. */
async function prove(url: string, token: string, args: RemoteArguments, world: World): Promise<void> {
  try {
    await openApi(url, token, args, world).checkAccess();
  } catch (error) {
    if (error instanceof ApiProblem) world.err("Nothing was stored.\n");
    throw error;
  }
}
