import { acceptEmptyJson } from "../../http/limits/json-bodies.js";
import type { Accounts } from "../../people/accounts.js";
import type { ServerPart } from "../../server-part.js";
import { auditRoutes } from "./audit-routes.js";
import { authRoutes } from "./auth-routes.js";
import { keyRoutes } from "./key-routes.js";
import { memberRoutes } from "./member-routes.js";
import { projectRoutes } from "./project-routes.js";

/** The routes of people, projects, API keys and the audit log. The pages for them are defined elsewhere. */
export function accountsPart(accounts: Accounts): ServerPart {
  return () => ({
    routes: (app, platform) => {
      acceptEmptyJson(app);
      authRoutes(app, platform, accounts);
      projectRoutes(app, platform);
      memberRoutes(app, platform, accounts);
      keyRoutes(app, platform);
      auditRoutes(app, platform);
    },
  });
}
