export { CATALOG_KINDS, CHANNEL_KINDS, END, NODE_KINDS } from './blueprint/blueprint.ts'
export type {
  AllowBlueprint,
  Blueprint,
  CatalogKind,
  ChannelBlueprint,
  ChannelKind,
  CommandBlueprint,
  FieldBlueprint,
  GraphDefaults,
  NodeBlueprint,
  NodeKind,
  Provenance,
  RetryBlueprint,
  RouteBlueprint,
  SendBlueprint,
  Span,
  UpdateBlueprint,
} from './blueprint/blueprint.ts'
export type { Diagnostic } from './blueprint/diagnostic.ts'
export type { Catalog } from './registry/catalog.ts'
export { graphRegistry } from './registry/graph-registry.ts'
export type {
  GraphReducer,
  GraphRegistry,
  GraphRouter,
  RegisterOptions,
  RegistrySnapshot,
} from './registry/graph-registry.ts'
export type { RegistryFinding } from './registry/registry-findings.ts'
export { diffBlueprints } from './blueprint/diff.ts'
export type { BlueprintChange, BlueprintDiff } from './blueprint/diff.ts'
export { blueprintHash } from './blueprint/hash.ts'
export { toMermaid } from './blueprint/mermaid.ts'
export { readBlueprint } from './blueprint/read.ts'
export type { ReadBlueprint } from './blueprint/read.ts'
export { referencesOf, resolveBlueprint } from './blueprint/resolve.ts'
export type { Reference } from './blueprint/resolve.ts'
export { compileRag } from './language/compile.ts'
export type { CompiledRag, CompileRagOptions } from './language/compile.ts'
export { formatRag } from './language/output/format.ts'
export type { FormattedRag } from './language/output/format.ts'
export { printRag } from './language/output/print.ts'
export { renderDiagnostics } from './language/render.ts'
export type { RenderOptions } from './language/render.ts'
export { channel } from './builder/channels.ts'
export { defineGraph } from './builder/define-graph.ts'
export type { Graph } from './builder/graph.ts'
export { nodes } from './builder/nodes.ts'
export { command, send } from './runtime/command.ts'
export type { GraphContext } from './runtime/graph-context.ts'
export type { GraphEvent } from './runtime/graph-stream.ts'
export { mapReduce } from './runtime/map-reduce.ts'
export { registerGraph } from './runtime/register-graph.ts'
export { resumeGraph, runGraph } from './runtime/run-graph.ts'
export type { GraphRun } from './runtime/run-graph.ts'
export { graphReviews } from './review/graph-reviews.ts'
export type { GraphReview } from './review/graph-reviews.ts'
export { inspectGraph } from './review/inspect-graph.ts'
export type { GraphReach } from './review/inspect-graph.ts'
export { getState, getStateHistory } from './runtime/state-history.ts'
export type { GraphState } from './runtime/state-history.ts'
export { updateState } from './runtime/update-state.ts'
