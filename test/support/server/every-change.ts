import { sampleBundle } from "./management-sample.js";
import { deployForm } from "./platform-server.js";
import { plantedDelivery as delivery, type WholeServer } from "./whole-server.js";

/** A request that changes something: its path, JSON or the fields of a form, and the entries that it leaves. */
export type Change = readonly [
  route: string,
  path: string,
  said: Readonly<Record<string, unknown>> | FormData | undefined,
  action: string,
];

export const api = "/api/v1";
const own = "/dashboard/noted/1.0.0";
const hooks = "/dashboard/pools/1.0.0/webhooks";
const extended = `${api}/extensions/webhooks`;
const subgraph = "/dashboard/:name/:version";
const webhook = `${subgraph}/webhooks/:webhook`;
const secret = { type: "httpauth", secretKey: "x-key", secretValue: "hidden" };

/**
 * What API and pages change, one after the other, apart from pipelines.
 * @param member the email address of a Viewer
 * @param key the id of a key; another one ends in `_2`
 */
export const changesOf = (project: string, member: string, key: string): readonly Change[] => [
  [
    `PUT ${api}/subgraphs/:name/deployments/:version`,
    `${api}/subgraphs/noted/deployments/1.0.0`,
    deployForm(sampleBundle({ startBlock: 3 })),
    "subgraph.deploy noted/1.0.0",
  ],
  [
    `PUT ${api}/subgraphs/:name/tags/:version`,
    `${api}/subgraphs/noted/tags/live`,
    { target_version: "1.0.0" },
    "subgraph.tag noted/live (1.0.0)",
  ],
  [
    `PATCH ${api}/subgraphs/:name/:version`,
    `${api}/subgraphs/noted/1.0.0`,
    { description: "x" },
    "subgraph.change noted/1.0.0",
  ],
  [
    `PUT ${api}/subgraphs/:name/:version/pause`,
    `${api}/subgraphs/noted/1.0.0/pause`,
    undefined,
    "subgraph.pause noted/1.0.0",
  ],
  [
    `PUT ${api}/subgraphs/:name/:version/resume`,
    `${api}/subgraphs/noted/1.0.0/resume`,
    undefined,
    "subgraph.resume noted/1.0.0",
  ],
  [
    `DELETE ${api}/subgraphs/:name/tags/:version`,
    `${api}/subgraphs/noted/tags/live`,
    undefined,
    "subgraph.untag noted/live",
  ],
  [`POST ${subgraph}/pause`, `${own}/pause`, {}, "subgraph.pause noted/1.0.0"],
  [`POST ${subgraph}/resume`, `${own}/resume`, {}, "subgraph.resume noted/1.0.0"],
  [`POST ${subgraph}/description`, `${own}/description`, { description: "y" }, "subgraph.change noted/1.0.0"],
  [
    `POST ${subgraph}/endpoints`,
    `${own}/endpoints`,
    { private: "on", off: "public" },
    "subgraph.change noted/1.0.0",
  ],
  [`POST ${subgraph}/tags`, `${own}/tags`, { tag: "live" }, "subgraph.tag noted/live (1.0.0)"],
  [`POST ${subgraph}/untag`, `${own}/untag`, { tag: "live" }, "subgraph.untag noted/live"],
  [`POST ${subgraph}/delete`, `${own}/delete`, { name: "noted/1.0.0" }, "subgraph.delete noted/1.0.0"],
  [
    `PUT ${api}/subgraphs/:name/deployments/:version`,
    `${api}/subgraphs/noted/deployments/2.0.0`,
    deployForm(sampleBundle({ startBlock: 3 })),
    "subgraph.deploy noted/2.0.0",
  ],
  [
    `DELETE ${api}/subgraphs/:name/deployments/:version`,
    `${api}/subgraphs/noted/deployments/2.0.0`,
    undefined,
    "subgraph.delete noted/2.0.0",
  ],
  [
    `POST ${api}/subgraphs/webhooks`,
    `${api}/subgraphs/webhooks`,
    {
      name: "noted",
      subgraph_name: "pools",
      subgraph_version: "1.0.0",
      entity: "thing",
      webhook_url: "https://receiver.example",
    },
    "webhook.create noted",
  ],
  [`PATCH ${extended}/:name`, `${extended}/noted`, { num_retries: 3 }, "webhook.change noted"],
  [`PUT ${extended}/:name/pause`, `${extended}/noted/pause`, undefined, "webhook.pause noted"],
  [`PUT ${extended}/:name/resume`, `${extended}/noted/resume`, undefined, "webhook.resume noted"],
  [
    `POST ${extended}/:name/redeliver-failed`,
    `${extended}/noted/redeliver-failed`,
    undefined,
    "webhook.redeliver-failed noted",
  ],
  [
    `POST ${extended}/deliveries/:id/redeliver`,
    `${extended}/deliveries/${delivery}/redeliver`,
    undefined,
    `webhook.redeliver ${delivery}`,
  ],
  [
    `DELETE ${api}/subgraphs/webhooks/:name`,
    `${api}/subgraphs/webhooks/noted`,
    undefined,
    "webhook.delete noted",
  ],
  [
    `POST ${subgraph}/webhooks`,
    hooks,
    { name: "noted", entity: "thing", url: "https://receiver.example" },
    "webhook.create noted",
  ],
  [`POST ${webhook}/change`, `${hooks}/noted/change`, { retries: "2" }, "webhook.change noted"],
  [`POST ${webhook}/pause`, `${hooks}/noted/pause`, {}, "webhook.pause noted"],
  [`POST ${webhook}/resume`, `${hooks}/noted/resume`, {}, "webhook.resume noted"],
  [`POST ${webhook}/again`, `${hooks}/hook/again`, { id: delivery }, `webhook.redeliver ${delivery}`],
  [`POST ${webhook}/failed-again`, `${hooks}/noted/failed-again`, {}, "webhook.redeliver-failed noted"],
  [`POST ${webhook}/delete`, `${hooks}/noted/delete`, { name: "noted" }, "webhook.delete noted"],
  [`POST ${api}/edge`, `${api}/edge`, { name: "noted" }, "edge-endpoint.create noted"],
  [
    `PATCH ${api}/edge/:name`,
    `${api}/edge/noted`,
    { allowed_domains: ["example.com"] },
    "edge-endpoint.change noted",
  ],
  [`PUT ${api}/edge/:name/pause`, `${api}/edge/noted/pause`, undefined, "edge-endpoint.pause noted"],
  [`PUT ${api}/edge/:name/resume`, `${api}/edge/noted/resume`, undefined, "edge-endpoint.resume noted"],
  [`GET ${api}/edge/:name/api-key`, `${api}/edge/noted/api-key`, undefined, "edge-endpoint.reveal noted"],
  [`DELETE ${api}/edge/:name`, `${api}/edge/noted`, undefined, "edge-endpoint.delete noted"],
  [`POST ${api}/secrets`, `${api}/secrets`, { name: "NOTED", value: secret }, "secret.create NOTED"],
  [`PATCH ${api}/secrets/:name`, `${api}/secrets/NOTED`, { description: "x" }, "secret.update NOTED"],
  [`GET ${api}/secrets/:name/value`, `${api}/secrets/NOTED/value`, undefined, "secret.reveal NOTED"],
  [`DELETE ${api}/secrets/:name`, `${api}/secrets/NOTED`, undefined, "secret.delete NOTED"],
  ["POST /endpoints", "/endpoints", { name: "noted", product: "rpc" }, "edge-endpoint.create noted"],
  ["POST /endpoints/:endpoint/key", "/endpoints/noted/key", {}, "edge-endpoint.reveal noted"],
  [
    "POST /endpoints/:endpoint/change",
    "/endpoints/noted/change",
    { domains: "example.com" },
    "edge-endpoint.change noted",
  ],
  ["POST /endpoints/:endpoint/pause", "/endpoints/noted/pause", {}, "edge-endpoint.pause noted"],
  ["POST /endpoints/:endpoint/resume", "/endpoints/noted/resume", {}, "edge-endpoint.resume noted"],
  [
    "POST /endpoints/:endpoint/delete",
    "/endpoints/noted/delete",
    { name: "noted" },
    "edge-endpoint.delete noted",
  ],
  [
    "POST /secrets",
    "/secrets",
    { name: "NOTED", type: "httpauth", "value.secretKey": "x-key", "value.secretValue": "hidden" },
    "secret.create NOTED",
  ],
  [
    "POST /secrets/:secret/value",
    "/secrets/NOTED/value",
    { "value.secretKey": "x-key", "value.secretValue": "changed" },
    "secret.update NOTED",
  ],
  [
    "POST /secrets/:secret/description",
    "/secrets/NOTED/description",
    { description: "x" },
    "secret.update NOTED",
  ],
  ["POST /secrets/:secret/delete", "/secrets/NOTED/delete", { name: "NOTED" }, "secret.delete NOTED"],
  [
    `POST ${api}/projects/:id/invitations`,
    `${api}/projects/${project}/invitations`,
    { emails: ["new@example.com"], role: "Viewer" },
    "member.invite new@example.com as Viewer",
  ],
  [
    `DELETE ${api}/projects/:id/members/:email`,
    `${api}/projects/${project}/members/new@example.com`,
    undefined,
    "member.uninvite new@example.com",
  ],
  [
    `PATCH ${api}/projects/:id/members/:email`,
    `${api}/projects/${project}/members/${member}`,
    { role: "Editor" },
    `member.role ${member} to Editor`,
  ],
  [
    "POST /members/invite",
    "/members/invite",
    { emails: "new@example.com", role: "Viewer" },
    "member.invite new@example.com as Viewer",
  ],
  [
    "POST /members/role",
    "/members/role",
    { email: member, role: "Viewer" },
    `member.role ${member} to Viewer`,
  ],
  ["POST /members/remove", "/members/remove", { email: member }, `member.remove ${member}`],
  [
    `POST ${api}/projects/:id/api-keys`,
    `${api}/projects/${project}/api-keys`,
    { name: "noted", role: "Viewer" },
    "key.create noted",
  ],
  [
    `DELETE ${api}/projects/:id/api-keys/:keyId`,
    `${api}/projects/${project}/api-keys/${key}`,
    undefined,
    `key.revoke ${key} (${key})`,
  ],
  ["POST /keys", "/keys", { name: "noted", role: "Viewer" }, "key.create noted"],
  ["POST /keys/:id/revoke", `/keys/${key}_2/revoke`, {}, `key.revoke ${key}_2 (${key}_2)`],
  [`PATCH ${api}/projects/:id`, `${api}/projects/${project}`, { name: "Noted" }, "project.rename Noted"],
  ["POST /projects/name", "/projects/name", { name: "Noted 2" }, "project.rename Noted 2"],
  [`POST ${api}/projects`, `${api}/projects`, { name: "Noted 3" }, "project.create Noted 3"],
  ["POST /projects", "/projects", { name: "Noted 4" }, "project.create Noted 4"],
];

const one = "/pipelines/:name";
const own1 = "/pipelines/noted";
/** What the forms of pipelines change, one after the other. */
export const pipelineChanges: readonly Change[] = [
  ["POST /new-pipeline", "/new-pipeline", { text: "name: noted\n" }, "pipeline.create noted"],
  [`POST ${one}/snapshots`, `${own1}/snapshots`, {}, "pipeline.snapshot noted"],
  [`POST ${one}/pause`, `${own1}/pause`, {}, "pipeline.pause noted"],
  [`POST ${one}/verify`, `${own1}/verify`, {}, "pipeline.verify noted"],
  [`POST ${one}/repair`, `${own1}/repair`, { sink: "stored" }, "pipeline.repair noted"],
  [
    `POST ${one}/replay`,
    `${own1}/replay`,
    { sink: "stored", from: "0", to: "1", send: "yes" },
    "pipeline.replay noted",
  ],
  [`POST ${one}/parked/retry`, `${own1}/parked/retry`, { sink: "stored" }, "pipeline.retry noted"],
  [
    `POST ${one}/parked/drop`,
    `${own1}/parked/drop`,
    { sink: "stored", "key:id": "1" },
    "pipeline.drop noted",
  ],
  [`POST ${one}/verify`, `${own1}/verify`, { sink: "stored" }, "pipeline.verify noted"],
  [`POST ${one}/tasks/:id/cancel`, `${own1}/tasks/{task}/cancel`, {}, "pipeline.cancel-task noted"],
  [
    `POST ${one}/edit`,
    `${own1}/edit`,
    {
      text: "name: noted\n# more\n",
      from: "1",
      told: "Sink stored is not written any more; what it holds stays",
    },
    "pipeline.update noted",
  ],
  [`POST ${one}/start`, `${own1}/start`, {}, "pipeline.start noted"],
  [`POST ${one}/restart`, `${own1}/restart`, {}, "pipeline.restart noted"],
  [`POST ${one}/cancel`, `${own1}/cancel`, {}, "pipeline.cancel-update noted"],
  [`POST ${one}/snapshots/:id/restore`, `${own1}/snapshots/{snapshot}/restore`, {}, "pipeline.restart noted"],
  [`POST ${one}/stop`, `${own1}/stop`, {}, "pipeline.stop noted"],
  [`POST ${one}/delete`, `${own1}/delete`, { name: "noted" }, "pipeline.delete noted"],
];

/** The ids of objects that earlier changes have created. */
export interface Made {
  task: string;
  snapshot: string;
}

/** Makes a change. @returns the status, where the answer leads to, and its text */
export async function sendChange(
  { address, project }: WholeServer,
  { token, session }: { readonly token: string; readonly session: string },
  [route, pattern, said]: Change,
  made: Made,
): Promise<readonly [status: number, location: string, text: string]> {
  const path = pattern.replace("{task}", made.task).replace("{snapshot}", made.snapshot);
  const isApi = path.startsWith(api);
  const isForm = said instanceof FormData;
  const [method = ""] = route.split(" ");
  const content = isApi ? JSON.stringify(said) : new URLSearchParams(said as Record<string, string>);
  const answer = await fetch(address + path, {
    method,
    redirect: "manual",
    headers: {
      ...(isApi
        ? { authorization: `Bearer ${token}`, "graphloom-project": project }
        : { cookie: `graphloom_session=${session}` }),
      ...(isApi && said && !isForm && { "content-type": "application/json" }),
    },
    ...(said && { body: isForm ? said : content }),
  });
  return [answer.status, answer.headers.get("location") ?? "", await answer.text()];
}
