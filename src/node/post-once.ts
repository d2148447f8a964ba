import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/**
 * Posts a JSON document, and waits for the beginning of an answer, whatever it is. When the time is over, the
 * connection is cut, so that nothing keeps the process alive; `fetch` would go on connecting.
 * @param url begins with `http://` or `https://`
 * @param milliseconds the longest that it may take
 * @returns whether there was an answer; it never rejects
 */
export function postOnce(url: string, document: string, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = url.startsWith("https:") ? requestHttps : requestHttp;
    const sent = request(
      url,
      { method: "POST", agent: false, headers: { "content-type": "application/json" } },
      (response) => end(true, () => response.destroy()),
    );
    const timer = setTimeout(() => end(false, () => sent.destroy()), milliseconds);
    const end = (isAnswered: boolean, cut: () => void): void => {
      clearTimeout(timer);
      cut();
      resolve(isAnswered);
    };
    // What is told after the end is nobody's concern any more.
    sent.on("error", () => end(false, () => undefined));
    sent.end(document);
  });
}
