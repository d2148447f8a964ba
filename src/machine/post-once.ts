import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/**
 * Posts a JSON document and waits for the start of any response. After the time limit, the connection is cut, so that
 * it does not keep the process alive; `fetch` would keep connecting.
 * @param url begins with `http://` or `https://`
 * @param milliseconds time limit
 * @returns whether there was an answer; it never rejects
 */
export function postOnce(url: string, document: string, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = url.startsWith("https:") ? requestHttps : requestHttp;
    const sent = request(
      url,
      { method: "POST", agent: false, headers: { "content-type": "application/json" } },
      (response) => end(true, response),
    );
    const timer = setTimeout(() => end(false, sent), milliseconds);
    const end = (isAnswered: boolean, open?: { destroy(): unknown }): void => {
      clearTimeout(timer);
      open?.destroy();
      resolve(isAnswered);
    };
    // Errors after the end have no effect.
    sent.on("error", () => end(false));
    sent.end(document);
  });
}
