// Public API of `mandate/vm`: programs and scripts.
export {
  AgentVM,
  Eval,
  SafeFunction,
  batteryAtoms,
  defineAtom,
  inspect,
  memoryStore,
  program,
  refusals,
  registerProgram,
  runProgram,
  s,
  script,
  subsetPrompt,
} from './index.ts'
export type {
  Atom,
  AtomContext,
  Capabilities,
  EvalResult,
  Inspection,
  ProgramJson,
  Schema,
  VmLimits,
  VmResult,
} from './index.ts'
