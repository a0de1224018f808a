export { testAgent } from './agent-harness.ts'
export type { TestAgent, TestAgentOptions } from './agent-harness.ts'
export { fileCassette } from './cassette-files.ts'
export type { FileCassette, FileCassetteOptions } from './cassette-files.ts'
export { expectEntries } from './entry-sequence.ts'
export type { EntryExpectation } from './entry-sequence.ts'
export { captureEvents } from './event-capture.ts'
export type { EventCapture } from './event-capture.ts'
export { fakeClock } from './fake-clock.ts'
export type { FakeClock } from './fake-clock.ts'
export { faultyJournal } from './faulty-journal.ts'
export type { FaultPlan, FaultyJournal } from './faulty-journal.ts'
export { forgeEntry, tamperEntry } from './forged-entry.ts'
export type { ForgedDraft } from './forged-entry.ts'
export { journalConformance } from './journal-conformance.ts'
export type { JournalSubject, OpenedJournal } from './journal-conformance.ts'
export { modelConformance } from './model-conformance.ts'
export type { ModelBehaviour, ModelSubject, OpenedModel } from './model-conformance.ts'
export { sampleRun, sampleStart, sealAll } from './sample-run.ts'
export type { SampleDraft, SampleRunOptions } from './sample-run.ts'
export type { Happening, Pattern, SequenceOptions } from './sequence.ts'
export { countConformance, databaseConformance, memoryConformance, promptConformance } from './store-conformance.ts'
export type {
  CountSubject,
  Counters,
  DatabaseSubject,
  MemorySubject,
  PromptSubject,
  StartedStore,
  StoreSubject,
} from './store-cases/case.ts'
export type { Expectation, TestApi } from './test-api.ts'
export { toolConformance } from './tool-conformance.ts'
export type { OpenedTool, ToolSubject } from './tool-conformance.ts'
export { manualClock, seededRandom } from '../core/index.ts'
export type { ManualClock } from '../core/index.ts'
export { scripted } from '../model/index.ts'
export type { ScriptedModel, ScriptedStep } from '../model/index.ts'
