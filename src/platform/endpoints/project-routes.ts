import type { FastifyInstance, FastifyReply } from "fastify";
import { type Endpoint, findEndpoint } from "../catalog/endpoints.js";
import { Problem } from "../http/problem.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { askedQuery } from "./answerer.js";
import { beginningOf } from "./beginning.js";
import { isAddress } from "./names.js";
import { anyone, type EndpointScope } from "./scope.js";
import { bodyOf, everyOrigin, projectCors, sendAnswer } from "./send-answer.js";

interface Address {
  readonly project: string;
  readonly name: string;
  readonly version: string;
}

type Access = "public" | "private";

/** Adds the addresses that versions and tags have in their projects: open ones, and those that want a key. */
export function addProjectRoutes(app: FastifyInstance, platform: Platform, scope: EndpointScope): void {
  const find = async (address: Address): Promise<Endpoint | undefined> => {
    if (!isAddress(address)) return undefined;
    return scope.reads.read(keyOf(address), () => findEndpoint(platform.database, address));
  };
  for (const access of ["public", "private"] as const) {
    const path = `/api/${access}/:project/subgraphs/:name/:version/gn`;
    const isPublic = access === "public";
    app.post<{ Params: Address }>(
      path,
      isPublic ? { config: anyone, onRequest: scope.count } : { config: { role: "Viewer" } },
      async (request, reply) => {
        const { params } = request;
        if (!isPublic && callerOf(request).project !== params.project) {
          throw new Problem("forbidden", "The key is one of another project.");
        }
        const asked = askedQuery(bodyOf(request));
        const { endpoint, begun } = await scope.headStart.reach(keyOf(params), asked, () => find(params));
        const opened = open(endpoint, access, params);
        return sendAnswer(reply, await scope.answerer.answer(opened, asked, begun), projectCors);
      },
    );
    app.get<{ Params: Address }>(path, { config: anyone }, async (request, reply) => {
      const { params } = request;
      if (!/\btext\/html\b/i.test(request.headers.accept ?? "")) return refuseGet(reply);
      // The page shows nothing but itself: whoever wants to see more there has to enter a key.
      const shown = isPublic ? open(await find(params), access, params) : undefined;
      return scope.page.send(reply, `${params.name}/${params.version}`, await beginningOf(shown, platform));
    });
    app.options(path, { config: anyone }, async (_, reply) => reply.headers(projectCors).status(204).send());
  }
}

function keyOf({ project, name, version }: Address): string {
  return `version ${project} ${name} ${version}`;
}

/** @throws Problem when there is nothing, or it may not be asked this way */
function open(endpoint: Endpoint | undefined, access: Access, { name, version }: Address): Endpoint {
  const isOpen = access === "public" ? endpoint?.hasPublicEndpoint : endpoint?.hasPrivateEndpoint;
  if (endpoint && isOpen) return endpoint;
  throw new Problem(
    "subgraph-not-found",
    `There is no ${access} endpoint of ${JSON.stringify(`${name}/${version}`)}: there is no such version or tag, or its ${access} endpoint is off.`,
  );
}

function refuseGet(reply: FastifyReply): never {
  reply.headers({ ...everyOrigin, allow: "GET, OPTIONS, POST" });
  throw new Problem("method-not-allowed", "Send queries with POST; browsers get a page to write them on.");
}
