/**
 * The query page's scripts and style, as texts. The build puts them into this module, so that installing the package
 * does not install the page's original server.
 */
export {
  css,
  editorWorkerService,
  graphqlWorker,
  js,
  jsonWorker,
} from "@graphql-yoga/render-graphiql/graphiql";
