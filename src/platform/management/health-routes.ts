import type { Routes } from "../http/app.js";
import { Problem } from "../http/problem.js";

/** Whether the program runs, and whether it can do its work; for what watches over it. */
export const healthRoutes: Routes = (app, { database, settings }) => {
  const config = { role: "anyone" } as const;
  app.get("/health", { config }, async () => ({ status: "ok", version: settings.version }));
  app.get("/ready", { config }, async () => {
    try {
      await database.query("select 1");
    } catch (error) {
      throw new Problem("unavailable", "The database does not answer.", { cause: error, retryAfter: 5 });
    }
    return { status: "ready" };
  });
};
