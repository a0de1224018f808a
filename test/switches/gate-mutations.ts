import type { Mutation } from './mutation.ts'

const guard = (name: string, check: string): Mutation => ({
  id: `gate.${name}`,
  room: 'gate',
  file: `src/gate/guards/${name}.ts`,
  find: `check: ${check}`,
  replace: 'check: () => undefined',
  tests: [`src/gate/guards/${name}.test.ts`],
})

/** Every guard of the gate, as a whole. */
const GUARDS: readonly Mutation[] = [
  guard('role', 'checkRole'),
  guard('allowlist', 'checkAllowlist'),
  guard('schema', 'checkSchema'),
  guard('intent', 'checkIntent'),
  guard('risk', 'checkRisk'),
  guard('profile', 'checkProfile'),
  guard('rules', 'checkRules'),
  guard('rate', 'checkRate'),
  guard('content', 'checkContent'),
  guard('flow', 'checkFlow'),
  guard('reveal', 'checkReveal'),
  guard('budget', 'checkBudget'),
  guard('overseer', 'checkOverseer'),
]

type Part = readonly [name: string, find: string, replace: string]

const partsOf = (guardName: string, parts: readonly Part[]): Mutation[] =>
  parts.map(([name, find, replace]) => ({
    id: `gate.${guardName}.${name}`,
    room: 'gate',
    file: `src/gate/guards/${guardName}.ts`,
    find,
    replace,
    tests: [`src/gate/guards/${guardName}.test.ts`],
  }))

/** What a guard looks at, one by one. */
const PARTS: readonly Mutation[] = [
  ...partsOf('role', [
    ['agents-never-approve', "if (permission === 'approve' && identity.agent === true)", 'if (false)'],
  ]),
  ...partsOf('allowlist', [
    ['deny', 'if (isDenied(mandate, kind, name))', 'if (false)'],
    ['unknown', 'if (!facts.known)', 'if (false)'],
    ['allow', 'if (!isAllowed(mandate, kind, name))', 'if (false)'],
    ['grant', 'if (facts.safeByDefault === false &&', 'if (false &&'],
  ]),
  ...partsOf('intent', [['of-this-call', 'if (read.toolName === name)', 'if (true)']]),
  ...partsOf('profile', [
    ['risk', 'if (action !== undefined)', 'if (false)'],
    ['call-cap', "if (kind === 'tool' && view.toolCalls >= cap)", 'if (false)'],
    ['needs-approval', 'return asks ?', 'return false ?'],
  ]),
  ...partsOf('profile', [
    ['store-writes', "if (kind !== 'tool' && !isStoreWrite(kind, view.input))", "if (kind !== 'tool')"],
  ]),
  ...partsOf('content', [
    ['prompts', "if (effect.kind === 'model' || effect.kind === 'embed') return 'prompt'", ''],
    ['tool-inputs', "if (effect.kind === 'tool') return 'tool-input'", ''],
    [
      'store-writes',
      "return isStoreWrite(effect.kind, input) ? 'memory-write' : undefined",
      'return void [input] as undefined',
    ],
  ]),
  ...partsOf('rate', [['uncounted', 'if (counts === undefined)', 'if (false)']]),
  ...partsOf('flow', [['once', 'reason, once: true }', 'reason }']]),
  ...partsOf('budget', [
    ['price', "if (facts.unpriced !== undefined && budget.isLimited('money'))", 'if (false)'],
    ['depth', 'limit !== undefined && depth + 1 > limit', 'false'],
  ]),
  ...partsOf('overseer', [
    ['tokens', 'if (oversight.tokens > max)', 'if (false)'],
    ['repeats', 'if (repeats < maxRepeats)', 'if (true)'],
    ['drift', 'if (drift === undefined || oversight!.drift < max)', 'if (true)'],
    ['unanswered', "|| drift.onFailure === 'allow' || !oversight!.isUnchecked)", '|| true)'],
    ['pace', 'if (calls <= max)', 'if (true)'],
  ]),
]

interface Place {
  readonly tests: readonly string[]
  readonly pattern?: string | undefined
}

/** Where a run, not only a `Budget`, is held to each unit. */
const UNIT_TESTS: Readonly<Record<string, Place>> = {
  steps: { tests: ['src/gate/budget/budget.test.ts'] },
  modelCalls: { tests: ['src/run/attempt-budget.test.ts'], pattern: 'modelCalls' },
  toolCalls: { tests: ['src/run/attempt-budget.test.ts'], pattern: 'toolCalls' },
  inputTokens: { tests: ['src/run/performers/model.test.ts'], pattern: 'the limit `inputTokens`' },
  outputTokens: { tests: ['src/run/performers/model.test.ts'], pattern: 'the limit `outputTokens`' },
  totalTokens: { tests: ['src/run/performers/model.test.ts'], pattern: 'the limit `totalTokens`' },
  money: { tests: ['src/run/attempt-budget.test.ts'], pattern: 'money' },
  timeMs: { tests: ['src/gate/budget/budget.test.ts'], pattern: 'time passes' },
  outputBytes: { tests: ['src/run/performers/tool.test.ts'] },
  storeWrites: { tests: ['src/run/performers/storing.test.ts'] },
}

const UNITS: readonly Mutation[] = Object.entries(UNIT_TESTS).map(([unit, place]) => ({
  id: `budget.${unit}`,
  room: 'gate',
  file: 'src/gate/budget/budget.ts',
  find: 'if (limit === Number.POSITIVE_INFINITY || i === DEPTH) continue',
  replace: `if (limit === Number.POSITIVE_INFINITY || i === DEPTH || BUDGET_UNITS[i] === '${unit}') continue`,
  ...place,
}))

const BUDGET: readonly Mutation[] = [
  ...UNITS,
  {
    id: 'budget.depth',
    room: 'gate',
    file: 'src/gate/budget/budget.ts',
    find: 'return deepest === Number.POSITIVE_INFINITY ? undefined : deepest',
    replace: 'return undefined',
    tests: ['src/gate/budget/budget.test.ts'],
    pattern: 'depth',
  },
  // Programs are given what is left of these two before they begin.
  {
    id: 'budget.fuel',
    room: 'gate',
    file: 'src/run/mind/fuel.ts',
    find: 'budget.remaining().fuel ?? Number.POSITIVE_INFINITY',
    replace: 'Number.POSITIVE_INFINITY',
    tests: ['src/vm/mind/fuel-budget.test.ts'],
  },
  {
    id: 'budget.memory',
    room: 'gate',
    file: 'src/run/mind/fuel.ts',
    find: 'return budget.remaining().memory',
    replace: 'return undefined',
    tests: ['src/vm/mind/fuel-budget.test.ts'],
  },
  {
    id: 'budget.levels-above',
    room: 'gate',
    file: 'src/gate/budget/budget.ts',
    find: 'this.parent === undefined ? [this] : [this, ...this.parent.#levels]',
    replace: '[this]',
    tests: ['src/gate/budget/budget.test.ts'],
  },
  {
    id: 'budget.credible-cost',
    room: 'gate',
    file: 'src/gate/budget/budget.ts',
    find: 'if (isCredible(actual)) return actual',
    replace: 'if (true) return actual',
    tests: ['src/gate/budget/budget.test.ts'],
    pattern: 'not believed',
  },
]

/** What an answer must be to lift anything, and what it then covers. */
const ANSWERS: readonly Mutation[] = (
  [
    [
      'authority',
      'approvals/approval-responses',
      "if (may(by, 'approve', mandate)) return undefined",
      'if (true) return undefined',
    ],
    [
      'once',
      'approvals/approval-responses',
      'if (response !== undefined) {\n    return refuse(',
      'if (false) {\n    return refuse(',
    ],
    ['expiry', 'approvals/approval-responses', 'if (now >= data.expiresAt) return', 'if (false) return'],
    ['hash', 'approvals/approval-responses', 'if (hash !== undefined && hash !== data.hash)', 'if (false)'],
    ['fitting', 'approvals/approval-responses', 'if (!fitting.includes(answer))', 'if (false)'],
    [
      'wish-risk',
      'approvals/approval-responses',
      "if (riskMax !== undefined && !(riskRank(riskMax) <= riskRank(request.risk ?? 'read')))",
      'if (false)',
    ],
    [
      'rule-bound',
      'approvals/approval-responses',
      "if (scope === 'rule' && request.binding === undefined)",
      'if (false)',
    ],
    [
      'rule-expiry',
      'approvals/approval-responses',
      "if (scope === 'rule' && expiresAt !== undefined && expiresAt > now + RULE_APPROVAL_MAX_MS)",
      'if (false)',
    ],
    ['rule-mandates', 'approvals/standing-approvals', 'if (bound.mandates !== mandates) return false', ''],
    ['rule-definition', 'approvals/standing-approvals', 'if (bound.definition !== definition) return false', ''],
    ['rule-mind', 'approvals/standing-approvals', 'if (bound.mind !== mind) return false', ''],
    ['rule-code', 'approvals/standing-approvals', 'if (bound.code !== code) return false', ''],
    ['rule-rules', 'approvals/standing-approvals', 'rules.every((rule) => bound.rules.includes(rule))', 'true'],
    [
      'rule-covers',
      'approvals/standing-approvals',
      'matchStanding([approval], call.effect, call.risk, now) === undefined',
      'false',
    ],
    ['own', 'approvals/approval-responses', 'startedBy !== by.id', 'true'],
    ['standing-tool', 'approvals/standing-approvals', 'approval.tool === target &&', ''],
    ['standing-expiry', 'approvals/standing-approvals', 'now < approval.expiresAt &&', ''],
    ['standing-risk', 'approvals/standing-approvals', 'isWithin(risk, approval.riskMax) &&', ''],
    [
      'standing-exact',
      'approvals/standing-approvals',
      'if (approval.hash !== undefined && approval.hash !== hashEffect(kind, name, input)) return false',
      '',
    ],
    [
      'standing-input',
      'approvals/standing-approvals',
      'Object.hasOwn(input, member) && isSame(input[member]!, value)',
      'true',
    ],
  ] as const
).map(([name, file, find, replace]) => ({
  id: `gate.answers.${name}`,
  room: 'gate',
  file: `src/gate/${file}.ts`,
  find,
  replace,
  tests: [`src/gate/${file}.test.ts`],
}))

const GATE: readonly Mutation[] = [
  {
    id: 'gate.risk.foreign',
    room: 'gate',
    file: 'src/gate/risk/risk.ts',
    find: 'if (isForeign === true) return',
    replace: 'if (isForeign === null) return',
    tests: ['src/gate/risk/risk.test.ts'],
  },
  {
    id: 'gate.risk.input',
    room: 'gate',
    file: 'src/gate/risk/risk.ts',
    find: 'const counted = raised(own, given, GIVEN)',
    replace: 'const counted = own',
    tests: ['src/gate/risk/risk.test.ts'],
  },
  {
    id: 'gate.question.answer',
    room: 'gate',
    file: 'src/gate/approvals/approval-responses.ts',
    find: 'if (unfit !== undefined) return invalid(unfit)',
    replace: '',
    tests: ['src/agent/questions.test.ts'],
  },
  {
    id: 'gate.applies-to',
    room: 'gate',
    file: 'src/gate/gate.ts',
    find: 'guard.appliesTo?.(mandate) === false ?',
    replace: 'guard.appliesTo?.(mandate) !== undefined ?',
    tests: ['src/gate/gate.test.ts'],
  },
  {
    id: 'gate.mandates-above',
    room: 'gate',
    file: 'src/gate/gate.ts',
    find: 'chainMandates(options.mandate, options.above ?? [])',
    replace: 'chainMandates(options.mandate, [])',
    tests: ['src/gate/gate.test.ts'],
  },
]

export const GATE_MUTATIONS: readonly Mutation[] = [...GUARDS, ...PARTS, ...BUDGET, ...ANSWERS, ...GATE]
