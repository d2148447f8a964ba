import { beforeAll } from "vitest";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { describeStore } from "../../runtime/store/conformance.js";
import { describeDatabases } from "../../support/database/databases.js";
import { holdingBack, makeStore } from "./make-store.js";

/** Fewer runs than in memory, because every read costs a statement, and most of all on PGlite. */
const runsOn = { postgres: 15, pglite: 5 };

describeDatabases("tables", ({ fresh, provider }) => {
  const runs = runsOn[provider];
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });

  describeStore("the tables", (schema) => makeStore(database, schema), runs);
  describeStore(
    "the tables with blocks held back",
    async (schema) => holdingBack(await makeStore(database, schema, { mostChanges: 3, mostRemembered: 2 })),
    runs,
  );
});
