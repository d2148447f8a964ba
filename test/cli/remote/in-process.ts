import { graphloom, type Ran } from "../harness.js";
import { type Api, token } from "./harness.js";

/** Runs a command in this process, from the sources, with the server's address and token in its environment. */
export function here(
  { server, home }: Api,
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return graphloom(home, line, {
    env: { HOME: home, GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: token, ...env },
  });
}
