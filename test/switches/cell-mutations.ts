import { posix } from 'node:path'
import type { Mutation } from './mutation.ts'

type Row = readonly [name: string, file: string, find: string, replace: string, tests: string, pattern?: string]

const LIMITS = 'src/repl/session/limits.test.ts'
const BUDGET = 'src/repl/session/session-budget.test.ts'
const CONTEXT = 'src/repl/context/context.test.ts'
const FIND = 'src/repl/context/find.test.ts'
const CHUNKS = 'src/repl/context/chunks.test.ts'
const RECORDS = 'src/repl/context/records.test.ts'
const IN_SESSION = 'src/repl/context/session-context.test.ts'
const GRAPHS = 'test/repl/graph-authoring.test.ts'
const CODE_MODE = 'test/repl/code-mode.test.ts'
const GRANTS = 'test/repl/code-mode-grants.test.ts'
const MINDS = 'test/repl/granted-minds.test.ts'
const UNAWAITED = 'test/repl/unawaited-calls.test.ts'
const HOST_TEXT = 'test/repl/host-text-labels.test.ts'
const OWN = 'src/repl/session/session-capabilities.test.ts'
const INTENTS = 'test/repl/cell-intents.test.ts'
const FLOW = 'test/repl/flow.test.ts'
const LAST_CELL = 'src/repl/driver/last-cell.test.ts'
const LIVE = 'src/repl/mind/live-sessions.test.ts'
const TWO = 'test/repl/two-services.test.ts'

const CALLS = 'calls/cell-calls'
const MIND = 'mind/cell-mind'
const SESSION = 'session/repl-session'
const INPUTS = 'session/session-inputs'

/** One for each field of the policy, and more where a field holds in two places. */
const POLICY: readonly Row[] = [
  ['maxOperations', MIND, 'ENDLESS_FUEL : policy.maxOperations /', 'ENDLESS_FUEL : 1e9 /', LIMITS, 'maxOperations'],
  ['maxIterations', MIND, 'if (cells >= maxIterations)', 'if (false)', LIMITS, 'maxIterations'],
  ['maxScriptBytes', MIND, 'return bytes <= maxScriptBytes', 'return true', LIMITS, 'maxScriptBytes'],
  ['maxScriptBytes.graph', 'graphs/graph-calls', 'if (bytes > maxScriptBytes)', 'if (false)', LIMITS, 'for a graph'],
  ['maxOutputBytes', CALLS, 'if (this.#given + bytes > maxOutputBytes)', 'if (false)', LIMITS, 'maxOutputBytes'],
  ['maxOutputBytes.answer', CALLS, 'this.#give(utf8Bytes(text))\n', '', LIMITS, 'whatever else'],
  ['maxOutputBytes.emit', CALLS, 'this.#give(utf8Bytes(name) + ', 'void (', LIMITS, 'whatever else'],
  ['maxOutputBytes.error', 'mind/cell-output', 'text.length <= ERROR_CHARS', 'true', LIMITS, 'an error says'],
  [
    'maxOutputBytes.value',
    'mind/cell-output',
    'if (bytes <= maxOutputBytes) return end',
    'return end',
    LIMITS,
    'maxOutputBytes',
  ],
  ['maxModelCalls', CALLS, "model: 'maxModelCalls',", "model: 'maxMemoryBytes',", LIMITS, 'maxModelCalls'],
  ['maxAgentCalls', CALLS, "agent: 'maxAgentCalls',", "agent: 'maxMemoryBytes',", LIMITS, 'maxAgentCalls'],
  ['maxToolCalls', CALLS, "tool: 'maxToolCalls',", "tool: 'maxMemoryBytes',", LIMITS, 'maxToolCalls'],
  ['maxGraphCalls', CALLS, "graph: 'maxGraphCalls',", "graph: 'maxMemoryBytes',", LIMITS, 'maxGraphCalls'],
  [
    'maxGraphDefinitions',
    CALLS,
    "if (defines === true) this.#checkLimit('definition')",
    '',
    GRAPHS,
    'counts definitions',
  ],
  ['maxContextCalls', CALLS, "context: 'maxContextCalls',", "context: 'maxMemoryBytes',", IN_SESSION, 'counted'],
  ['maxDepth', CALLS, 'planned.isRun === true && isTooDeep(context, policy)', 'false', LIMITS, 'maxDepth'],
  ['maxDepth.rlm', CALLS, 'isDeepest: isTooDeep(context, policy)', 'isDeepest: false', GRAPHS, 'greatest depth'],
  ['timeoutMs', MIND, 'timeoutMs === 0 ? {} : { timeMs: timeoutMs }', '{}', BUDGET, 'is that of its policy'],
  [
    'timeoutMs.code-mode',
    '../agent/loop/cell-turn',
    'cells.timeoutMs === 0 ? {}',
    'true ? {}',
    CODE_MODE,
    'limit of time',
  ],
  ['maxConcurrency', MIND, 'parallelCalls: policy.maxConcurrency,', '', LIMITS, 'maxConcurrency'],
  [
    'maxConcurrency.batch',
    CALLS,
    'Math.min(policy.maxConcurrency, started.length)',
    'started.length',
    LIMITS,
    'maxConcurrency',
  ],
  [
    'generatedGraphsRequireReview',
    'graphs/graph-calls',
    'permit === undefined && this.#policy.generatedGraphsRequireReview',
    'false',
    GRAPHS,
    'waits for the review',
  ],
  [
    'shownChars',
    SESSION,
    'observation(result, this.#policy.shownChars)',
    'observation(result, 1e9)',
    LIMITS,
    'shownChars',
  ],
  ['plainChars', 'calls/rlm-query', '|| length <= plainChars', '', LIMITS, 'plainChars'],
  ['maxMemoryBytes', MIND, 'Math.min(policy.maxMemoryBytes,', 'Math.min(2 ** 40,', LIMITS, 'maxMemoryBytes'],
]

const BUDGETS: readonly Row[] = [
  [
    'budget.memory',
    MIND,
    'context.fuel.memoryMax ?? Number.POSITIVE_INFINITY',
    'Number.POSITIVE_INFINITY',
    BUDGET,
    'memory',
  ],
  ['budget.session', SESSION, 'if (this.#budget.isLimited) this.#budget.count(', 'void (', BUDGET, 'one for all'],
  ['budget.restart', SESSION, 'if (end !== undefined) this.#budget.count(end)', '', BUDGET, 'another process'],
  ['budget.fork', SESSION, 'fork.#budget.add(spent)', '', BUDGET, 'fork'],
  ['budget.fork-restart', SESSION, 'if (spent !== undefined) this.#budget.add(spent)', '', BUDGET, 'fork'],
]

const GUARDS: readonly Row[] = [
  ['limits-are-fatal', CALLS, "(info.code === 'LIMIT_EXCEEDED' ? { fatal: true } : {})", '{}', LIMITS, 'maxToolCalls'],
  ['budget-is-fatal', CALLS, "outcome.rule.startsWith('budget/')", 'false', BUDGET, 'got around'],
  ['granted', CALLS, 'if (refused === undefined) return call', 'return call', LIMITS, 'not granted'],
  [
    'granted.agents',
    'calls/grants',
    "if (kind === 'agent') return unlessAmong(agents, kind, name)",
    '',
    GRANTS,
    'asks only',
  ],
  [
    'granted.held',
    CALLS,
    ': this.#granted(plainTool(name, input))',
    ': plainTool(name, input)',
    MINDS,
    'a variable holds',
  ],
  ['granted.drafts', 'graphs/graph-calls', ', ...this.#notGranted(blueprint)', '', GRANTS, 'compiles no graph'],
  [
    'granted.graphs',
    'calls/grants',
    "kind === 'graph' && !graphs.has(name)",
    'false',
    GRANTS,
    'that its own graph names',
  ],
  [
    'granted.programs',
    'calls/grants',
    "if (kind === 'program') return unlessAmong(programs, kind, name)",
    '',
    GRANTS,
    'that its own graph names',
  ],
  [
    'granted.graphs.code-mode',
    '../agent/loop/cell-turn',
    '...(graphs.length === 0 ? {} :',
    '...(true ? {} :',
    MINDS,
    'are functions of its cells',
  ],
  ['granted.arguments', 'calls/run-calls', 'input: { $args: given }', 'input: given', MINDS, 'takes no fuel'],
  [
    'granted.reach',
    '../agent/service/service-upkeep',
    'if (unknown === undefined) continue',
    'continue',
    MINDS,
    'is refused under a name',
  ],
  [
    'granted.names',
    '../agent/config/config',
    'if (other !== kind) throw',
    'if (false) throw',
    MINDS,
    'is refused under a name',
  ],
  [
    'finished-calls',
    '../vm/machine/machine',
    'main.state !== PENDING && !this.#isOwed',
    'main.state !== PENDING',
    UNAWAITED,
    'is finished before',
  ],
  [
    'finished-calls.race',
    '../vm/machine/promises/unfinished',
    'else if (waiter.isRacer !== true) return true',
    'else return true',
    UNAWAITED,
    'lost a race',
  ],
  [
    'granted.graph-run',
    'calls/run-calls',
    'if (refused !== undefined) return',
    'if (false) return',
    GRANTS,
    'a graph of the host',
  ],
  [
    'granted.register',
    'graphs/graph-calls',
    'if (refused !== undefined) throw',
    'if (false) throw',
    GRANTS,
    'registers',
  ],
  [
    'granted.agents.code-mode',
    '../agent/loop/cell-turn',
    'agents: [...loop.pins.agents, ...(loop.pins.spawns ?? [])].map((agent) => agent.name),',
    'agents: undefined as never,',
    GRANTS,
    'asks only',
  ],
  [
    'granted.code-mode',
    'mind/cell-functions',
    'if (input?.tools !== undefined) return',
    'if (false) return',
    CODE_MODE,
    'not its own',
  ],
  [
    'graph-tools',
    'calls/run-calls',
    'if (GRAPH_TOOLS.has(name)) throw',
    'if (false) throw',
    LIMITS,
    'behind functions',
  ],
  ['compiled-first', 'graphs/graph-calls', 'if (!draft.compiled)', 'if (false)', GRAPHS, 'resolver'],
  [
    'one-at-a-time',
    SESSION,
    'if (this.#running !== undefined || this.#isOpening)',
    'if (false)',
    LIMITS,
    'one cell at a time',
  ],
  [
    'one-process',
    SESSION,
    'runId: cellRunId(this.name, this.id, place),',
    '',
    'test/repl/durable-sessions.test.ts',
    'two processes',
  ],
  ['waiting-first', SESSION, 'if (this.#open !== undefined)\n', 'if (false)\n', LIMITS, 'while a cell waits'],
  ['reserved', INPUTS, 'if (RESERVED.has(name))', 'if (false)', LIMITS, 'not reserved'],
  ['variable-name', INPUTS, 'if (!/^[\\p{ID_Start}$_]', 'if (false && !/^[\\p{ID_Start}$_]', LIMITS, 'not reserved'],
  ['undo-count', SESSION, 'if (cells > all.length)', 'if (false)', LIMITS, 'to undo'],
  [
    'fork-at',
    SESSION,
    'if (options.at !== undefined) await this.#checkCell(options.at)',
    '',
    'src/repl/session/fork-session.test.ts',
    'refused at once',
  ],
  ['fork-id', SESSION, 'if (fork.#place > 0) throw', 'if (false) throw', LIMITS, 'to undo'],
  ['last-cell', 'driver/last-cell', '.filter(({ run }) => !bases.has(run))', '', 'src/repl/driver/last-cell.test.ts'],
  [
    'intent-risk',
    '../gate/content/intents',
    'RISKS.indexOf(intent.riskLevel) > RISKS.indexOf(before.riskLevel)',
    'true',
    INTENTS,
    'riskier',
  ],
  [
    'intent-scope',
    '../agent/loop/cell-turn',
    'parseDeclared(context, said.text)',
    '{ intents: [], problems: [] }',
    INTENTS,
    'covers every call',
  ],
  ['labels-of-source', MIND, 'labels: this.#host.isScript ? [] : this.#given', 'labels: []', FLOW, 'of the source'],
  [
    'labels-of-session',
    MIND,
    'if (!this.#followsLabels) this.#context.admit(',
    'if (false) this.#context.admit(',
    FLOW,
    'of all that a session',
  ],
  ['labels-of-history', 'mind/cell-chain', 'end?.data.labels ?? []', '[]', HOST_TEXT, 'a cell in `history`'],
  ['labels-of-output', MIND, 'context.admit(end.reached)', '', HOST_TEXT, 'of an earlier one'],
  ['labels-of-variables', MIND, 'context.admit(before.labels)', '', HOST_TEXT, 'of an earlier one'],
  [
    'labels-of-graphs',
    '../graph/runtime/graph-mind',
    'mind.blueprint.provenance?.labels ?? []',
    '[]',
    HOST_TEXT,
    'written from',
  ],
  [
    'labels-of-reviewed-graphs',
    '../graph/review/graph-reviews',
    'requested?.blueprint.provenance?.labels',
    '[]',
    HOST_TEXT,
    'reviewed',
  ],
  [
    'labels-of-context',
    MIND,
    'labels: joinLabels(labels, facts.labels), isHandle',
    'labels, isHandle',
    IN_SESSION,
    'tell nothing of a context',
  ],
  [
    'own-mandate',
    'mind/register-cells',
    'return this.#sessions.get(id)?.mind ?? this.#registered',
    'return [...this.#sessions.values()].at(-1)?.mind',
    OWN,
    'its mandate',
  ],
  [
    'unopened-session',
    '../run/kernel/registry',
    ': mind.ofSession(sessionId)',
    ': mind.ofSession(sessionId) ?? mind',
    OWN,
    'in no other',
  ],
  [
    'code-mode.iterations',
    'driver/code-mode',
    "options.policy !== undefined && 'maxIterations' in options.policy",
    'false',
    CODE_MODE,
    'cannot be meant',
  ],
  [
    'code-mode.shown',
    'driver/code-mode',
    'observation({ ...output, error }, this.#settings.policy.shownChars)',
    'observation({ ...output, error }, 1e9)',
    CODE_MODE,
    'cuts what it shows',
  ],
  [
    'code-mode.own-variables',
    'driver/code-mode',
    '&& context.depth === OF_ROOT',
    '',
    CODE_MODE,
    'each with its own variables',
  ],
]

const CONTEXTS: readonly Row[] = [
  ['context.size', 'page-index', 'if (size <= CONTEXT_BYTES_MAX) return size', 'return size', CONTEXT, 'too large'],
  [
    'context.unchanged',
    'paged-text',
    'if (sha256(content) !== this.index.hashes[index]) throw',
    'if (false) throw',
    CONTEXT,
    'that changed',
  ],
  [
    'context.reference',
    'context',
    'if (!view.text.index.hash.startsWith(named.hash)) throw',
    'if (false) throw',
    CONTEXT,
    'other content',
  ],
  [
    'context.same-in-session',
    '../session/session-inputs',
    'if (facts.ref !== before.ref) throw',
    'if (false) throw',
    IN_SESSION,
    'refuses another one',
  ],
  ['context.slice-chars', 'text-view', 'if (end - start > RESULT_CHARS_MAX)', 'if (false)', CONTEXT, 'does not fit'],
  ['context.lines', 'text-view', 'if (last - first > RESULT_ITEMS_MAX)', 'if (false)', CONTEXT, 'does not fit'],
  [
    'context.records',
    'records',
    'if (ranges.length > RESULT_ITEMS_MAX)',
    'if (false)',
    RECORDS,
    'more than one result',
  ],
  ['context.record-chars', 'records', 'if (chars > RESULT_CHARS_MAX)', 'if (false)', RECORDS, 'more than one result'],
  ['context.chunks', 'chunks', 'if ((end - start) / size > CHUNKS_MAX)', 'if (false)', CHUNKS, 'too many parts'],
  ['context.chunk-ranges', 'chunks', 'if (ranges.length > CHUNKS_MAX)', 'if (false)', CHUNKS, 'too many parts'],
  [
    'context.pattern-chars',
    'pattern',
    'if (source.length > PATTERN_CHARS_MAX) throw',
    'if (false) throw',
    FIND,
    'that is wrong',
  ],
  ['context.text-chars', 'pattern', 'if (wanted.length > PATTERN_CHARS_MAX)', 'if (false)', FIND, 'that is wrong'],
  ['context.match-chars', 'match-stream', 'if (chars <= MATCH_CHARS_MAX) return', 'return', FIND, 'across the border'],
  [
    'context.look-behind',
    'match-stream',
    'if (matcher.isAtStart && base > 0) throw',
    'if (false) throw',
    FIND,
    'look-behind',
  ],
  ['context.tally', 'find', 'if (counts.size > TALLY_VALUES_MAX)', 'if (false)', FIND, 'distinct values'],
  [
    'context.range',
    'context',
    'throw badCall(`The range from',
    'badCall(`The range from',
    CONTEXT,
    'outside of itself',
  ],
]

/** What a process keeps of sessions in memory. */
const LIVE_CACHE: readonly Row[] = [
  [
    'live.stored',
    'mind/live-sessions',
    'const isValid = summary?.head.hash === kept.hash && !summary.erased',
    'const isValid = true',
    LIVE,
    'ended otherwise',
  ],
  [
    'live.state',
    'mind/live-sessions',
    'if (!isSameState(stateOf(end), live.state)) return',
    '',
    LIVE,
    'ended otherwise',
  ],
  ['live.once', 'mind/live-sessions', 'if (isTaken || !isValid)', 'if (!isValid)', LIVE, 'once'],
  ['live.bytes', 'mind/live-sessions', 'if (this.#bytes <= this.#maxBytes) return', 'return', LIVE, 'so many bytes'],
  ['live.filled', 'mind/live-sessions', 'live.cells.clearFilled()', '', LIVE, 'as its context'],
  ['live.close', MIND, " && this.#input.op !== 'close'", '', LIVE, 'a closed session'],
  ['live.forget', SESSION, '    this.#release()\n  }', '  }', LIVE, 'a closed session alone'],
  ['live.release', 'driver/code-mode', 'mind.release(run)', 'void mind', LIVE, 'finished run'],
  ['last-cell.forks', 'driver/last-cell', '?.forkOf !== undefined)', '?.forkOf === null)', LAST_CELL, 'a fork'],
  ['last-cell.origin', 'driver/last-cell', 'roots.get(parent)! < before', 'true', LAST_CELL, 'a fork'],
  ['session.forks', SESSION, 'if (start?.forkOf !== undefined) continue', '', TWO, 'made by the service'],
]

function rows(list: readonly Row[], folder: string): readonly Mutation[] {
  return list.map(([name, file, find, replace, tests, pattern]) => ({
    id: `cells.${name}`,
    room: 'repl',
    file: posix.join(folder, `${file}.ts`),
    find,
    replace,
    tests: [tests],
    pattern,
  }))
}

/** Cells: their limits, what they cannot reach, and the contexts that they read in parts. */
export const CELL_MUTATIONS: readonly Mutation[] = [
  ...rows([...POLICY, ...BUDGETS, ...GUARDS, ...LIVE_CACHE], 'src/repl'),
  ...rows(CONTEXTS, 'src/repl/context'),
]
