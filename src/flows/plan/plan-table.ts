import type { Report } from "../../compiler/diagnostics/report.js";
import type { PlannedTable } from "./flow-plan.js";

/** A dynamic table; what it cannot be in this version is reported. */
export function planTable(definition: PlannedTable["definition"], report: Report): PlannedTable {
  const { name, settings } = definition;
  const { backend_type: backend, secret_name: secret, sql } = settings;
  if (backend?.value === "InMemory")
    report.error("transform-missing", backend.at, "this version keeps dynamic tables in PostgreSQL only", {
      hint: "write backend_type: Postgres, and a secret_name",
    });
  else if (!secret)
    report.error("missing-key", name.at, 'a dynamic_table in Postgres requires "secret_name"', {
      hint: "add secret_name: the name of a secret with the address of the database",
    });
  if (sql)
    report.error("transform-missing", sql.at, "this version cannot fill a dynamic table from a query", {
      hint: "remove sql, and write the values into the table in PostgreSQL",
    });
  return { name: name.value, definition };
}
