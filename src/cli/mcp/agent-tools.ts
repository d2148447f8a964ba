import type { ProcessMemoryGuard } from "../../machine/processes/memory-guard.js";
import type { CreateAgentTools } from "../../platform/mcp/mcp-routes.js";
import type { Workshop } from "./workshop.js";

/**
 * The tools that a server has at `/mcp` besides its own, which compile subgraphs. They are loaded with the first request.
 * @param memory counts the memory of compilers, and refuses work when there is too little
 */
export function agentTools(memory?: ProcessMemoryGuard): CreateAgentTools {
  let workshop: Workshop | undefined;
  return async (caller) => {
    const [hosted, { Workshop }] = await Promise.all([import("./hosted-tools.js"), import("./workshop.js")]);
    workshop ??= new Workshop(memory);
    return hosted.hostedTools(caller, workshop);
  };
}
