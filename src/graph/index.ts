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
export { blueprintHash } from './blueprint/hash.ts'
export { referencesOf, resolveBlueprint } from './blueprint/resolve.ts'
export type { Reference } from './blueprint/resolve.ts'
export { compileRag } from './language/compile.ts'
export type { CompiledRag, CompileRagOptions } from './language/compile.ts'
