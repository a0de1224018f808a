// What `mandate/graph` offers: graphs as text, as data and in TypeScript.
export {
  END,
  blueprintHash,
  compileRag,
  diffBlueprints,
  formatRag,
  graphRegistry,
  printRag,
  readBlueprint,
  renderDiagnostics,
  resolveBlueprint,
  toMermaid,
} from './index.ts'
export type { Blueprint, BlueprintDiff, Catalog, Diagnostic } from './index.ts'
