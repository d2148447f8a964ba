import type { ServerPart } from "../../server-part.js";
import { secretRoutes } from "./secret-routes.js";

/** The server part for secrets. */
export const secretsPart: ServerPart = () => ({ routes: secretRoutes });
