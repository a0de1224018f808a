import type { Mutation } from './mutation.ts'

type Row = Omit<Mutation, 'room' | 'id'> & { readonly limit: string }

const UNPAID = ['test/prices/unpaid-calls.test.ts']

/** What is believed of a provider's account of a call, and what a failed one costs. */
const ACCOUNTS: readonly Omit<Mutation, 'room'>[] = [
  {
    id: 'run.usage.zero-output',
    file: 'src/model/reply.ts',
    find: 'const isOutputZero = told.outputTokens === 0 && content.length > 0',
    replace: 'const isOutputZero = false',
    tests: UNPAID,
    pattern: 'counts as estimated',
  },
  {
    id: 'run.usage.zero-input',
    file: 'src/model/reply.ts',
    find: 'const isInputZero = told.inputTokens === 0 && request !== undefined && request.messages.length > 0',
    replace: 'const isInputZero = false',
    tests: UNPAID,
    pattern: 'counts as estimated',
  },
  {
    id: 'run.usage.not-opened',
    file: 'src/model/unfinished.ts',
    find: 'NOT_SENT.has(code) ||',
    replace: '',
    tests: UNPAID,
    pattern: 'never opened',
  },
  {
    id: 'run.usage.refused',
    file: 'src/model/unfinished.ts',
    find: '|| NOT_ASKED.has(status)',
    replace: '',
    tests: UNPAID,
    pattern: 'a refusal with',
  },
  {
    id: 'run.usage.web-page',
    file: 'src/model/ai-sdk/model-request.ts',
    find: "if (type?.startsWith('text/html') === true) {",
    replace: 'if (false) {',
    tests: UNPAID,
    pattern: 'a web page',
  },
  {
    id: 'run.usage.small-budgets',
    file: 'src/model/prices/output-tokens.ts',
    find: 'return Math.max(share, Math.min(wanted, REPLY_MIN))',
    replace: 'return Math.max(share, Math.min(wanted, UNKNOWN_OUTPUT))',
    tests: UNPAID,
    pattern: 'a small budget',
  },
  {
    id: 'run.usage.attempts-told',
    file: 'src/run/effect/retry-wait.ts',
    find: "if (number === 1 || outcome.status !== 'failed') return ending",
    replace: 'if (true) return ending',
    tests: UNPAID,
    pattern: 'an outage',
  },
]

/** Every technical ceiling of one run. */
const LIMITS: readonly Row[] = [
  {
    limit: 'parallel',
    file: 'src/run/lifecycle/active-run.ts',
    find: 'new Slots(parts.limits.parallel,',
    replace: 'new Slots(Number.MAX_SAFE_INTEGER,',
    tests: ['src/run/effect/attempt.test.ts'],
    pattern: 'in flight than the limit',
  },
  {
    limit: 'toolTimeoutMs',
    file: 'src/run/performers/tool.ts',
    find: '?.timeoutMs ?? run.limits.toolTimeoutMs',
    replace: '?.timeoutMs',
    tests: ['src/run/effect/attempt.test.ts'],
    pattern: 'toolTimeoutMs',
  },
  {
    limit: 'modelTimeoutMs',
    file: 'src/run/performers/model.ts',
    find: 'timeoutMs: (_effect, run) => run.limits.modelTimeoutMs',
    replace: 'timeoutMs: () => undefined',
    tests: ['src/agent/config/models.test.ts'],
  },
  {
    limit: 'resultBytes',
    file: 'src/run/performers/tool.ts',
    find: 'resultBytes: (effect, run) => toolOf(effect, run)?.maxResultBytes ?? run.limits.resultBytes',
    replace: 'resultBytes: (effect, run) => toolOf(effect, run)?.maxResultBytes ?? Number.MAX_SAFE_INTEGER',
    tests: ['src/run/performers/tool.test.ts'],
    pattern: 'resultBytes',
  },
  {
    limit: 'whole-results',
    file: 'src/run/effect/transform-result.ts',
    find: "new Set(['cell', 'graph', 'program'])",
    replace: 'new Set([])',
    tests: ['test/tools/exact-values.test.ts'],
    pattern: 'never a shorter value',
  },
  {
    limit: 'fileBytes',
    file: 'src/run/files/large-files.ts',
    find: 'media.data !== undefined && bytes > place.maxBytes',
    replace: 'false',
    tests: ['test/files/large-files.test.ts'],
    pattern: 'limit',
  },
  {
    limit: 'inputBytes',
    file: 'src/run/effect/refusals.ts',
    find: 'if (inputSize <= max)',
    replace: 'if (true)',
    tests: ['src/run/approvals/recorded-answers.test.ts'],
    pattern: 'larger than inputs',
  },
  {
    limit: 'attempts',
    file: 'src/run/performers/retry-policy.ts',
    find: 'isPassing && attempt < run.limits.attempts',
    replace: 'isPassing && attempt < 40',
    tests: ['src/agent/config/models.test.ts'],
    pattern: 'allowed attempts',
  },
  {
    limit: 'checkTimeoutMs',
    file: 'src/run/effect/decide.ts',
    find: 'const limitMs = run.limits.checkTimeoutMs',
    replace: 'const limitMs = 2 ** 31 - 1',
    tests: ['test/waits/waits.test.ts'],
    pattern: 'ends by its limit',
  },
  {
    limit: 'stopTimeoutMs',
    file: 'src/run/kernel/stop-report.ts',
    find: 'within(this.#clock, this.#limitMs + moreMs,',
    replace: 'within(this.#clock, 2 ** 31 - 1,',
    tests: ['test/waits/waits.test.ts'],
    pattern: 'ends all the same',
  },
  {
    limit: 'cancelGraceMs',
    file: 'src/run/effect/attempt.ts',
    find: 'clock.timer(run.limits.cancelGraceMs, () => fail(run.abortReason!))',
    replace: 'clock.timer(2 ** 31 - 1, () => fail(run.abortReason!))',
    tests: ['src/run/cancel.test.ts'],
  },
  {
    limit: 'liveSleepMs',
    file: 'src/run/lifecycle/run.ts',
    find: '<= run.limits.liveSleepMs)',
    replace: '<= Number.MAX_SAFE_INTEGER)',
    tests: ['src/run/performers/waits.test.ts'],
    pattern: 'a long one suspends',
  },
  {
    limit: 'approvalTtlMs',
    file: 'src/run/approvals/ask.ts',
    find: 'run.host.clock.now() + run.limits.approvalTtlMs',
    replace: 'Number.MAX_SAFE_INTEGER',
    tests: ['src/run/approvals/approval-requests.test.ts'],
    pattern: 'in time expires',
  },
  {
    limit: 'leaseMs',
    file: 'src/run/lifecycle/lease.ts',
    find: '(isProven && isLive(run))',
    replace: 'isProven',
    tests: ['src/run/lifecycle/lease.test.ts'],
  },
]

/** What keeps an approval of a rule to what it was given for. */
const RULE_APPROVALS: readonly Mutation[] = (
  [
    ['revoked', 'approvals/rule-approvals', 'revoked === undefined && may(', 'may('],
    ['believed', 'approvals/rule-approvals', 'return isBelieved && revoked', 'return revoked'],
    ['approver', 'approvals/rule-approvals', "&& may(note.response.by, 'approve', run.mandates)", ''],
    ['covers', 'approvals/rule-approvals', '&& coversByRule(record.note.response.standing!, call, now)', ''],
    ['list-rights', 'approvals/rule-approvals', "checkAuthority(host, by, 'read-journal')", 'void 0'],
    [
      'signed',
      'approvals/standing-journal',
      'return isSignedAnswer({ run, hash }, response, trustedKeys)',
      'return true',
    ],
    ['imported-journal', 'approvals/service-journal', 'if (!isWithin(summary.imported, entry.seq)) ', ''],
    ['lost-entries', 'approvals/service-journal', 'if (seq < this.#head.seq)', 'if (false)'],
    ['fork', 'approvals/rule-scope', 'if (run.start.forkOf !== undefined) return true', ''],
    ['imported-run', 'approvals/rule-scope', 'if (run.prior.isImported === true) return true', ''],
    ['mandates', 'approvals/rule-scope', 'run.mandates.map((mandate) => mandateHash(mandate))', '[]'],
    ['code', 'approvals/rule-scope', "typeof hash === 'string' ? { code: hash } : {}", '{}'],
    ['definition', 'approvals/rule-scope', 'definition: definitionHash(tool)', "definition: ''"],
    ['after-wait', 'effect/authorize', "typeof lifted === 'object' && (await", "typeof lifted === 'number' && (await"],
    ['reserved-id', 'lifecycle/create-run', 'if (!isServiceJournal(id)) return', 'return'],
  ] as const
).map(([name, file, find, replace]) => ({
  id: `run.rule-approvals.${name}`,
  room: 'run',
  file: `src/run/${file}.ts`,
  find,
  replace,
  tests: ['src/run/approvals/rule-approvals.test.ts'],
}))

/** A run id names one run. */
const SAME_RUN: readonly Mutation[] = (
  [
    ['mind', 'known.mind !== kind || known.name !== name', 'false'],
    ['input', 'if (!hasSameInput(host, spec, known)) throw', 'if (false) throw'],
    ['redacted', 'compared(redactJson(input, inScope(host.redactor, known.sessionId))) === stored', 'false'],
  ] as const
).map(([name, find, replace]) => ({
  id: `run.same-run.${name}`,
  room: 'run',
  file: 'src/run/kernel/same-run.ts',
  find,
  replace,
  tests: ['src/run/kernel/same-run.test.ts'],
}))

/** Nobody enters the session of another. */
const SESSION_OWNER: readonly Mutation[] = (
  [
    ['start', 'run/kernel/session-owner', 'if (sessionId === undefined) return', 'return', 'session-owner'],
    ['fork', 'run/kernel/session-owner', '&& forkOf === undefined', '&& (true || forkOf)', 'session-owner'],
    ['import', 'run/kernel/session-owner', 'imported === undefined &&', '(true || imported) &&', 'session-owner'],
    ['delivery', 'run/kernel/session-owner', "mind !== 'program' ||", '(true || mind) ||', 'session-owner'],
    ['erased', 'run/kernel/session-owner', '?? null\n', '\n', 'session-owner'],
    ['run-id', 'agent/service/agent-runs', '{ sessionId = options.runId }', '{ sessionId }', 'service-as'],
  ] as const
).map(([name, file, find, replace, test]) => ({
  id: `run.session-owner.${name}`,
  room: 'run',
  file: `src/${file}.ts`,
  find,
  replace,
  tests: [test === 'service-as' ? 'src/agent/service/service-as.test.ts' : 'src/run/kernel/session-owner.test.ts'],
}))

/** What holds over a child that another process drives. */
const APART: readonly Mutation[] = (
  [
    ['mandates', 'lifecycle/resume-run', 'start.apart === true ? await aboveOf(host, start) : undefined', 'undefined'],
    ['allotment', 'engine/distant-child', '&& allot !== undefined &&', '&&'],
    ['cut', 'engine/distant-child', "else signal.addEventListener('abort', cut)", ''],
    ['lost-parent', 'engine/distant-child', '&& !(await isOwner(parent))', '&& false'],
    ['untaken', 'engine/distant-child', 'if (seq <= seen) await this.#driveHere()', 'if (false) void 0'],
    ['interrupt', 'engine/distant-child', 'this.#stops.push(parent.interruption.on(interrupt), ', 'this.#stops.push('],
  ] as const
).map(([name, file, find, replace]) => ({
  id: `run.apart.${name}`,
  room: 'run',
  file: `src/run/${file}.ts`,
  find,
  replace,
  tests: ['src/run/engine/distant-child.test.ts'],
}))

const MISSING = 'src/agent/service/missing-parts.test.ts'

/** What keeps a process from driving a run that it cannot go on with, from leaving calls in doubt when it ends, and from calling where another one has just taken the last call. */
const DRIVING: readonly Mutation[] = (
  [
    [
      'needs',
      'kernel/needs',
      '.needs?.(pins, input)',
      '.needs?.(pins, input).slice(0, 0)',
      'test/engine/obstacle.test.ts',
    ],
    ['models', 'lifecycle/resume-run', 'problem !== undefined &&', 'false &&', MISSING],
    ['models-cancelled', 'lifecycle/resume-run', 'return signals.some(', 'return [].some(', MISSING],
    [
      'requested',
      'effect/perform',
      'if (record !== undefined && !run.signal.aborted && isGone(request, record)) await standDown(request)',
      '',
      MISSING,
    ],
    ['left-suspended', 'lifecycle/run', 'return breakOff(run, run.broken)', 'return run.fail(run.broken)', MISSING],
    ['other-version', 'lifecycle/run', 'if (isUnfit(result)) return run.fail(result.error)', '', MISSING],
    ['below', 'engine/obstacle', 'await openTree(host.journal, run)', '[run]', 'test/engine/obstacle.test.ts'],
    [
      'drain',
      'kernel/live-runs',
      'if (drainMs === 0) interruptOne(live)',
      'interruptOne(live)\n      if (true) continue',
      'src/run/engine/drain.test.ts',
    ],
    ['kept-start', 'kernel/kernel', '|| isKept({ mind: kind })', '', 'src/run/engine/placement.test.ts'],
    [
      'kept-resume',
      'kernel/planned-run',
      '{ kind: root.mind }',
      "{ kind: 'agent' }",
      'src/run/engine/placement.test.ts',
    ],
    [
      'kept-answer',
      'inbox/run-control',
      'placed !== undefined && isKept(placed)',
      'false',
      'src/run/engine/placement.test.ts',
    ],
    ['stale-proof', 'lifecycle/lease', 'writer.sinceProof() < PROOF_MS &&', '', 'src/run/lifecycle/lease.test.ts'],
    [
      'late-answer',
      'lifecycle/lease',
      'if (isHeld && run.writer.sinceProof() >= PROOF_MS)',
      'if (false)',
      'src/run/lifecycle/lease.test.ts',
    ],
    ['lost-at-secret', 'performers/tool', 'await proveLease(run, true)', 'void 0', 'src/run/lifecycle/lease.test.ts'],
    ['cut-at-secret', 'performers/tool', 'signal.throwIfAborted()', 'void 0', 'src/run/cancel.test.ts'],
    [
      'started-elsewhere',
      'engine/placed-runs',
      'if (spec.mustMatch === true) checkSameRun(this.#host, id, spec, await',
      'if (false) checkSameRun(this.#host, id, spec, await',
      'src/run/engine/placement.test.ts',
    ],
    [
      'overrun',
      'effect/rate-limits',
      'await firstOverrun(counters, queue.counts, now)',
      'undefined as never',
      'src/run/effect/rate-limits.test.ts',
    ],
  ] as const
).map(([name, file, find, replace, test]) => ({
  id: `run.driving.${name}`,
  room: 'run',
  file: `src/run/${file}.ts`,
  find,
  replace,
  tests: [test],
}))

/** What makes the streamed text of a call complete, and keeps it from being heard twice, wherever the run is driven. */
const TEXTS: readonly Mutation[] = (
  [
    ['void', 'run/performers/heard-texts', 'isVoid ? [reset, ...pieces] : pieces', 'pieces', ''],
    ['rest', 'run/performers/heard-texts', 'const more = text.slice(known)', "const more = known > 0 ? '' : text", ''],
    ['own', 'engine/members/text-speaker', 'if (!this.#host.drives(event.runId)) return', '', ''],
    ['end', 'engine/members/text-speaker', 'if (isEnd &&', 'if (false &&', ''],
    ['again', 'engine/members/text-listener', '(offset === 0 && known !== 0)', 'false', ''],
    ['over', 'engine/members/text-listener', '|| this.#over.has(message.run)', '', ''],
    ['late', 'engine/members/text-listener', "if (known === CLOSED) return 'dropped'", '', ''],
    ['answer', 'agent/transcript/unsaid-answer', 'whole.slice(this.#said.length) : whole', "'' : whole", ''],
    [
      'told',
      'run/engine/placed-runs',
      'if (entry.seq > follower.told) this.#tell',
      'if (entry.seq > follower.told) announce(this.#host, follower.start, entry)\n      if (false) this.#tell',
      'src/run/engine/placement.test.ts',
    ],
  ] as const
).map(([name, file, find, replace, test]) => ({
  id: `run.texts.${name}`,
  room: 'run',
  file: `src/${file}.ts`,
  find,
  replace,
  tests: [test === '' ? `src/${file}.test.ts` : test],
}))

export const RUN_MUTATIONS: readonly Mutation[] = [
  ...TEXTS,
  ...LIMITS.map(({ limit, ...row }): Mutation => ({ id: `run.${limit}`, room: 'run', ...row })),
  ...ACCOUNTS.map((row): Mutation => ({ room: 'run', ...row })),
  ...RULE_APPROVALS,
  ...SAME_RUN,
  ...SESSION_OWNER,
  ...APART,
  ...DRIVING,
]
