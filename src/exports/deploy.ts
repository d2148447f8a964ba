export { ApiAnswerError } from "../api/answers/answer-error.js";
export { ApiProblem, renderProblem } from "../api/answers/problem.js";
export type { ApiConnection } from "../api/call-route.js";
export type * as api from "../api/contract.js";
export { createManagementApi, type LogQuery, type ManagementApi } from "../api/management-api.js";
export type { World as HttpWorld } from "../base/world.js";
export { type DeployOptions, type DeployResult, deployAll } from "../deploy/deploy-all.js";
export { GraphNodeError } from "../deploy/graph-node/graph-node-error.js";
export { createGraphNodeTarget, type GraphNodeAddresses } from "../deploy/graph-node/graph-node-target.js";
export { downloadBuild } from "../deploy/ipfs/download.js";
export { IpfsError } from "../deploy/ipfs/ipfs-error.js";
export { createApiTarget } from "../deploy/management/api-target.js";
export { zipBundle as zipBuild } from "../deploy/management/zip-bundle.js";
export type {
  Deployment,
  DeploymentStatus,
  DeployProgress,
  DeployRequest,
  DeployTarget,
  SubgraphVersion,
} from "../deploy/target.js";
export { readBuildFolder } from "../machine/files/build-folder.js";
export { createNodeWorld as createNodeHttp } from "../machine/world.js";
export { type Adjustments as BuildAdjustments, adjustBuild } from "../subgraph/adjust-build.js";
export { type Build, networkOf } from "../subgraph/build.js";
export { BundleError } from "../subgraph/bundle-error.js";
export { collectBuild as readBuild } from "../subgraph/collect-build.js";
export { type LinkedBuild, linkBuild } from "../subgraph/deployment/link-build.js";
export { HttpError, type HttpFailure } from "../web/http/http-error.js";
