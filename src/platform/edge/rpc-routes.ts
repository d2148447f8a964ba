import type { FastifyInstance } from "fastify";
import { networkNamed } from "../../hosting/chain-ids.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { answerToBody, countErrors, mostCalls, readRpcBody } from "./call.js";
import type { EdgeName } from "./edge-endpoints.js";
import type { Admitted, Gatekeeper } from "./gatekeeper.js";

/** The most bytes in a body. */
const largestBody = 1_048_576;
/** Larger answers are not searched for errors. */
const largestJudged = 1_048_576;

/** Milliseconds. Clients cannot reject an answer here, so a wrong answer from a node must expire by itself. */
const longestKept = 60_000;

/** Chain nodes behind endpoints: `POST /edge/rpc/<network or chain id>`. @param closing ends waiting for nodes */
export function rpcRoutes(
  { hosting, nodes, settings }: Platform,
  gatekeeper: Gatekeeper,
  closing: AbortSignal,
): (app: FastifyInstance) => Promise<void> {
  /** @param passed the body for the nodes; absent if no node is needed */
  async function ask(
    { project, name }: EdgeName,
    network: string,
    passed: string | undefined,
  ): Promise<Admitted<Uint8Array>> {
    const gateway = passed === undefined ? undefined : nodes.of(network);
    if (!gateway || passed === undefined) return { answer: new Uint8Array(0), errors: 0 };
    // More endpoints do not give a project more turns: they share the project's turns.
    const asker = { kind: "edge", project, name, longestKept } as const;
    const { status, bytes: answer } = await gateway.answer(asker, passed, closing);
    if (status !== 200) {
      throw new Problem(
        "unavailable",
        gateway.trouble?.kind === "other-chain"
          ? `The node of ${network} serves another chain, so its answers are not used.`
          : `The node did not answer (status ${status}).`,
      );
    }
    const isJudged = answer.length > 0 && answer.length <= largestJudged;
    return { answer, errors: isJudged ? countErrors(new TextDecoder().decode(answer)) : 0 };
  }

  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "string", bodyLimit: largestBody }, (_, body, done) =>
      done(null, body),
    );
    app.post<{ Params: { network: string } }>(
      "/rpc/:network",
      { config: { role: "anyone" } },
      async (request, reply) => {
        const body = typeof request.body === "string" ? request.body : "";
        const rpc = readRpcBody(body);
        const network = (await networkNamed(request.params.network, hosting, settings.nodes)) ?? "";
        const check = (): void => {
          if (!rpc) throw new Problem("bad-request", "The body is not a JSON-RPC request.");
          if (rpc.size > mostCalls)
            throw new Problem("bad-request", `A batch may contain at most ${mostCalls} requests.`);
          if (!settings.nodes.has(network))
            throw new Problem("not-found", "This server has no node for that network.");
        };
        const wanted = { product: "rpc", calls: rpc?.calls ?? 0, check } as const;
        const answer = await gatekeeper.admit(request, wanted, (endpoint) =>
          ask(endpoint, network, rpc?.passed),
        );
        const bytes = rpc && answerToBody(rpc, answer);
        return bytes ? reply.type("application/json").send(bytes) : reply.status(204).send();
      },
    );
  };
}
