import type { ProblemType } from "../problem.js";

/** What people read who follow the address of a problem's type. */
export interface ProblemHelp {
  /** What it means. */
  readonly meaning: string;
  /** What to do. */
  readonly remedy: string;
}

/** The page of each type. */
export const problemHelp: Readonly<Record<ProblemType, ProblemHelp>> = {
  "bad-request": {
    meaning:
      "The request is not what the API's description asks for. Each field that is wrong is listed in errors.",
    remedy: "Correct the fields in errors and send it again. The description is under /api/v1/docs.",
  },
  unauthorized: {
    meaning: "The request has no key or token, or one that is not known, was revoked or is over.",
    remedy:
      "Send a key of the project or the token of a login: Authorization: Bearer <key>. On the command line, graphloom login keeps one; graphloom serve --new-key makes one.",
  },
  forbidden: {
    meaning: "Who asks is known, and their role is not enough for what was asked for.",
    remedy:
      "Use a key with the role that the detail names, or have somebody give you that role. A Viewer reads, an Editor also changes, an Admin also manages members, an Owner also Owners.",
  },
  "not-found": {
    meaning: "There is nothing at the address.",
    remedy: "Compare the address with the description under /api/v1/docs. Its operations begin with /api/v1.",
  },
  "subgraph-not-found": {
    meaning: "The key's project has no subgraph, version or tag of that name.",
    remedy: "List what there is: graphloom subgraph list. A key sees its own project only.",
  },
  "webhook-not-found": {
    meaning: "The key's project has no webhook of that name.",
    remedy: "List what there is: graphloom subgraph webhook list.",
  },
  "pipeline-not-found": {
    meaning: "The key's project has no pipeline of that name.",
    remedy: "List what there is: GET /api/v1/pipelines.",
  },
  "edge-endpoint-not-found": {
    meaning: "The key's project has no endpoint of that name.",
    remedy: "List what there is: GET /api/v1/edge.",
  },
  "secret-not-found": {
    meaning: "The key's project has no secret of that name.",
    remedy: "List what there is: graphloom secret list. A key sees its own project only.",
  },
  "project-not-found": {
    meaning: "There is no such project, or you are not in it.",
    remedy: "List those that you are in: GET /api/v1/projects. A key is of one project only.",
  },
  "method-not-allowed": {
    meaning: "The address is right, and the method is not one that it takes.",
    remedy: "Use one of the methods in the header Allow.",
  },
  conflict: {
    meaning: "What was to be made would take the place of something that is there.",
    remedy:
      "Choose another name or version, or delete what is there first. To have clients follow new versions, move a tag.",
  },
  "too-large": {
    meaning: "The request is larger than the server takes.",
    remedy:
      "Make it smaller. A bundle may have 50 MB, and 100 MB when it is unpacked: leave unused events out, or build with --optimize full.",
  },
  "unsupported-media-type": {
    meaning: "The body is of a kind that the operation does not take.",
    remedy: "Send application/json, or multipart/form-data to deploy, and say so in Content-Type.",
  },
  misdirected: {
    meaning:
      "The request is for another host. A server that listens for its own machine answers to its own names.",
    remedy:
      "Ask it by the address that it printed when it was started. If clients reach it by another name, start it with graphloom serve --public-address.",
  },
  unprocessable: {
    meaning: "The request is well formed, and what it asks for is not possible: the detail says why.",
    remedy: "Follow the detail. For a bundle it names the place in the manifest.",
  },
  "in-use": {
    meaning: "Something else still refers to what was to be deleted.",
    remedy: "Delete what the detail names first, or have it refer to something else.",
  },
  "rate-limited": {
    meaning: "There were more requests than are taken in that time.",
    remedy: "Wait as many seconds as the header Retry-After says.",
  },
  internal: {
    meaning: "Something went wrong in the server, and it is not the request's fault.",
    remedy: "The server's log says what it was. If it happens again, please report it with those lines.",
  },
  "not-there-yet": {
    meaning: "The operation is described, and this version of graphloom does not have it yet.",
    remedy: "Look for a newer version.",
  },
  unavailable: {
    meaning: "Something that the server needs did not answer: its database, or an engine.",
    remedy: "Try again after a moment. The server's log says what was away.",
  },
};
