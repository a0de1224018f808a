import type { Mutation } from './mutation.ts'

const CORPUS = ['test/redaction/corpus.test.ts']
const OPTIONS = ['src/redact/secret-redactor.test.ts']
const JSON_TEST = ['src/redact/redactor.test.ts']
const ALL = 'src/redact/format-redactor.ts'

type Row = Omit<Mutation, 'room'>

/** The groups of formats. Each single format is left out in `formats.sweep.test.ts`, which needs no process of its own. */
const GROUPS: readonly Row[] = ['ISSUED', 'INFIX_TOKENS', 'BLOCKS', 'CONTEXTS'].map((group) => ({
  id: `redaction.formats.${group}`,
  file: ALL,
  find: `...${group}`,
  replace: `...${group}.slice(0, 0)`,
  tests: CORPUS,
  pattern: 'is hidden$',
}))

const IN_CALLS = ['test/redaction/tokens-in-calls.test.ts']

/** What keeps tokens from the world, and says that a value is lost. */
const TOKENS: readonly Row[] = [
  {
    id: 'redaction.tokens.encoded',
    file: 'src/redact/vault-tokens.ts',
    find: '.filter(({ begun }) => begun.test(text))',
    replace: '.filter(() => false)',
    tests: IN_CALLS,
  },
  {
    id: 'redaction.tokens.escaped',
    file: 'src/redact/vault-tokens.ts',
    find: 'MARKS.some((mark) => text.includes(mark))',
    replace: 'false',
    tests: IN_CALLS,
  },
  {
    id: 'redaction.tokens.client',
    file: 'src/run/performers/waits.ts',
    find: 'takesTokens: tool === undefined || tool.takesTokens === true',
    replace: 'takesTokens: true',
    tests: IN_CALLS,
  },
  {
    id: 'redaction.tokens.edits',
    file: 'src/run/approvals/edit-check.ts',
    find: 'if (!isVaulted) refuseLost',
    replace: 'if (false) refuseLost',
    tests: ['src/run/vault/vault.test.ts'],
    pattern: 'refused at once',
  },
  {
    id: 'redaction.tokens.cell-says-so',
    file: 'src/repl/mind/cell-mind.ts',
    find: 'const warnings = lost === undefined ? end.warnings',
    replace: 'const warnings = true ? end.warnings',
    tests: IN_CALLS,
  },
  {
    id: 'redaction.tokens.input-says-so',
    file: 'src/agent/output/report.ts',
    find: 'if (lost !== undefined) this.#warnings.push(lost)',
    replace: '',
    tests: ['src/agent/output/result.test.ts'],
    pattern: 'redacted',
  },
]

/** What finds a value again, and where a token may begin. */
const AGAIN: readonly Row[] = [
  {
    id: 'redaction.inside-names',
    file: 'src/redact/formats/format.ts',
    find: 'if (ORDINARY.has(anchor)) return false',
    replace: 'return false',
    tests: CORPUS,
    pattern: 'own-inside',
  },
  {
    id: 'redaction.ordinary-names',
    file: 'src/redact/formats/format.ts',
    find: 'if (ORDINARY.has(anchor)) return false',
    replace: '',
    tests: CORPUS,
    pattern: 'own-keep-inside',
  },
  {
    id: 'redaction.remembered',
    file: 'src/redact/remembered-values.ts',
    find: "known.addEncoded(token.slice('[secret:'.length, -1), value)",
    replace: '',
    tests: ['src/redact/remembered-values.test.ts'],
  },
  {
    id: 'redaction.remembered.bounded',
    file: 'src/redact/remembered-values.ts',
    find: 'values.size >= COUNT_MAX',
    replace: 'false',
    tests: ['src/redact/remembered-values.test.ts'],
    pattern: 'bounded',
  },
]

const REST: readonly Row[] = [
  {
    id: 'redaction.member-names',
    file: ALL,
    find: 'if (kind === undefined || !looksLikeKind(given, kind, true)) return given',
    replace: 'if (true) return given',
    tests: OPTIONS,
  },
  {
    id: 'redaction.scope',
    file: ALL,
    find: String.raw`sha256(${'`'}${'${'}key ?? ''}\n${'${'}scope}\n${'${'}value}${'`'})`,
    replace: 'sha256(value)',
    tests: OPTIONS,
  },
  {
    id: 'redaction.guessable',
    file: ALL,
    find: 'if (guessable && key === undefined)',
    replace: 'if (false)',
    tests: OPTIONS,
  },
  {
    id: 'redaction.keys-of-members',
    file: 'src/redact/redactor.ts',
    find: 'const newName = redactor.text(name)',
    replace: 'const newName = name',
    tests: JSON_TEST,
  },
  {
    id: 'redaction.lists',
    file: 'src/redact/redactor.ts',
    find: 'const safe = redactJson(item, redactor)\n    if (safe === item) continue',
    replace: 'const safe = item\n    if (safe === item) continue',
    tests: JSON_TEST,
  },
  {
    id: 'redaction.stream-holds-back',
    file: 'src/redact/redaction-stream.ts',
    find: 'let to = settled',
    replace: 'let to = this.#text.length',
    tests: CORPUS,
    pattern: 'also from a stream',
  },
  {
    id: 'redaction.finding-shown-whole',
    file: 'src/redact/redaction-stream.ts',
    find: 'if (start < to && to < end) to = start',
    replace: 'void [start, end]',
    tests: [...OPTIONS, ...CORPUS],
    pattern: 'stream',
  },
  {
    id: 'redaction.known.encoded',
    file: 'src/redact/known-values.ts',
    find: 'if (!isEncoded && whole === text.length)',
    replace: 'if (true)',
    tests: CORPUS,
    pattern: 'also from a stream|in base64',
  },
  {
    id: 'redaction.known.base64-neighbours',
    file: 'src/redact/known-values.ts',
    find: 'if (form.isBase64) {',
    replace: 'if (false) {',
    tests: CORPUS,
    pattern: 'says nothing of the value',
  },
  ...(
    [
      ['other-case', 'for (const text of [value.toUpperCase(), value.toLowerCase()])', 'for (const text of [value])'],
      ['base32', 'encoded.add(base32).add(base32.toLowerCase())', 'void base32'],
      ['byte-lists', "for (const gap of [',', ', ']) encoded.add(bytes.join(gap))", ''],
      [
        'wide-hex',
        "[':', ' '].map((gap) => hexOf(bytes, gap)), hexOf(wide)]",
        "[':', ' '].map((gap) => hexOf(bytes, gap))]",
      ],
      ['spaced-hex', "...[':', ' '].map((gap) => hexOf(bytes, gap)),", ''],
      ['wide-base64', '[bytes, wide].flatMap(', '[bytes].flatMap('],
    ] as const
  ).map(([name, find, replace]): Row => ({
    id: `redaction.known.${name}`,
    file: 'src/redact/formats/encodings.ts',
    find,
    replace,
    tests: CORPUS,
    pattern: 'a value that is known (in|as)',
  })),
  {
    id: 'redaction.pii',
    file: 'src/redact/formats/pii.ts',
    find: 'export function findPii(text: string, kinds: readonly PiiKind[], findings: Finding[]): void {',
    replace:
      'export function findPii(text: string, kinds: readonly PiiKind[], findings: Finding[]): void {\n  if (Math.abs(1) === 1) return',
    tests: OPTIONS,
    pattern: 'personal data',
  },
]

export const REDACTION_MUTATIONS: readonly Mutation[] = [...GROUPS, ...TOKENS, ...AGAIN, ...REST].map((row) => ({
  ...row,
  room: 'redaction',
}))
