import type { ProblemType } from "../problem.js";

/** The help text behind the address of a problem's type. */
export interface ProblemHelp {
  /** What it means. */
  readonly meaning: string;
  /** What to do. */
  readonly remedy: string;
}

/** The page of each type. */
export const problemHelp: Readonly<Record<ProblemType, ProblemHelp>> = {
  "bad-request": {
    meaning: "The request does not match the API's description. The field errors lists what is invalid.",
    remedy:
      "Correct the fields listed in errors, then send the request again. The API is described at /api/v1/docs.",
  },
  unauthorized: {
    meaning: "The request carries no API key or token, or the one it carries is unknown, revoked or expired.",
    remedy:
      "Send an API key of the project or a login token: Authorization: Bearer <key>. On the command line, graphloom login stores one, and graphloom serve --new-key creates a new key.",
  },
  forbidden: {
    meaning: "The caller is known, but their role does not allow this request.",
    remedy:
      "Use an API key with the role that the detail names, or ask a member to give you that role. A Viewer can read, an Editor can also make changes, an Admin can also manage members, and an Owner can also manage Owners.",
  },
  "not-found": {
    meaning: "Nothing exists at this address.",
    remedy:
      "Compare the address with the description at /api/v1/docs. The paths of all operations begin with /api/v1.",
  },
  "subgraph-not-found": {
    meaning: "The key's project has no subgraph, version or tag with that name.",
    remedy: "List the subgraphs: graphloom subgraph list. A key sees only its own project.",
  },
  "webhook-not-found": {
    meaning: "The key's project has no webhook with that name.",
    remedy: "List the webhooks: graphloom subgraph webhook list.",
  },
  "pipeline-not-found": {
    meaning: "The key's project has no pipeline with that name.",
    remedy: "List the pipelines: GET /api/v1/pipelines.",
  },
  "edge-endpoint-not-found": {
    meaning: "The key's project has no endpoint with that name.",
    remedy: "List the endpoints: GET /api/v1/edge.",
  },
  "secret-not-found": {
    meaning: "The key's project has no secret with that name.",
    remedy: "List the secrets: graphloom secret list. A key sees only its own project.",
  },
  "project-not-found": {
    meaning: "The project does not exist, or you are not a member of it.",
    remedy: "List your projects: GET /api/v1/projects. A key belongs to one project only.",
  },
  "method-not-allowed": {
    meaning: "The address exists, but it does not accept this method.",
    remedy: "Use one of the methods in the Allow header.",
  },
  conflict: {
    meaning: "The request would replace something that already exists.",
    remedy:
      "Choose another name or version, or delete the existing one first. To move clients to a new version, move a tag.",
  },
  "too-large": {
    meaning: "The request is larger than the server accepts.",
    remedy:
      "Make the request smaller. A bundle can be up to 50 MB, and up to 100 MB unpacked. To shrink it, remove unused events, or build with --optimize full.",
  },
  "unsupported-media-type": {
    meaning: "The operation does not accept this type of body.",
    remedy: "Send application/json, or multipart/form-data to deploy, and set Content-Type to match.",
  },
  misdirected: {
    meaning:
      "The request names another host. A server that listens only on its own machine answers only to its own names.",
    remedy:
      "Use the address that the server printed when it started. If clients use another name, start the server with graphloom serve --public-address.",
  },
  unprocessable: {
    meaning: "The request is well formed, but the server cannot carry it out. The detail says why.",
    remedy: "Follow the detail. For a bundle, it names the place in the manifest.",
  },
  "in-use": {
    meaning: "Something else still refers to what you want to delete.",
    remedy: "First delete what the detail names, or make it refer to something else.",
  },
  "rate-limited": {
    meaning: "The server received more requests than it accepts in that time.",
    remedy: "Wait for the number of seconds in the Retry-After header.",
  },
  internal: {
    meaning: "The server failed to handle the request. The request is not at fault.",
    remedy: "The server's log has the details. If it happens again, please report it with those lines.",
  },
  "not-there-yet": {
    meaning: "The API describes this operation, but this version of graphloom does not implement it yet.",
    remedy: "Check for a newer version.",
  },
  unavailable: {
    meaning: "Something that the server depends on did not answer: its database or an engine.",
    remedy: "Try again in a moment. The server's log says what was unavailable.",
  },
};
