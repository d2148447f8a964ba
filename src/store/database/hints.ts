const full = "The database's disk is full. Free some space, then start again. Committed data is safe.";

/** Hints on how to fix a failure, by SQLSTATE or by the system's error code. */
export const hints: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "Start the server, or correct the host and port in the address."],
  ["ENOTFOUND", "Correct the host in the address."],
  ["EAI_AGAIN", "Correct the host in the address, or check that this machine can resolve names."],
  ["ETIMEDOUT", "Check that the server is running and reachable from this machine."],
  ["ENOENT", "Start the server, or correct the path of its socket in the address."],
  ["28000", "Correct the user in the address, or allow the connection in pg_hba.conf."],
  ["28P01", "Correct the user and password in the address."],
  ["3D000", "Create the database, or correct its name at the end of the address."],
  ["42501", "Grant the user in the address the CREATE privilege on this database."],
  ["ENOSPC", full],
  ["EDQUOT", full],
  ["53000", "The server is out of resources. Check its log."],
  ["53100", full],
  ["53200", "The server has run out of memory. Give it more."],
  ["53300", "The server has no free connections. Close some, or raise max_connections."],
  ["53400", "The server has reached a limit in its configuration. Raise that limit."],
  ["57P03", "The server is starting up or shutting down. Try again in a moment."],
]);
