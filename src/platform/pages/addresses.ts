export { pageOf } from "../subgraphs/page-of.js";
