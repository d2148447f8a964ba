/** Whether a webhook is genuine. @param headers names in lower case, and their values */
export function isGenuine(headers, secret) {
  const given = headers["graphloom-webhook-secret"] ?? headers["goldsky-webhook-secret"];
  return given === secret;
}
