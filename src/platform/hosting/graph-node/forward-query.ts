import type { World } from "../../../base/world.js";
import { GraphNodeError } from "../../../deploy/graph-node/graph-node-error.js";
import { type SendOptions, send } from "../../../web/http/send.js";
import { notAnAddress, serviceAddress } from "../../../web/http/service-address.js";
import type { BodyAnswer } from "../../query/answer-body.js";
import type { Spend } from "../../query/engine.js";

/** Headers of graph-node's answers that clients get. */
const told = ["graph-attestable", "graph-indexed"];
/** Milliseconds without progress. */
const patience = 60_000;

/**
 * Has queries answered by the query nodes of a graph-node.
 * @param base `http://localhost:8000`
 * @returns passes on the body of a query to a deployment, and tells how long that took; throws HttpError when there is no answer, GraphNodeError when
 *   it is none that clients could use
 * @throws GraphNodeError when the address is no web URL
 */
export function createQueryForwarder(
  base: string,
  world: World,
  options: SendOptions,
): (deployment: string, body: string, spend?: Spend) => Promise<BodyAnswer> {
  const address = serviceAddress(base);
  if (!address) throw new GraphNodeError(`The address of graph-node's queries ${notAnAddress}`);
  return async (deployment, text, spend = () => undefined) => {
    const url = address.at(`/subgraphs/id/${encodeURIComponent(deployment)}`, {});
    const request = { method: "POST", url, body: { kind: "json-text", text }, retry: true } as const;
    const begun = world.now();
    const answer = await send(request, world, { timeout: patience, ...options }).finally(() =>
      spend(world.now() - begun),
    );
    if (answer.status !== 200 && answer.status !== 400) {
      throw new GraphNodeError(`${address.origin} did not answer a query (status ${answer.status})`);
    }
    const headers = told.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    return { status: answer.status, body: answer.text, headers: Object.fromEntries(headers) };
  };
}
