const full =
  "The disk of the database is full: make room on it, and begin again. What was committed is kept.";

/** What can be done about a failure, by SQLSTATE or by the system's code. */
export const hints: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "Start the server, or correct host and port in the address."],
  ["ENOTFOUND", "Correct the host in the address."],
  ["EAI_AGAIN", "Correct the host in the address, or look whether names are resolved at all."],
  ["ETIMEDOUT", "Look whether the server runs and can be reached from here."],
  ["ENOENT", "Start the server, or correct the path of its socket in the address."],
  ["28000", "Correct the user in the address, or allow the connection in pg_hba.conf."],
  ["28P01", "Correct user and password in the address."],
  ["3D000", "Make the database, or correct its name at the end of the address."],
  ["42501", "Give the user of the address the rights to create in this database."],
  ["ENOSPC", full],
  ["EDQUOT", full],
  ["53000", "The server lacks something: look into its log."],
  ["53100", full],
  ["53200", "The server has run out of memory: give it more."],
  ["53300", "The server has no connection left: end others, or raise max_connections."],
  ["53400", "A limit in the server's configuration is reached: raise it."],
  ["57P03", "The server is starting or stopping: try again in a moment."],
]);
