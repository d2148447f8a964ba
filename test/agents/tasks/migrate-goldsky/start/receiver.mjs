/** Whether a webhook is genuine. @param headers names in lower case, and their values */
export function isGenuine(headers, secret) {
  return headers["goldsky-webhook-secret"] === secret;
}
