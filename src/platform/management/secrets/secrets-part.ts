import type { ServerPart } from "../../server-part.js";
import { secretRoutes } from "./secret-routes.js";

/** Secrets as a part of a server. */
export const secretsPart: ServerPart = () => ({ routes: secretRoutes });
