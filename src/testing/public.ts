// Exports of `mandate/testing`: deterministic tests of agents.
export {
  captureEvents,
  expectEntries,
  fakeClock,
  faultyJournal,
  fileCassette,
  manualClock,
  scripted,
  seededRandom,
  testAgent,
} from './index.ts'
export type { ScriptedStep, TestAgent, TestAgentOptions } from './index.ts'
