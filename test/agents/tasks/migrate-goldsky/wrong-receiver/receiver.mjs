/** Whether a webhook is genuine. @param headers names in lower case, and their values */
export function isGenuine(headers, secret) {
  return headers["graphloom-webhook-secret"] === secret;
}
