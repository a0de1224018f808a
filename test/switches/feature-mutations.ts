import type { Mutation } from './mutation.ts'

type Row = Omit<Mutation, 'room' | 'id'>

const DOCUMENTS = 'src/connect/documents/documents.test.ts'
const EMBEDDING = 'test/connect/documents.test.ts'
const CLIENT = 'src/tool/ready/client-tool.test.ts'
const QUESTIONS = 'src/agent/questions.test.ts'
const SCHEDULES = 'src/agent/schedule/schedules.test.ts'

/** Documents: what keeps an index whole, and what an agent finds within its limits. */
const DOCUMENT_ROWS: Readonly<Record<string, Row>> = {
  'embed-effect': {
    file: 'src/connect/documents/embedder.ts',
    find: 'context.embed === undefined ? embed :',
    replace: 'true ? embed :',
    tests: [EMBEDDING],
  },
  'unsettled-first': {
    file: 'src/connect/documents/document-index.ts',
    find: 'await shelf.keep({ ...before, unsettled })',
    replace: 'void unsettled',
    tests: [DOCUMENTS],
    pattern: 'after a failure at any write',
  },
  'model-in-key': {
    file: 'src/connect/documents/document-index.ts',
    find: 'canonical([embedder?.id ?? null, value])',
    replace: 'canonical([null, value])',
    tests: [DOCUMENTS],
    pattern: 'another embedding model',
  },
  'confined-search': {
    file: 'src/connect/documents/search-tool.ts',
    find: 'query: where, source }',
    replace: 'source }',
    tests: [DOCUMENTS],
    pattern: 'confined to some documents',
  },
  'rerank-own': {
    file: 'src/connect/documents/passages.ts',
    find: '|| !ordered.every(isFound)',
    replace: '',
    tests: [DOCUMENTS],
    pattern: 'what it makes up is refused',
  },
  'one-vector-each': {
    file: 'src/connect/documents/embedder.ts',
    find: 'vectors.length === texts.length',
    replace: 'true',
    tests: [DOCUMENTS],
    pattern: 'wrong documents, options and vectors',
  },
}

/** Tools of the client: what is one, and what its answer has to be. */
const CLIENT_ROWS: Readonly<Record<string, Row>> = {
  'no-other-function': {
    file: 'src/tool/ready/client-tool.ts',
    find: "typeof value !== 'function' || OTHER_FUNCTIONS.has(name)",
    replace: "typeof value !== 'object' || name !== ''",
    tests: [CLIENT],
  },
  'not-of-provider': {
    file: 'src/tool/ready/client-tool.ts',
    find: "|| String(fields['type']).startsWith('provider')",
    replace: '',
    tests: [CLIENT],
  },
  'no-approval': {
    file: 'src/tool/ready/client-tool.ts',
    find: 'if (needsApproval !== false)',
    replace: 'if (false)',
    tests: [CLIENT],
  },
  'only-read': {
    file: 'src/tool/ready/client-tool.ts',
    find: "if (risk !== 'read')",
    replace: 'if (false)',
    tests: [CLIENT],
  },
  'answer-schema': {
    file: 'src/tool/ready/client-tool.ts',
    find: '{ schema: answer.outputSchema }',
    replace: '{}',
    tests: [CLIENT, QUESTIONS],
  },
  'refuses-to-run': {
    file: 'src/tool/ready/client-tool.ts',
    find: "throw new MandateError('TOOL_FAILED', `",
    replace: "return undefined as never\n  throw new MandateError('TOOL_FAILED', `",
    tests: [CLIENT],
  },
}

/** Schedules: once however many processes, nothing lost, nobody beyond their rights. */
const SCHEDULE_ROWS: Readonly<Record<string, Row>> = {
  'may-run': {
    file: 'src/agent/schedule/schedule-keeper.ts',
    find: 'else this.#mayRun(schedule.agent, by)',
    replace: '',
    tests: [SCHEDULES],
    pattern: 'is put only by whoever may run',
  },
  'may-wake': {
    file: 'src/agent/schedule/schedule-keeper.ts',
    find: "if (schedule.agent === undefined) await this.#kernel.authorize(by, 'run-agent', schedule.wake!)\n    else this",
    replace: 'if (schedule.agent !== undefined) this',
    tests: [SCHEDULES],
    pattern: 'wakes a run in the name of',
  },
  'replaces-changed': {
    file: 'src/agent/schedule/schedule-keeper.ts',
    find: "for (const { run } of waiting) if (run !== same?.run) await this.#end(run, 'the schedule was changed', by)",
    replace: '',
    tests: [SCHEDULES],
    pattern: 'a change replaces it',
  },
  'same-again': {
    file: 'src/agent/schedule/schedule-keeper.ts',
    find: 'isSame(input.schedule as unknown as Json, schedule as unknown as Json)',
    replace: 'input.at < 0',
    tests: [SCHEDULES],
    pattern: 'is put once',
  },
  'missed-skip': {
    file: 'src/agent/schedule/schedule-mind.ts',
    find: "if (late && schedule.missed === 'skip')",
    replace: 'if (false)',
    tests: [SCHEDULES],
    pattern: 'leaves out what was missed',
  },
  'overlap-skip': {
    file: 'src/agent/schedule/schedule-mind.ts',
    find: "schedule.overlap === 'skip' &&",
    replace: "schedule.overlap === ('never' as string) &&",
    tests: [SCHEDULES],
    pattern: 'leaves out what was missed',
  },
}

const rows = (room: Mutation['room'], part: string, given: Readonly<Record<string, Row>>): readonly Mutation[] =>
  Object.entries(given).map(([name, row]) => ({ id: `${room}.${part}.${name}`, room, ...row }))

/** What is misspelt or of a wrong kind is refused, never ignored. */
const MISSPELT_ROWS: Readonly<Record<string, Row>> = {
  names: {
    file: 'src/gate/mandate/name-check.ts',
    find: 'if (slip === undefined) return',
    replace: 'if (slip !== null) return',
    tests: ['src/agent/misspelt-names.test.ts'],
  },
  answer: {
    file: 'src/run/approvals/ask.ts',
    find: 'if (problem !== undefined) throw',
    replace: 'if (false) throw',
    tests: ['src/agent/approval-answers.test.ts'],
  },
  schema: {
    file: 'src/tool/libraries/schema-source.ts',
    find: 'if (problem !== undefined) throw',
    replace: 'if (false) throw',
    tests: ['src/tool/json-schema/schema-problem.test.ts'],
  },
}

export const FEATURE_MUTATIONS: readonly Mutation[] = [
  ...rows('connect', 'documents', DOCUMENT_ROWS),
  ...rows('tool', 'client', CLIENT_ROWS),
  ...rows('agent', 'schedule', SCHEDULE_ROWS),
  ...rows('agent', 'misspelt', MISSPELT_ROWS),
]
