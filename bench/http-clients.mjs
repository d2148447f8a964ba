// Clients of bench/http.mjs and bench/data.mjs: each has a connection, and asks again as soon as it is answered.
import { connect } from "node:net";
import { performance } from "node:perf_hooks";

let asked = 0;

/** @param requests what to send, in turn; without them, a query is sent */
function request({ path, query, isNew, requests }) {
  asked += 1;
  if (requests) return requests[asked % requests.length];
  const variables = {
    ...(query.startsWith("query") && { least: "1000" }),
    ...(isNew && { nonce: `${process.pid}-${asked}` }),
  };
  const body = JSON.stringify({ query, variables });
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** The bytes that are missing of a response; nothing when they cannot be known yet. */
function missing(received) {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = received.subarray(0, end).toString("latin1");
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(received.toString());
  const length = Number(/content-length: (\d+)/i.exec(head)[1]);
  return end + 4 + length - received.length;
}

function client(told, times, until) {
  return new Promise((resolve, reject) => {
    const socket = connect(told.port, "127.0.0.1");
    let parts = [];
    let left;
    let begin;
    let bytes = 0;
    const ask = () => {
      if (performance.now() >= until) {
        socket.destroy();
        return resolve(bytes);
      }
      parts = [];
      left = undefined;
      begin = performance.now();
      socket.write(request(told));
    };
    socket.on("connect", ask);
    socket.on("error", reject);
    socket.on("data", (data) => {
      if (left === undefined) {
        parts.push(data);
        const all = Buffer.concat(parts);
        left = missing(all);
        bytes = all.length + (left ?? 0);
        if (left === 0 && all.includes('"errors"')) throw new Error(all.toString());
      } else {
        left -= data.length;
      }
      if (left !== 0) return;
      times.push(performance.now() - begin);
      ask();
    });
  });
}

process.once("message", async (told) => {
  const times = [];
  const begin = performance.now();
  const until = begin + told.seconds * 1000;
  const sizes = await Promise.all(Array.from({ length: told.connections }, () => client(told, times, until)));
  const took = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))].toFixed(2);
  process.send(
    {
      requests: times.length,
      rate: Math.round(times.length / took),
      p50: at(0.5),
      p99: at(0.99),
      bytes: sizes[0],
    },
    () => process.exit(0),
  );
});
