export { AgentVM } from './agent-vm.ts'
export type { ProgramSource } from './atoms/program-source.ts'
export type { Atom, AtomContext } from './atoms/atom.ts'
export { batteryAtoms } from './atoms/set/battery-atoms.ts'
export type { Capabilities } from './atoms/host/capabilities.ts'
export { defineAtom } from './atoms/define-atom.ts'
export { memoryStore } from './atoms/host/memory-store.ts'
export type { ProgramJson } from './builder/builder-types.ts'
export { program } from './builder/program.ts'
export { s } from './builder/schema.ts'
export type { Schema } from './builder/schema.ts'
export { wakeTime } from './atoms/timer-atoms.ts'
export { CellSession } from './session/cell-session.ts'
export type { CellHost, CellRequest } from './session/cell-host.ts'
export type { CellEnd, StoredContent, StoredSession } from './session/cell-session.ts'
export type { CellSource } from './session/cell-program.ts'
export type { StoredGroup } from './session/variable-groups.ts'
export { untilDropped } from './mind/until-dropped.ts'
export { VM_PINS, WAITING_CLOCK, checkVmPins, fuelOf, withoutMeasures } from './mind/vm-pins.ts'
export type { VmPins } from './mind/vm-pins.ts'
export { inspect } from './inspect.ts'
export type { Inspection } from './inspect.ts'
export { PROGRAM_MIND_OPTIONS, checkIntents } from './mind/program-mind.ts'
export type { ProgramMindOptions } from './mind/program-mind.ts'
export { registerProgram, runProgram } from './mind/run-program.ts'
export {
  Eval,
  SafeFunction,
  isUnfinished,
  openingComments,
  refusals,
  script,
  subsetPrompt,
  subsetRules,
} from './script/index.ts'
export type { EvalResult } from './script/index.ts'
export type { VmResult } from './machine/result.ts'
export { NO_WALL_MS } from './meter/limits.ts'
export type { VmLimits } from './meter/limits.ts'
export { CapabilityHandle } from './port.ts'
export type { CapabilityTree } from './port.ts'
