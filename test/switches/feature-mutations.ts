import type { Mutation } from './mutation.ts'

type Row = Omit<Mutation, 'room' | 'id'>

const DOCUMENTS = 'src/connect/documents/documents.test.ts'
const EMBEDDING = 'test/connect/documents.test.ts'
const CLIENT = 'src/tool/ready/client-tool.test.ts'
const QUESTIONS = 'src/agent/questions.test.ts'
const STORED_SESSION = 'src/agent/session/stored-session.test.ts'
const WINDOW = 'src/agent/transcript/history-window.test.ts'
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

/** Windows over a conversation: what every request holds whatever its limits are. */
const WINDOW_ROWS: Readonly<Record<string, Row>> = {
  question: {
    file: 'src/agent/transcript/history-window.ts',
    find: '(at < start && !isSummary ? [message] : [])',
    replace: '(at < -1 && !isSummary ? [message] : [])',
    tests: [WINDOW],
  },
  'summarized-question': {
    file: 'src/agent/transcript/history-window.ts',
    find: '(at < 0 ? [message] : [])',
    replace: '(at < -1 ? [message] : [])',
    tests: [WINDOW],
  },
  'user-first': {
    file: 'src/agent/transcript/history-window.ts',
    find: "role === 'user' || (isLed && role !== 'tool')",
    replace: "isLed || role !== 'tool'",
    tests: [WINDOW],
  },
  'summary-first': {
    file: 'src/agent/transcript/history-window.ts',
    find: 'kept[0]?.isSummary === true ? 1 : 0',
    replace: '0',
    tests: [WINDOW],
  },
  steering: {
    file: 'src/agent/loop/loop.ts',
    find: 'this.transcript.keepQuestion()\n    this.said',
    replace: 'this.said',
    tests: [WINDOW],
  },
}

/** Sessions that go on from the journal, and the model that an overseer may ask. */
const SESSION_ROWS: Readonly<Record<string, Row>> = {
  'under-way': {
    file: 'src/agent/service/session-history.ts',
    find: "|| state === 'running'",
    replace: '',
    tests: [STORED_SESSION],
    pattern: 'not from one that is under way',
  },
  'no-fork': {
    file: 'src/agent/service/session-history.ts',
    find: 'start === undefined || start.forkOf !== undefined',
    replace: 'start === undefined',
    tests: [STORED_SESSION],
    pattern: 'a fork',
  },
  'erased-said': {
    file: 'src/agent/service/session-history.ts',
    find: 'if (summary.erased) throw erased(sessionId, run)',
    replace: 'if (summary.erased) return undefined',
    tests: [STORED_SESSION],
    pattern: 'has been erased',
  },
  'same-millisecond': {
    file: 'src/agent/service/session-history.ts',
    find: 'candidate.told > (newest?.told ?? -1)',
    replace: 'newest === undefined',
    tests: [STORED_SESSION],
    pattern: 'one millisecond',
  },
  'own-memory': {
    file: 'src/agent/service/agent-runs.ts',
    find: '&& host.agent(agentId).memory === undefined',
    replace: '',
    tests: [STORED_SESSION],
    pattern: 'with a memory',
  },
  cleared: {
    file: 'src/agent/session/session.ts',
    find: '|| this.#isCleared)',
    replace: ')',
    tests: [STORED_SESSION],
    pattern: 'only what the caller gives',
  },
  'overseer-model': {
    file: 'src/run/performers/model.ts',
    find: "origin === 'overseer' ? findJudge(host.registry, mandates, name) : undefined",
    replace: 'undefined',
    tests: ['src/agent/service/overseer-model.test.ts'],
  },
}

/** Operations of a service: in whose name they act. */
const SERVICE_ROWS: Readonly<Record<string, Row>> = {
  'stored-end': {
    file: 'src/agent/service/run-observer.ts',
    find: "outcome === undefined || outcome.state === 'suspended' ? undefined : ",
    replace: '',
    tests: ['src/agent/service/run-observer.test.ts'],
  },
  'extra-arguments': {
    file: 'src/agent/service/exact-arguments.ts',
    find: 'if (most === undefined || args.length <= most) return',
    replace: 'return',
    tests: ['src/agent/service/service-as.test.ts'],
    pattern: 'arguments that an operation does not take',
  },
}

/** What a process keeps in memory of conversations. */
const CACHE_ROWS: Readonly<Record<string, Row>> = {
  blocks: {
    file: 'src/chat/conversation/conversation-keeper.ts',
    find: 'if (this.#chars <= CACHED_CHARS) return',
    replace: 'return',
    tests: ['src/chat/conversation/conversation-keeper.test.ts'],
  },
}

/** The inbox: what is still open. */
const INBOX_ROWS: Readonly<Record<string, Row>> = {
  answered: {
    file: 'src/run/inbox/open-requests.ts',
    find: 'if (!answered.has(seq)) ',
    replace: '',
    tests: ['src/run/approvals/approval-requests.test.ts'],
    pattern: 'no longer asked for',
  },
  'answered-validly': {
    file: 'src/run/approvals/approval-requests.ts',
    find: '&& isTaken(signal, approvals.get(seq), mandates)',
    replace: '',
    tests: ['src/run/approvals/approval-requests.test.ts'],
    pattern: 'no longer asked for',
  },
}

const RECORDED = 'src/evals/recorded-eval.test.ts'

/** Evals: their runs are nobody's to see or answer, and a repeated run does nothing. */
const EVAL_ROWS: Readonly<Record<string, Row>> = {
  'attempts-apart': {
    file: 'src/evals/evaluate.ts',
    find: 'const apart = evaluationService(service)',
    replace: 'const apart = service',
    tests: [RECORDED],
    pattern: 'in no list, inbox or metric',
  },
  'repeated-apart': {
    file: 'src/evals/recorded-eval.ts',
    find: 'const service = evaluationService(recorded)',
    replace: 'const service = recorded',
    tests: [RECORDED],
    pattern: 'in no list, inbox or metric',
  },
  'no-events': {
    file: 'src/agent/service/evaluation-service.ts',
    find: '  sinks: undefined,\n',
    replace: '',
    tests: [RECORDED],
    pattern: 'in no list, inbox or metric',
  },
  'recorded-data': {
    file: 'src/run/performers/data.ts',
    find: 'if (recorded !== undefined)',
    replace: 'if (false)',
    tests: [RECORDED],
    pattern: 'memory and embeddings',
  },
  'reports-unlisted': {
    file: 'src/run/inbox/run-control.ts',
    find: ' && (name !== EVAL_REPORT || asked === EVAL_REPORT)',
    replace: '',
    tests: [RECORDED],
    pattern: 'in no list, inbox or metric',
  },
}

const OPTIONAL = 'src/core/installed/optional-package.test.ts'

/** Packages and files that bundlers do not see. */
const INSTALLED_ROWS: Readonly<Record<string, Row>> = {
  'known-packages': {
    file: 'src/core/installed/optional-package.ts',
    find: "checkFields(packages, 'an optional package', OPTIONAL)",
    replace: 'void checkFields',
    tests: [OPTIONAL],
  },
  'missing-itself': {
    file: 'src/core/installed/optional-package.ts',
    find: 'return isAbsent && message.includes(name)',
    replace: 'return isAbsent',
    tests: [OPTIONAL],
  },
  'never-the-bundle': {
    file: 'src/core/installed/started-file.ts',
    find: 'new RegExp(`/${path}\\\\.[jt]s$`).test(here)',
    replace: 'true',
    tests: [OPTIONAL],
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
  ...rows('agent', 'window', WINDOW_ROWS),
  ...rows('agent', 'session', SESSION_ROWS),
  ...rows('agent', 'service', SERVICE_ROWS),
  ...rows('run', 'inbox', INBOX_ROWS),
  ...rows('chat', 'cache', CACHE_ROWS),
  ...rows('agent', 'eval', EVAL_ROWS),
  ...rows('tool', 'installed', INSTALLED_ROWS),
  ...rows('agent', 'misspelt', MISSPELT_ROWS),
]
