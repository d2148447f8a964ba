import { isRecord, parseJson } from "../base/text/json-value.js";
import type { World } from "../base/world.js";
import { type SendOptions, send } from "../web/http/send.js";

/**
 * A GraphQL endpoint did not reveal which deployment it serves; the message quotes nothing of its response.
 */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
}

/**
 * Asks a GraphQL endpoint for the deployment id of its subgraph.
 * @param token sent to the endpoint, if it requires one
 * @throws EndpointError if the response does not contain it
 * @throws HttpError if there is no response
 */
export async function deployedAt(
  url: string,
  world: World,
  options: SendOptions = {},
  token?: string,
): Promise<string> {
  const answer = await send(
    {
      method: "POST",
      url,
      headers: {
        accept: "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: { kind: "json", value: { query: "{ _meta { deployment } }" } },
      // A query is read-only, so it can be retried.
      retry: true,
    },
    world,
    options,
  );
  const id = deploymentIn(answer.text);
  if (id !== undefined) return id;
  throw new EndpointError(
    `${new URL(url).origin} answered with status ${answer.status} and without a deployment id. ${remedyFor(answer.status)}`,
  );
}

function remedyFor(status: number): string {
  const orId = "pass the deployment id with --from-ipfs-hash, if you know it";
  if (status === 401 || status === 402 || status === 403)
    return `It may require an API key in its address, or a token in GRAPHLOOM_FROM_TOKEN. Pass one, or ${orId}`;
  // A proxy sends such a page if the server behind it does not answer.
  if (status === 408 || status === 429 || status >= 500)
    return `It does not answer queries at the moment. Try again later, or ${orId}`;
  return "Pass the address for queries of a subgraph";
}

function deploymentIn(text: string): string | undefined {
  const answer = parseJson(text);
  const data = isRecord(answer) ? answer.data : undefined;
  const meta = isRecord(data) ? data._meta : undefined;
  const deployment = isRecord(meta) ? meta.deployment : undefined;
  return typeof deployment === "string" && /^[A-Za-z0-9]{46,100}$/.test(deployment) ? deployment : undefined;
}
