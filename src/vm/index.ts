export { AgentVM } from './agent-vm.ts'
export type { ProgramSource } from './atoms/program-source.ts'
export type { AnyAtom, Atom, AtomContext, AtomCost, AtomEffects, CostContext } from './atoms/atom.ts'
export { batteryAtoms } from './atoms/set/battery-atoms.ts'
export type { CallOptions, Capabilities, LlmCapability, StoreCapability } from './atoms/host/capabilities.ts'
export type { BatteryAtoms, CoreAtoms } from './atoms/set/core-types.ts'
export { defineAtom } from './atoms/define-atom.ts'
export type { AtomOptions } from './atoms/define-atom.ts'
export { FLOW_OPS } from './atoms/set/flow.ts'
export type { FlowOp } from './atoms/set/flow.ts'
export { memoryStore } from './atoms/host/memory-store.ts'
export type { MemoryStoreOptions } from './atoms/host/memory-store.ts'
export type { Procedures } from './atoms/host/procedures.ts'
export { coreAtoms } from './atoms/registry.ts'
export type { ToolDescription } from './atoms/registry.ts'
export type { VmRunOptions } from './atoms/run-options.ts'
export type {
  AtomMap,
  Builder,
  BuilderCore,
  ByOp,
  Condition,
  InputOf,
  Node,
  ProgramJson,
  StepJson,
  Value,
  Vars,
} from './builder/builder-types.ts'
export { program } from './builder/program.ts'
export type { ProgramEntry } from './builder/program.ts'
export { s } from './builder/schema.ts'
export type { Infer, NumberSchema, Schema, SchemaBuilder, SizedSchema, TextSchema } from './builder/schema.ts'
export type { SchemaSource, ValueOf } from './builder/schema-source.ts'
export { inspect } from './inspect.ts'
export type { Inspection, Reach } from './inspect.ts'
export { programMind } from './mind/program-mind.ts'
export type { ProgramMindOptions, ProgramOutput } from './mind/program-mind.ts'
export { registerProgram, runProgram } from './mind/run-program.ts'
export type { ProgramHost, RunProgramOptions } from './mind/run-program.ts'
export { Eval, SafeFunction, describeSubset, refusals, script, subsetPrompt } from './script/index.ts'
export type {
  EvalOptions,
  EvalResult,
  EvalTool,
  Refusal,
  RefusedFeature,
  ScriptOptions,
  ScriptProblem,
} from './script/index.ts'
export type { TraceEntry, VmError, VmResult, VmStats } from './machine/result.ts'
export { DEFAULT_VM_LIMITS } from './meter/limits.ts'
export type { VmLimits } from './meter/limits.ts'
