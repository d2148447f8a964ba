const file = "SELECT content FROM read_text('/etc/passwd')";

/** Queries that read a file, each at another place of a SELECT from `logs`. */
export const forbiddenPlaces: readonly string[] = [
  `SELECT id FROM logs WHERE data IN (${file})`,
  `SELECT id FROM logs WHERE EXISTS (${file})`,
  `SELECT id, (${file}) AS x FROM logs`,
  `SELECT id, CASE WHEN id = '' THEN (${file}) ELSE '' END AS x FROM logs`,
  `SELECT id FROM logs ORDER BY (${file})`,
  `SELECT id FROM logs ORDER BY id LIMIT (SELECT count(*) FROM read_text('/etc/passwd'))`,
  `SELECT id, upper((${file})) AS x FROM logs`,
  `SELECT l.id FROM logs l JOIN logs r ON l.id = (${file})`,
  `SELECT id, row_number() OVER (PARTITION BY (${file}) ORDER BY id) AS n FROM logs`,
  `SELECT id, list_transform([id], lambda x: x || (${file})) AS x FROM logs`,
  `SELECT id FROM logs QUALIFY row_number() OVER (ORDER BY id) = length((${file}))`,
  `SELECT address AS id FROM logs GROUP BY address HAVING max(data) IN (${file})`,
  `SELECT id FROM logs, (VALUES ((${file}))) AS v(x)`,
  `SELECT id FROM logs, read_text(logs.data)`,
  `WITH c AS (${file}) SELECT id FROM logs, c`,
];

/** A filter of a source that does. */
export const forbiddenFilter = `data IN (${file})`;

/** What is said of each. */
export const forbiddenText = "read_text() is not a source of the flow";
