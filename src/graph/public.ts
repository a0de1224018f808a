// What `mandate/graph` offers: graphs as text, as data and in TypeScript.
export {
  END,
  blueprintHash,
  compileRag,
  diffBlueprints,
  formatRag,
  graphRegistry,
  graphReviews,
  inspectGraph,
  printRag,
  readBlueprint,
  renderDiagnostics,
  resolveBlueprint,
  toMermaid,
} from './index.ts'
export type { Blueprint, BlueprintDiff, Catalog, Diagnostic } from './index.ts'
export {
  channel,
  command,
  defineGraph,
  getState,
  getStateHistory,
  mapReduce,
  nodes,
  registerGraph,
  resumeGraph,
  runGraph,
  send,
  updateState,
} from './index.ts'
export type { Graph, GraphContext, GraphEvent, GraphRun, GraphState } from './index.ts'
