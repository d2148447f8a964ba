import { allOperations, type OperationId } from "../../api/api-document.js";
import { Problem } from "../problem.js";
import type { ServerPart } from "../server-part.js";
import { addOperations, type Handlers } from "./operations.js";
import { pagination, usualPageSize } from "./pages.js";

/** The server part of a server that runs no pipelines. */
export const noPipelinesPart: ServerPart = () => ({ routes: (app) => addOperations(app, pipelines()) });

/**
 * The pipelines of a project on a server that runs none. Requests for a pipeline by name get "not found"; requests to
 * create one get "not available".
 */
function pipelines(): Partial<Handlers> {
  const notFound = async ({ path }: { readonly path: { readonly name: string } }): Promise<never> => {
    throw new Problem("pipeline-not-found", `There is no pipeline "${path.name}".`);
  };
  return {
    ...notYet("/pipelines", "Pipelines"),
    listPipelines: async ({ query }) => ({
      data: [],
      pagination: pagination(query.page_size ?? query.pageSize ?? usualPageSize, undefined),
    }),
    getPipeline: notFound,
    deletePipeline: notFound,
    pausePipeline: notFound,
    resumePipeline: notFound,
    restartPipeline: notFound,
    getPipelineLogs: notFound,
    getPipelineErrorCount: notFound,
    getPipelineStatus: notFound,
    getPipelineState: notFound,
  };
}

/** Answers all operations under a path with a problem. @param what the plural noun for the message: `Endpoints` */
function notYet(prefix: string, what: string): Partial<Handlers> {
  const refuse = async (): Promise<never> => {
    throw new Problem("not-there-yet", `${what} are not available on this server.`);
  };
  const own = allOperations.filter(({ path }) => path === prefix || path.startsWith(`${prefix}/`));
  return Object.fromEntries(own.map(({ id }): [OperationId, typeof refuse] => [id, refuse]));
}
